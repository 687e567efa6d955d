// npm run bench:index -- [count...] [--parts=collection,floor,cores,radii,skew,typescript]: the index against its targets.
// Counts are 1e6 and 1e7 when not given. One thread (all threads of the process on one core) unless said; speeds are
// by CPU time, medians of rounds. Prints a table and writes bench/results/index.json, where it replaces the runs of
// the same part, count and budget.
//
// 1e6 takes about 2 minutes, 1e7 about 5, 1e8 about 15; 1e8 needs 16 GiB.
import { fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { backendInfo } from '../dist/index.mjs';
import { buildFloor, measureFloor } from './index/floor.mjs';
import { formatRow } from './index/format.mjs';
import { judge } from './index/targets.mjs';
import { machineLine } from './machine.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { parts: { type: 'string', default: 'collection,floor,cores,radii,skew,typescript' } },
});
const counts = positionals.length > 0 ? positionals.map(Number) : [1e6, 1e7];
const wanted = new Set(values.parts.split(','));
const file = new URL('./results/index.json', import.meta.url);
const old = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).runs : [];
const runs = new Map(old.map((run) => [keyOf(run), run]));

function keyOf({ part, count, memory }) {
  return `${count} ${part} ${memory}`;
}

/** The parts of a count, in turn. Where only a size has targets, or takes too long, it is measured at that only. */
function partsOf(count) {
  return [
    ['collection', 'compact'],
    ['floor', 'compact'],
    ['collection', 'fast'],
    ['floor', 'fast'],
    ['cores', 'compact'],
    ...(count <= 1e7 ? [['skew', 'compact']] : []),
    ...(count === 1e7
      ? [
          ['radii', 'compact'],
          ['radii', 'fast'],
        ]
      : []),
    ...(count === 1e6 ? [['typescript', 'compact']] : []),
  ].filter(([part]) => wanted.has(part));
}

/** The rows that a part sends from a process of its own. */
function runPart(part, count, memory) {
  const rows = [];
  const child = fork(new URL('./index/part.mjs', import.meta.url), [part, count, memory], {
    execArgv: ['--expose-gc'],
    env: part === 'typescript' ? { ...process.env, NEARDUP_BACKEND: 'js' } : process.env,
  });
  child.on('message', (row) => rows.push(row));
  return new Promise((resolve, reject) => {
    child.on('exit', (code, signal) =>
      code === 0
        ? resolve(rows)
        : reject(new Error(`${part} ${count} ${memory} ended with ${code ?? signal}`)),
    );
  });
}

/** The floor beside the time of a query that the collection's run took. */
function runFloor(count, memory) {
  const row = runs
    .get(keyOf({ part: 'collection', count, memory }))
    ?.rows.find(({ operation }) => operation === 'queries, batches of 1,000');
  if (row === undefined) throw new Error('the floor is compared with the queries of the part "collection"');
  buildFloor();
  const floor = measureFloor(count, memory);
  const value = 1e9 / row.value / floor.nanoseconds;
  const operation = 'time of a query over the floor';
  return [{ count, memory, operation, value, unit: 'x', ...floor }];
}

for (const count of counts) {
  for (const [part, memory] of partsOf(count)) {
    const start = performance.now();
    const loadBefore = loadavg()[0];
    let rows;
    try {
      rows = part === 'floor' ? runFloor(count, memory) : await runPart(part, count, memory);
    } catch (error) {
      console.error(error.message);
      process.exitCode = 1;
      continue;
    }
    const run = { part, count, memory, machine: machineLine(), kernel: backendInfo().kernel };
    Object.assign(run, {
      date: new Date().toISOString().slice(0, 10),
      loadBefore,
      loadAfter: loadavg()[0],
      rows,
    });
    runs.set(keyOf(run), run);
    console.log(`\n${part}, ${count.toExponential()}, ${memory}: ${run.machine}`);
    console.log(`load ${loadBefore.toFixed(2)}, ${((performance.now() - start) / 1000).toFixed(0)} s`);
    for (const row of judge(rows)) console.log(formatRow(row));
    writeResults();
  }
}

function writeResults() {
  const rows = [...runs.values()].flatMap((run) => run.rows.map((row) => ({ row, run })));
  const judged = judge(rows.map(({ row }) => row));
  for (const [i, { row }] of rows.entries()) Object.assign(row, judged[i]);
  const sorted = [...runs.values()].sort((a, b) => a.count - b.count);
  writeFileSync(file, `${JSON.stringify({ runs: sorted }, null, 2)}\n`);
}
