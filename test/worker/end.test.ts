/**
 * The end of a worker, or of the process, while other threads hash texts and merge and search an index for it, which
 * is never closed. Uses the built package.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { loadAddon } from '../../lib/native/loader.ts';

const { path } = loadAddon();

/** start() keeps many jobs of the addon under way. */
const common = `
  const addon = () => require(${JSON.stringify(`${process.cwd()}/${path}`)});
  function start() {
    const makeError = (code, message) => Object.assign(new Error(message), { code });
    const engine = addon().createEngine(makeError, undefined);
    const fingerprinter = engine.createFingerprinter({ unit: 'words', min: 1, max: 2, weight: 'log' });
    const texts = Array.from({ length: 50 }, (_, i) => ('text ' + i + ' words ').repeat(3000));
    const next = () => engine.fingerprintBatchAsync([fingerprinter], texts).result.then(next);
    for (let i = 0; i < 6; i++) next();
    const index = engine.createIndex({ maxDistance: 3, headEntries: 2000 });
    const fingerprints = BigUint64Array.from({ length: 60000 }, (_, i) => BigInt(i) * 0x9e3779b97f4a7c15n % 2n ** 64n);
    const ids = Float64Array.from(fingerprints.keys());
    for (let i = 0; i < 60000; i += 500) {
      index.addBatch({ fingerprints: fingerprints.slice(i, i + 500), ids: ids.slice(i, i + 500) });
    }
    const pairs = index.pairs({ distance: 3, limit: Infinity });
    const more = () => index.queryBatchAsync({ fingerprints }, { distance: 6, limit: 9 }).result.then(more).catch(() => {});
    more();
    pairs.next();
    index.compact();
    index.addBatchAsync({ fingerprints, ids });
    if (Math.random() < 0.3) index.close();
  }`;

/** Runs a script in a fresh process; work(then) in it starts a worker that has work under way. */
function run(script: string): {
  status: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
} {
  const work = `
    const { Worker } = require('node:worker_threads');
    const work = (then) => new Worker(${JSON.stringify(common)} + ';start();' + then, { eval: true });`;
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', `${common}${work}${script}`],
    {
      encoding: 'utf8',
    },
  );
  return { status, signal, stdout, stderr };
}

const quiet = { status: 0, signal: null, stderr: '' };

// Without the addon in the main thread the last worker's end unloads it.
test.skipIf(path === undefined).each([true, false])(
  'workers are terminated in the middle of their work (addon in the main thread: %s)',
  (loaded) => {
    const result = run(`
      if (${loaded}) addon();
      const ready = 'require("node:worker_threads").parentPort.postMessage(0)';
      (async () => {
        for (let round = 0; round < 8; round++) {
          const workers = [work(ready), work(ready)];
          await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
          await new Promise((resolve) => setTimeout(resolve, 5 * round));
          await Promise.all(workers.map((worker) => worker.terminate()));
        }
        console.log('ended');
      })();`);
    expect(result).toEqual({ ...quiet, stdout: 'ended\n' });
  },
);

test.skipIf(path === undefined).each(['process.exit(0)', 'process.kill(process.pid, "SIGTERM")'])(
  'the process ends in the middle of its work: %s',
  (end) => {
    const { status, signal, stderr } = run(`start(); setTimeout(() => { ${end}; }, 20);`);
    expect(stderr).toBe('');
    expect([status, signal]).toEqual(end.includes('exit') ? [0, null] : [null, 'SIGTERM']);
  },
);

test.skipIf(path === undefined)('the process ends by itself with an index that was not closed', () => {
  const result = run(`
    const engine = addon().createEngine((code, message) => new Error(message), undefined);
    const index = engine.createIndex({ maxDistance: 3 });
    const fingerprints = new BigUint64Array(200000);
    const ids = Float64Array.from(fingerprints.keys());
    for (let i = 0; i < 200000; i += 20000) {
      index.addBatch({ fingerprints: fingerprints.subarray(i, i + 20000), ids: ids.subarray(i, i + 20000) });
    }
    console.log(index.size);`);
  expect(result).toEqual({ ...quiet, stdout: '200000\n' });
});

test.skipIf(path === undefined)('a worker that ends by itself takes its work with it', () => {
  const result = run(`
    work('setTimeout(() => process.exit(0), 10)').once('exit', (code) => console.log('exit', code));`);
  expect(result).toEqual({ ...quiet, stdout: 'exit 0\n' });
});
