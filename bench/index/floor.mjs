// The least time that a query can take: as many independent reads of random cache lines, over as many bytes, as it
// touches. Counted and timed by native/bench/index.cc, on the plan of the same budget.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${root}out/bench`;

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', cwd: root });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
  return stdout;
}

export function buildFloor() {
  run('cmake', ['-S', '.', '-B', folder, '-DNEARDUP_BENCH=ON', '-DCMAKE_BUILD_TYPE=Release']);
  run('cmake', ['--build', folder, '--target', 'index_bench', '-j', '2']);
}

/** Cache lines of a query, nanoseconds of reading that many, and of the query in a segment without the facade. */
export function measureFloor(count, memory) {
  const text = run('taskset', ['-c', '0', `${folder}/index_bench`, String(count), memory]);
  const [, lines, perLine] = text.match(/([\d.]+) lines, floor ([\d.]+) ns\/line/).map(Number);
  const segment = Number(text.match(/queries\/s \((\d+) ns\)/)[1]);
  return { lines, perLine, nanoseconds: lines * perLine, segment };
}
