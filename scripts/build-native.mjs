// Builds the addon of a checkout into build/Release. Without a compiler it says so in one line and
// leaves the work to the TypeScript engine; a compiler that fails is an error.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const addon = `${root}build/Release/neardup.node`;

const works = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
const missing = [
  [process.env.CXX ?? 'c++', 'g++'].some(works) ? undefined : 'a C++ compiler',
  works('make') || process.platform === 'win32' ? undefined : 'make',
  ['python3', 'python'].some(works) ? undefined : 'python3',
].filter(Boolean);

const newest = (folder) =>
  Math.max(
    ...readdirSync(`${root}${folder}`, { recursive: true }).map(
      (f) => statSync(`${root}${folder}/${f}`).mtimeMs,
    ),
  );

if (process.env.NEARDUP_BACKEND === 'js') {
  console.log('neardup: NEARDUP_BACKEND=js, the addon is not built.');
} else if (missing.length > 0) {
  console.log(`neardup: no addon, ${missing.join(' and ')} not found; the TypeScript engine is used.`);
} else if (
  !existsSync(addon) ||
  statSync(addon).mtimeMs < Math.max(newest('native'), statSync(`${root}binding.gyp`).mtimeMs)
) {
  const command = existsSync(`${root}build/Makefile`) ? ['configure', 'build'] : ['rebuild'];
  const run = spawnSync('npx', ['node-gyp', ...command, '--silent', '-j', '2'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (run.status !== 0) {
    process.stderr.write(`${run.stdout}${run.stderr}neardup: building the addon failed (see above).\n`);
    process.exit(1);
  }
}
