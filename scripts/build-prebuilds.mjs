// Puts this platform's addon at prebuilds/<platform>-<arch>/neardup.node, stripped, ready to be packed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}prebuilds/${process.platform}-${process.arch}`;
rmSync(folder, { recursive: true, force: true });
const run = spawnSync('npx', ['prebuildify', '--napi', '--strip'], { cwd: root, encoding: 'utf8' });
const built = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.node')) : [];
if (run.status !== 0 || built.length !== 1) {
  process.stderr.write(`${run.stdout}${run.stderr}neardup: prebuildify failed (see above).\n`);
  process.exit(1);
}
renameSync(`${folder}/${built[0]}`, `${folder}/neardup.node`);
