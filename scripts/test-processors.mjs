// Runs the core's tests on processors that this machine is not, under qemu's user-mode emulation.
//   node scripts/test-processors.mjs [--kernels] [name ...]      all of those below when none is named
// --kernels runs the tests of native/kernels only.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AARCH64 } from './aarch64.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const PROCESSORS = {
  // SSE4.2, no AVX.
  nehalem: { qemu: ['qemu-x86_64-static', '-cpu', 'Nehalem'], kernel: 'scalar' },
  // AVX, no AVX2.
  sandybridge: { qemu: ['qemu-x86_64-static', '-cpu', 'SandyBridge'], kernel: 'scalar' },
  // AVX2 that the operating system does not enable.
  'haswell-noxsave': { qemu: ['qemu-x86_64-static', '-cpu', 'Haswell,-xsave'], kernel: 'scalar' },
  haswell: { qemu: ['qemu-x86_64-static', '-cpu', 'Haswell'], kernel: 'avx2' },
  neon: { qemu: ['qemu-aarch64-static'], kernel: 'neon', options: AARCH64 },
};
const PACKAGES = {
  'qemu-x86_64-static': 'qemu-user-static',
  'qemu-aarch64-static': 'qemu-user-static',
  'aarch64-linux-gnu-g++': 'g++-aarch64-linux-gnu',
};

function run(command, args, env = {}) {
  const { status, signal } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status === 0) return;
  console.error(`test-processors: ${command} ${args.join(' ')} failed (${signal ?? `exit code ${status}`})`);
  process.exit(1);
}

const args = process.argv.slice(2);
const filter = args.includes('--kernels') ? ['--source-file=*kernels_*'] : [];
const named = args.filter((arg) => arg !== '--kernels');
const unknown = named.filter((name) => !(name in PROCESSORS));
if (unknown.length > 0) {
  console.error(`test-processors: no ${unknown.join(', ')}; there are ${Object.keys(PROCESSORS).join(', ')}`);
  process.exit(1);
}
const chosen = named.length > 0 ? named : Object.keys(PROCESSORS);

const tools = chosen.flatMap((name) => [
  PROCESSORS[name].qemu[0],
  ...(PROCESSORS[name].options ? ['aarch64-linux-gnu-g++'] : []),
]);
const missing = tools.filter((tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status !== 0);
if (missing.length > 0) {
  const packages = [...new Set(missing.map((tool) => PACKAGES[tool]))];
  console.error(
    `test-processors: ${[...new Set(missing)].join(', ')} not found: apt-get install ${packages.join(' ')}`,
  );
  process.exit(1);
}

for (const name of chosen) {
  const { qemu, kernel, options = [] } = PROCESSORS[name];
  const folder = `${root}out/core${options.length > 0 ? '-aarch64' : ''}`;
  run('cmake', ['-S', '.', '-B', folder, '-DNEARDUP_TESTS=ON', ...options, '--log-level=WARNING']);
  run('cmake', ['--build', folder, '-j', '2', '--', '--quiet']);
  console.log(`test-processors: ${name}, ${qemu.join(' ')}`);
  run(qemu[0], [...qemu.slice(1), `${folder}/core_tests`, ...filter], { NEARDUP_EXPECT_KERNEL: kernel });
}
