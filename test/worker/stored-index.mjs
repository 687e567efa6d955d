// Workers that open, read, change and close indexes on disk, and are ended in the middle of it, several rounds; prints
// "ended". With a second argument, how the process ends while all of it goes on. Uses the built package.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { HammingIndex } from '../../dist/index.mjs';

const COUNT = 150_000;
const ROUNDS = 6;

function batch(from, count) {
  const fingerprints = BigUint64Array.from({ length: count }, (_, i) =>
    BigInt.asUintN(64, BigInt(from + i) * 0x9e3779b97f4a7c15n),
  );
  return { fingerprints, ids: Float64Array.from({ length: count }, (_, i) => from + i) };
}

/** Opens, asks, closes, again and again. */
async function read({ path }) {
  const { fingerprints } = batch(0, 2000);
  for (let round = 0; ; round++) {
    const index = await HammingIndex.open(path, { readOnly: true });
    const { ids } = index.queryBatch(fingerprints);
    if (ids.length < 2000) throw new Error(`${ids.length} matches`);
    const asked = index.queryBatchAsync(fingerprints);
    await index.refresh();
    if (round % 3 > 0) await asked;
    else asked.catch(() => {});
    index.close();
    if (round === 1) parentPort.postMessage('ready');
  }
}

/** Adds, removes and writes, with much under way at any time. */
async function write({ path }) {
  const index = await HammingIndex.open(path, { create: true, checkpointBytes: 200_000, sync: 'interval' });
  const { fingerprints, ids } = batch(1e6, 5000);
  for (let round = 0; ; round++) {
    const more = batch(2e6 + 1000 * round, 1000);
    index.addBatch(more.fingerprints, more.ids);
    const added = index.addBatchAsync(fingerprints, ids);
    const written = index.checkpoint();
    index.compact().catch(() => {});
    await added;
    index.removeBatch(fingerprints, ids);
    if (round % 4 === 0) await written;
    else written.catch(() => {});
    if (round === 3) parentPort.postMessage('ready');
  }
}

async function checkWhole(index) {
  const [problem] = await index.verify();
  if (problem !== undefined) throw new Error(`${problem.file}: ${problem.section}: ${problem.message}`);
}

function start(kind, path) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { kind, path } });
  return new Promise((resolve, reject) => {
    worker.once('message', () => resolve(worker));
    worker.once('error', reject);
  });
}

async function main([folder, end]) {
  mkdirSync(folder, { recursive: true });
  const shared = join(folder, 'shared');
  const index = await HammingIndex.open(shared, { create: true, checkpointBytes: 1_000_000 });
  const { fingerprints, ids } = batch(0, COUNT);
  await index.load([{ fingerprints, ids }]);
  for (let round = 0; round < ROUNDS; round++) {
    const kinds = ['read', 'read', 'write'];
    const starts = kinds.map((kind, i) =>
      start(kind, kind === 'read' ? shared : join(folder, `${round}-${i}`)),
    );
    const more = batch(1e7 + 20_000 * round, 20_000);
    index.addBatch(more.fingerprints, more.ids);
    const workers = await Promise.all(starts);
    await index.checkpoint();
    await setTimeout(7 * round);
    if (end === 'exit') process.exit(0);
    if (end !== undefined) process.kill(process.pid, end);
    await Promise.all(workers.map((worker) => worker.terminate()));
    // What a worker held is open to others when it is gone.
    const left = await HammingIndex.open(join(folder, `${round}-2`));
    await checkWhole(left);
    left.close();
  }
  await checkWhole(index);
  index.close();
  console.log('ended');
}

if (isMainThread) await main(process.argv.slice(2));
else await (workerData.kind === 'read' ? read(workerData) : write(workerData));
