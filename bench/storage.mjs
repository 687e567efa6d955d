// npm run bench:storage -- [count] [folder]: an index on disk beside one in memory, of a hundred million fingerprints
// (when no count is given), compact, k = 3: loading, opening, queries through the mapped file, adding, and recovery of a
// long log. Writes bench/results/storage.json. Needs 8 GiB of disk and memory; takes about 15 minutes.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HammingIndex } from '../dist/index.mjs';
import { computedBatch, computedQueries } from './index/computed.mjs';
import { formatRow } from './index/format.mjs';
import { bulkLoad, runQueries, settle } from './index/load.mjs';
import { median, once } from './index/measure.mjs';
import { saveRun } from './save-run.mjs';

const count = Number(process.argv[2] ?? 1e8);
const BATCH = 1_000_000;
const QUERIES = 1_000_000;
const ADDED = 4_000_000;
const RECORDS = 10_000_000;
const ROUNDS = 5;

/** What is to be reached; of all counts the same. */
const TARGETS = {
  opening: { target: 1, atMost: true },
  'queries through the mapped file, of those in memory': { target: 0.9 },
  'addBatch of 1,000, sync interval, of that in memory': { target: 0.7 },
  'recovery of a log of 10 million records': { target: 10, atMost: true },
  'bytes on disk per entry': { target: 16, atMost: true },
};

const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'neardup-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'index');

const rows = [];
function report(operation, value, unit, more = {}) {
  const { target, atMost = false } = TARGETS[operation] ?? {};
  const met = target === undefined ? undefined : atMost ? value <= target : value >= target;
  const row = {
    operation,
    value,
    unit,
    count,
    ...more,
    ...(target !== undefined && { target, atMost, met }),
  };
  rows.push(row);
  console.log(formatRow(row));
}

function* batches() {
  for (let first = 0; first < count; first += BATCH)
    yield computedBatch(first, Math.min(BATCH, count - first));
}

function bytesIn(directory) {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

const memory = new HammingIndex();
const inMemory = await once(() => bulkLoad(memory, batches()));
report('load into memory', count / inMemory.wall, '/s');
let index = await HammingIndex.open(path, { create: true });
const onDisk = await once(() => index.load(batches()));
report('load onto the disk', count / onDisk.wall, '/s');
report('load onto the disk, of that into memory', inMemory.wall / onDisk.wall, '');
index.close();
report('bytes on disk per entry', bytesIn(path) / count, 'B');

const opens = [];
for (let round = 0; round < ROUNDS; round++) {
  const { wall } = await once(async () => (await HammingIndex.open(path, { readOnly: true })).close());
  opens.push(wall);
}
report('opening', median(opens), 's');

index = await HammingIndex.open(path);
const { queries } = computedQueries(count, QUERIES, 71);
// Every page that the queries touch is in memory before they are timed.
runQueries(index, queries, 1000);
runQueries(memory, queries, 1000);
const mapped = [];
const held = [];
for (let round = 0; round < ROUNDS; round++) {
  mapped.push(await once(() => runQueries(index, queries, 1000)));
  held.push(await once(() => runQueries(memory, queries, 1000)));
}
const cpu = (samples) => median(samples.map((sample) => sample.cpu));
report('queries through the mapped file', QUERIES / cpu(mapped), '/s');
report('queries in memory', QUERIES / cpu(held), '/s');
report('queries through the mapped file, of those in memory', cpu(held) / cpu(mapped), '');
index.close();
memory.close();

/** Adds entries in batches, or one at a time, and waits for what goes on behind; by wall-clock. */
async function add(target, size) {
  const { fingerprints, ids } = computedBatch(0, size === 1 ? ADDED / 4 : ADDED);
  const time = await once(async () => {
    if (size === 1) for (let i = 0; i < ids.length; i++) target.add(fingerprints[i], ids[i]);
    else {
      for (let at = 0; at < ids.length; at += size) {
        target.addBatch(fingerprints.subarray(at, at + size), ids.subarray(at, at + size));
        // The event loop turns between batches, as it does where they come from outside.
        if (at % (64 * size) === 0) await new Promise(setImmediate);
      }
    }
    await settle(target);
  });
  target.close();
  return ids.length / time.wall;
}

for (const [size, name] of [
  [1000, 'addBatch of 1,000'],
  [1, 'add'],
]) {
  const rates = { memory: [], interval: [], never: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.memory.push(await add(new HammingIndex(), size));
    for (const sync of ['interval', 'never']) {
      const directory = join(folder, `add-${size}-${sync}-${round}`);
      rates[sync].push(await add(await HammingIndex.open(directory, { create: true, sync }), size));
      rmSync(directory, { recursive: true });
    }
  }
  report(`${name}, in memory`, median(rates.memory), '/s');
  for (const sync of ['interval', 'never']) {
    report(`${name}, sync ${sync}`, median(rates[sync]), '/s');
    report(`${name}, sync ${sync}, of that in memory`, median(rates[sync]) / median(rates.memory), '');
  }
}

const always = await HammingIndex.open(join(folder, 'always'), { create: true, sync: 'always' });
const some = computedBatch(0, 1000);
const waits = [];
for (let round = 0; round < 200; round++) {
  waits.push((await once(() => always.addBatch(some.fingerprints, some.ids))).wall * 1000);
}
always.close();
report('addBatch of 1,000, sync always, each', median(waits), 'ms');

const logged = join(folder, 'logged');
const writer = await HammingIndex.open(logged, {
  create: true,
  sync: 'never',
  checkpointBytes: Number.MAX_SAFE_INTEGER,
});
for (let first = 0; first < RECORDS; first += BATCH) {
  const { fingerprints, ids } = computedBatch(first, BATCH);
  for (let i = 0; i < BATCH; i++) writer.add(fingerprints[i], ids[i]);
}
writer.close();
const recovery = await once(() => HammingIndex.open(logged));
if (recovery.value.size !== RECORDS) throw new Error(`${recovery.value.size} entries were recovered`);
recovery.value.close();
report('recovery of a log of 10 million records', recovery.wall, 's');

saveRun('storage', count, rows);
