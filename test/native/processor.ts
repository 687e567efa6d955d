/** What the processor can run, by what the operating system says of it: not by the code under test. */
import { readFileSync } from 'node:fs';

// The name of a set of kernels, and the processor flags that it needs. The best set first.
const SETS = {
  avx512: [
    'avx512f',
    'avx512bw',
    'avx512vbmi',
    'avx512_bitalg',
    'avx512_vpopcntdq',
    'gfni',
    'avx2',
    'popcnt',
  ],
  avx2: ['avx2', 'popcnt'],
};

/** The kernels that can run here, the best first; undefined where this is not known. */
export function expectedKernels(): string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  if (process.arch === 'arm64') return ['neon', 'scalar'];
  if (process.arch !== 'x64') return undefined;
  const [, line = ''] = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? [];
  const flags = new Set(line.trim().split(' '));
  const sets = Object.entries(SETS).filter(([, needed]) => needed.every((flag) => flags.has(flag)));
  return [...sets.map(([name]) => name), 'scalar'];
}
