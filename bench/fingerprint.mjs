// npm run bench:fingerprint: what making fingerprints costs, against fixed targets. Prints one table and writes
// bench/results/fingerprint.json. Speeds are by CPU time, which other work on the machine disturbs little;
// wall-clock times stand beside them. `wc -w` runs on the same bytes, in turns with the engines.

import { deepStrictEqual } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashTexts } from '../dist/fingerprint/batch.mjs';
import { policyTexts, randomCodes } from './data.mjs';
import { nativeEngine, tsEngine } from './engines.mjs';
import { longestTurn } from './event-loop.mjs';
import { loadBefore, machineLine } from './machine.mjs';

const ROUNDS = 5;
const RECIPES = {
  'word 3-shingles, count': { unit: 'words', min: 3, max: 3, weight: 'count' },
  'words, log': { unit: 'words', min: 1, max: 1, weight: 'log' },
  'characters 5, count': { unit: 'chars', min: 5, max: 5, weight: 'count' },
};

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const cpuSeconds = ({ user, system }) => (user + system) / 1e6;
const mega = (value) => `${(value / 1e6).toPrecision(3)} M/s`;
const times = (value) => `${value.toFixed(2)} x`;

/** Median CPU and wall seconds of each function over rounds; the rounds alternate, as the machine drifts. */
function measure(functions, rounds = ROUNDS) {
  const samples = functions.map(() => ({ cpu: [], wall: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [i, run] of functions.entries()) {
      const wall = performance.now();
      const before = process.cpuUsage();
      const other = run();
      samples[i].cpu.push(other ?? cpuSeconds(process.cpuUsage(before)));
      samples[i].wall.push((performance.now() - wall) / 1000);
    }
  }
  return samples.map(({ cpu, wall }) => ({ cpu: median(cpu), wall: median(wall) }));
}

/** CPU seconds of a process, by the shell's `times`. */
function wordCount(file) {
  const run = spawnSync('sh', ['-c', 'wc -w "$0" > /dev/null; times', file], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const children = run.stdout.trim().split('\n')[1];
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + 60 * m + Number(s), 0);
}

const rows = [];

/** Adds a line to the table. `met` is undefined where there is no target. */
function report(operation, measured, target = '', met = undefined, detail = {}) {
  rows.push({ operation, measured, target, met, ...detail });
  const mark = met === undefined ? '' : met ? 'met' : 'SHORT';
  console.log(`${operation.padEnd(52)} ${measured.padEnd(26)} ${target.padEnd(28)} ${mark}`);
}

const { name, texts } = policyTexts();
const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
const conditions = {
  machine: machineLine(),
  kernel: nativeEngine.kernel,
  date: new Date().toISOString().slice(0, 10),
  texts: `${texts.length} texts of ${name}, ${(bytes / 1e6).toFixed(1)} MB as UTF-8, given as strings`,
  time: `CPU time, median of ${ROUNDS} rounds, one thread, unless said`,
  loadBefore,
};
console.log(`${conditions.machine}; kernel ${conditions.kernel}; load ${conditions.loadBefore.toFixed(2)}`);
console.log(`${conditions.texts}\n${conditions.time}\n`);

const folder = mkdtempSync(join(tmpdir(), 'neardup-bench-'));
const file = join(folder, 'texts');
writeFileSync(file, texts.join('\n'));

// Text: native on all of it, TypeScript on a part.
const part = texts.filter((_, i) => i % 10 === 0);
const partBytes = part.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
const natives = Object.values(RECIPES).map((recipe) => nativeEngine.createFingerprinter(recipe));
const scripts = Object.values(RECIPES).map((recipe) => tsEngine.createFingerprinter(recipe));
const [wc, ...nativeTimes] = measure([
  () => wordCount(file),
  ...natives.map((maker) => () => void maker.fingerprintBatch(texts)),
]);
rmSync(folder, { recursive: true });
const scriptTimes = measure(
  scripts.map((maker) => () => void maker.fingerprintBatch(part)),
  3,
);
const speeds = { cpu: bytes / wc.cpu / 1e6, wall: bytes / wc.wall / 1e6 };
report('LC_ALL=C wc -w', `${speeds.cpu.toFixed(0)} MB/s`, '', undefined, speeds);
for (const [i, recipe] of Object.keys(RECIPES).entries()) {
  const speed = bytes / nativeTimes[i].cpu / 1e6;
  const wall = bytes / nativeTimes[i].wall / 1e6;
  const share = nativeTimes[i].cpu / wc.cpu;
  const most = [0.5, 1, undefined][i];
  report(
    `native, ${recipe}`,
    `${speed.toFixed(0)} MB/s, ${times(share)} wc`,
    most === undefined ? '' : `<= ${times(most)} the time of wc`,
    most === undefined ? undefined : share <= most,
    { cpu: speed, wall },
  );
}
for (const [i, recipe] of Object.keys(RECIPES).entries()) {
  deepStrictEqual(natives[i].fingerprintBatch(part), scripts[i].fingerprintBatch(part), recipe);
  const speed = partBytes / scriptTimes[i].cpu / 1e6;
  const ratio = bytes / nativeTimes[i].cpu / 1e6 / speed;
  const wall = partBytes / scriptTimes[i].wall / 1e6;
  report(`TypeScript, ${recipe}`, `${speed.toFixed(1)} MB/s`, '>= 10 MB/s', speed >= 10, {
    cpu: speed,
    wall,
  });
  report(`  native over TypeScript`, times(ratio), '>= 10 x', ratio >= 10);
}

// One short text.
const short = texts.find((text) => /^[ -~\s]{2000}/.test(text)).slice(0, 2000);
for (const [i, recipe] of Object.keys(RECIPES).entries()) {
  const calls = 3000;
  const [{ cpu, wall }] = measure(
    [
      () => {
        for (let call = 0; call < calls; call++) natives[i].fingerprint(short);
      },
    ],
    9,
  );
  const micros = (seconds) => (seconds / calls) * 1e6;
  report(`native, one string of 2 kB, ${recipe}`, `${micros(cpu).toFixed(1)} µs`, '< 8 µs', micros(cpu) < 8, {
    cpu: micros(cpu),
    wall: micros(wall),
  });
}

// Counters alone.
const counts = { 'calls of 4,096 hashes': 4096, '1,000,000 hashes': 1_000_000 };
for (const [size, count] of Object.entries(counts)) {
  const hashes = randomCodes(count, 1);
  const weights = Float64Array.from(hashes, (_, i) => 1 + (i % 97) / 7);
  for (const [weighting, given] of Object.entries({ unweighted: undefined, weighted: weights })) {
    deepStrictEqual(nativeEngine.accumulate(hashes, given), tsEngine.accumulate(hashes, given));
    const repeats = (engine) => Math.max(1, Math.round((engine === nativeEngine ? 4e7 : 2e6) / count));
    const engines = [nativeEngine, tsEngine];
    const figures = measure(
      engines.map((engine) => () => {
        for (let i = 0; i < repeats(engine); i++) engine.accumulate(hashes, given);
      }),
    ).map(({ cpu }, i) => (count * repeats(engines[i])) / cpu);
    const [native, js] = figures;
    const what = `counters, ${weighting}, ${size}`;
    report(`native, ${what}`, mega(native), '>= 500 M/s', native >= 500e6, { cpu: native });
    report(`TypeScript, ${what}`, mega(js), '>= 10 M/s', js >= 10e6, { cpu: js });
    report('  native over TypeScript', times(native / js), '>= 25 x', native / js >= 25);
  }
}
const codes = randomCodes(1_000_000, 2);
for (const engine of [nativeEngine, tsEngine]) {
  const [{ cpu }] = measure([() => void engine.distances(codes, 1n)]);
  report(`${engine.backend}, distances of 1,000,000 codes`, mega(codes.length / cpu));
}

// All cores, and the event loop meanwhile.
const cores = availableParallelism();
for (const [i, recipe] of Object.keys(RECIPES).entries()) {
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    const start = performance.now();
    await hashTexts(nativeEngine, [natives[i]], texts);
    const wall = (performance.now() - start) / 1000;
    samples.push({ wall, cpu: cpuSeconds(process.cpuUsage(before)) });
  }
  const [one] = measure([() => void natives[i].fingerprintBatch(texts)]);
  const wall = median(samples.map((sample) => sample.wall));
  const cpu = median(samples.map((sample) => sample.cpu));
  const scaling = one.wall / wall / cores;
  report(
    `native, all ${cores} cores, ${recipe}`,
    `${(bytes / wall / 1e6).toFixed(0)} MB/s, ${times(scaling)} cores`,
    '>= 0.85 x cores (wall)',
    scaling >= 0.85,
    { wall: bytes / wall / 1e6, cpuOverOneThread: cpu / one.cpu },
  );
  report(
    '  work of one thread over work of all',
    times(one.cpu / cpu),
    '>= 0.85 x (CPU)',
    one.cpu / cpu >= 0.85,
  );
}
for (const [engine, makers, input] of [
  [nativeEngine, natives, texts],
  [tsEngine, scripts, part],
]) {
  const turn = await longestTurn(() => hashTexts(engine, makers, input));
  report(
    `${engine.backend}, longest turn of the event loop`,
    `${turn.cpu.toFixed(1)} ms (wall ${turn.wall.toFixed(1)})`,
    '<= 20 ms (CPU)',
    turn.cpu <= 20,
    turn,
  );
}

conditions.loadAfter = loadavg()[0];
const result = new URL('./results/fingerprint.json', import.meta.url);
writeFileSync(result, `${JSON.stringify({ ...conditions, rows }, null, 2)}\n`);
console.log(`\nload ${conditions.loadAfter.toFixed(2)}; written to bench/results/fingerprint.json`);
