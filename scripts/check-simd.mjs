// Fails when the built addon holds an AVX instruction outside the kernels, where no run-time check guards
// it, or when a kernel is missing. Reads the unstripped addon with objdump.
//   node scripts/check-simd.mjs [addon]      build/Release/neardup.node when none is named
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const addon = process.argv[2] ?? fileURLToPath(new URL('../build/Release/neardup.node', import.meta.url));

function read(command, args) {
  const run = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
  if (run.status === 0) return run.stdout;
  console.error(`check-simd: ${command} failed: ${run.error?.message ?? run.stderr}`);
  process.exit(1);
}

const assembly = read('objdump', ['--disassemble', '--demangle', '--no-show-raw-insn', addon]);
if (!assembly.includes('elf64-x86-64')) {
  console.log('check-simd: not an x64 addon, nothing to check.');
  process.exit(0);
}

// A function of a kernel for AVX2 or AVX-512, or a local one that was split off it.
const KERNEL = /^neardup::kernels::(avx2|avx512)::/;
// VEX and EVEX instructions all begin with v, or name a YMM, ZMM or mask register.
const AVX = /^v[a-z0-9]+\s|%[yz]mm|%k[0-7]\b/;
const NOT_AVX = /^(verr|verw)\s/;

const kernels = { avx2: 0, avx512: 0 };
const stray = new Map();
let current = '';
for (const line of assembly.split('\n')) {
  const head = /^[0-9a-f]+ <(.*)>:$/.exec(line);
  if (head !== null) {
    current = head[1];
    continue;
  }
  const instruction = line.split('\t')[1] ?? '';
  if (!AVX.test(instruction) || NOT_AVX.test(instruction)) continue;
  const kernel = KERNEL.exec(current);
  if (kernel !== null) kernels[kernel[1]] += 1;
  else if (!stray.has(current)) stray.set(current, instruction.trim());
}

for (const [name, instruction] of stray) console.error(`check-simd: ${name} has "${instruction}"`);
for (const [set, count] of Object.entries(kernels)) {
  if (count === 0) console.error(`check-simd: no ${set} kernel found in ${addon} (is it stripped?)`);
}
if (stray.size > 0 || Object.values(kernels).includes(0)) process.exit(1);
console.log(
  `check-simd: ${kernels.avx2} AVX2 and ${kernels.avx512} AVX-512 instructions, all inside the kernels.`,
);
