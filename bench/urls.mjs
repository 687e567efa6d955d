// node bench/urls.mjs [part...] [count...]: URL normalisation, URL sets and Bloom filters, in processor time.
// Parts: normalize, set, directory, bloom; all of them by default. Counts: 1e7 by default. The TypeScript engine is
// measured up to 1e7. Rows replace those of the same name, engine and count in bench/results/urls.json, each with
// the load average of the minute before it ended (a load of 1 is this process).
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BloomFilter } from '../dist/urls/bloom-filter.mjs';
import { normalizeUrl } from '../dist/urls/normalize.mjs';
import { UrlSet } from '../dist/urls/url-set.mjs';
import { nativeEngine, tsEngine } from './engines.mjs';
import { machineLine } from './machine.mjs';

const BATCH = 65_536;
const ROUNDS = 3;
const PARTS = ['normalize', 'set', 'directory', 'bloom'];
const args = process.argv.slice(2);
const chosen = args.filter((arg) => PARTS.includes(arg));
const parts = chosen.length > 0 ? chosen : PARTS;
const given = args.filter((arg) => !PARTS.includes(arg)).map(Number);
const counts = given.length > 0 ? given : [1e7];
const folder = mkdtempSync(join(tmpdir(), 'neardup-bench-'));

/** Processor seconds of a call. */
function seconds(run) {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Fingerprints first, first + step, ...: distinct; the set spreads them itself. */
function batchOf(first, step) {
  const batch = new BigUint64Array(BATCH);
  const words = new Uint32Array(batch.buffer);
  for (let i = 0; i < BATCH; i++) {
    const value = first + i * step;
    const high = Math.floor(value / 2 ** 32);
    words[2 * i] = value - high * 2 ** 32;
    words[2 * i + 1] = high;
  }
  return batch;
}

/** Tests a second of 2^20 fingerprints spread over what was added, or beyond it. */
function testRate(test, count, isHeld) {
  const stride = Math.max(1, Math.floor(count / 2 ** 20));
  const batches = Array.from({ length: 16 }, (_, i) =>
    batchOf((isHeld ? 0 : 2 ** 40) + i * BATCH * stride, stride),
  );
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push(seconds(() => batches.forEach((batch) => void test(batch))));
  }
  return (16 * BATCH) / median(times);
}

/** Adds a second; making the batches is not counted. */
function fill(add, count) {
  let spent = 0;
  for (let at = 0; at < count; at += BATCH) {
    const batch = batchOf(at, 1);
    spent += seconds(() => add(batch));
  }
  return count / spent;
}

function measureSet(engine, count) {
  const set = new UrlSet({}, engine);
  const row = { name: 'UrlSet', engine: engine.backend, count };
  row.addsPerSecond = fill((batch) => set.addBatch(batch), count);
  row.seenTestsPerSecond = testRate((batch) => set.hasBatch(batch), count, true);
  row.newTestsPerSecond = testRate((batch) => set.hasBatch(batch), count, false);
  row.bytesPerUrl = set.memoryBytes / set.size;
  const path = join(folder, 'set');
  row.saveSeconds = seconds(() => set.save(path));
  row.bytesPerUrlOnDisk = statSync(path).size / set.size;
  set.close();
  row.openSeconds = seconds(() => UrlSet.open(path, {}, engine).close());
  return row;
}

function directoryBytes(path) {
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

function measureDirectory(engine, count) {
  const path = join(folder, 'directory');
  const set = UrlSet.open(path, { create: true, bufferUrls: count / 10 }, engine);
  const row = { name: 'UrlSet in a directory', engine: engine.backend, count };
  row.addsPerSecond = fill((batch) => set.addBatch(batch), count);
  row.seenTestsPerSecond = testRate((batch) => set.hasBatch(batch), count, true);
  row.newTestsPerSecond = testRate((batch) => set.hasBatch(batch), count, false);
  row.bytesPerUrl = set.memoryBytes / set.size;
  set.close();
  row.bytesPerUrlOnDisk = directoryBytes(path) / count;
  row.openSeconds = seconds(() => UrlSet.open(path, {}, engine).close());
  rmSync(path, { recursive: true });
  return row;
}

function measureBloom(engine, count, blocked) {
  const filter = BloomFilter.forCount(count, 0.001, { blocked }, engine);
  const row = { name: blocked ? 'BloomFilter, blocked' : 'BloomFilter', engine: engine.backend, count };
  row.addsPerSecond = fill((batch) => filter.addBatch(batch), count);
  row.seenTestsPerSecond = testRate((batch) => filter.hasBatch(batch), count, true);
  row.newTestsPerSecond = testRate((batch) => filter.hasBatch(batch), count, false);
  row.bitsPerItem = filter.bits / count;
  let wrong = 0;
  for (let i = 0; i < 32; i++) {
    for (const found of filter.hasBatch(batchOf(2 ** 41 + i * BATCH, 1))) wrong += found;
  }
  row.measuredRate = wrong / (32 * BATCH);
  filter.close();
  return row;
}

function measureNormalize() {
  const file = new URL('../test/vectors/urls/wpt-urltestdata.json', import.meta.url);
  const urls = JSON.parse(readFileSync(file, 'utf8'))
    .filter((vector) => vector.href?.startsWith('http') && URL.canParse(vector.href))
    .map((vector) => vector.href);
  return ['safe', 'crawl', 'aggressive'].map((policy) => {
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      times.push(
        seconds(() => {
          for (let i = 0; i < 200_000; i++) normalizeUrl(urls[i % urls.length], policy);
        }),
      );
    }
    return { name: `normalizeUrl, ${policy}`, urlsPerSecond: 200_000 / median(times) };
  });
}

const file = new URL('./results/urls.json', import.meta.url);
const rows = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).rows : [];

function report(row) {
  row.load = loadavg()[0];
  row.date = new Date().toISOString().slice(0, 10);
  const isSame = (old) => old.name === row.name && old.engine === row.engine && old.count === row.count;
  const at = rows.findIndex(isSame);
  if (at < 0) rows.push(row);
  else rows[at] = row;
  console.log(JSON.stringify(row, (_, v) => (typeof v === 'number' ? Number(v.toPrecision(3)) : v)));
  writeFileSync(file, `${JSON.stringify({ machine: machineLine(), rows }, null, 2)}\n`);
}

if (parts.includes('normalize')) measureNormalize().forEach(report);
for (const count of counts) {
  for (const engine of count <= 1e7 ? [nativeEngine, tsEngine] : [nativeEngine]) {
    if (parts.includes('set')) report(measureSet(engine, count));
    if (parts.includes('bloom'))
      for (const blocked of [false, true]) report(measureBloom(engine, count, blocked));
    if (parts.includes('directory')) report(measureDirectory(engine, count));
  }
}
rmSync(folder, { recursive: true });
