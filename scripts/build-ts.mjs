// Builds lib/ into dist/ (ESM, CommonJS, types). Says nothing unless it fails.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = spawnSync('npx', ['tsdown', '--logLevel', 'warn'], {
  cwd: root,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
if (run.status !== 0) {
  process.stderr.write(`${run.stdout}${run.stderr}neardup: building dist/ failed (see above).\n`);
  process.exit(1);
}
