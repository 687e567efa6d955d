// npm run bench: native against TypeScript on the same inputs. Checks that the results are equal, prints a
// table with ratios and writes bench/results/engines.json.
import { deepStrictEqual } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { Bench } from 'tinybench';
import { nativeEngine, tsEngine } from './engines.mjs';
import { loadBefore, machineLine } from './machine.mjs';
import { operations } from './operations.mjs';

const ROUNDS = 3;

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Median seconds per call of each function; the rounds alternate, so that drift of the machine hits both. */
async function time(functions) {
  const seconds = functions.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, run] of functions.entries()) {
      const bench = new Bench({ time: 300, warmupTime: 50, warmupIterations: 1, iterations: 3 });
      bench.add('run', run);
      const [task] = await bench.run();
      seconds[i].push(task.result.latency.p50 / 1000);
    }
  }
  return seconds.map(median);
}

/** 12345678 as 12.3 M. */
function rate(perSecond) {
  const [divisor, unit] = perSecond >= 1e9 ? [1e9, 'G'] : perSecond >= 1e6 ? [1e6, 'M'] : [1e3, 'k'];
  return `${(perSecond / divisor).toPrecision(3)} ${unit}`;
}

const rows = [];
console.log(machineLine());
console.log(`kernel: ${nativeEngine.kernel}\n`);
console.log('operation    unit/s           native    TypeScript   ratio');
for (const operation of operations) {
  const { name, detail, unit, items, start } = operation();
  const functions = [nativeEngine, tsEngine].map(start);
  deepStrictEqual(functions[0](), functions[1](), `${name}: the engines' results differ`);
  const [native, js] = await time(functions);
  const row = { name, detail, unit, native: items / native, js: items / js, ratio: js / native };
  rows.push(row);
  console.log(
    `${name.padEnd(12)} ${unit.padEnd(13)} ${rate(row.native).padStart(9)} ${rate(row.js).padStart(13)} ${row.ratio.toFixed(1).padStart(7)}`,
  );
}

const result = {
  machine: machineLine(),
  loadBefore,
  kernel: nativeEngine.kernel,
  date: new Date().toISOString().slice(0, 10),
  rows,
};
writeFileSync(new URL('./results/engines.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
console.log('\nResults are equal on both engines; written to bench/results/engines.json');
