/** The end of a worker, or of the process, while other threads hash texts for it. Uses the built package. */
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

test.skipIf(path === undefined)('a worker that ends by itself takes its work with it', () => {
  const result = run(`
    work('setTimeout(() => process.exit(0), 10)').once('exit', (code) => console.log('exit', code));`);
  expect(result).toEqual({ ...quiet, stdout: 'exit 0\n' });
});
