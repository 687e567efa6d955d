// Builds and runs the core's C++ tests.
//   node scripts/test-core.mjs [sanitizers [filter ...]]
// `address,undefined` runs them under those sanitizers; filters are doctest's: `thread -ts=threads` runs the tests
// that start threads under ThreadSanitizer.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [sanitize = '', ...filter] = process.argv.slice(2);
const folder = `${root}out/core${sanitize ? `-${sanitize.replaceAll(',', '-')}` : ''}`;

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run('cmake', [
  '-S',
  '.',
  '-B',
  folder,
  '-DNEARDUP_TESTS=ON',
  `-DNEARDUP_SANITIZE=${sanitize}`,
  '--log-level=WARNING',
]);
run('cmake', ['--build', folder, '-j', '2', '--', '--quiet']);
const { stdout } = spawnSync(`${folder}/core_tests`, [...filter, '--count'], { encoding: 'utf8' });
if (!/filters: [1-9]/.test(stdout)) {
  console.error(`test-core: no test is named by ${filter.join(' ')}`);
  process.exit(1);
}
run(`${folder}/core_tests`, filter);
