// Takes locks of directories as the first argument says, as another process or worker beside the test. Runs the built
// package; the engine is that of NEARDUP_BACKEND.
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { currentEngine } from '../../dist/backend.mjs';
import { lockDirectory } from '../../dist/storage/directory-lock.mjs';

const engine = currentEngine();

/** Takes the lock and keeps it. */
function hold(path) {
  lockDirectory(path, engine);
  setInterval(() => {}, 1e6);
}

/** Tells whether the lock can be had. */
function attempt(path) {
  try {
    lockDirectory(path, engine).release();
    return 'taken';
  } catch (error) {
    return `${error.code} ${error.message}`;
  }
}

/** Is killed just before call number `at` of the file system that has to do with a lock; ends by itself without one. */
function crash(path, at) {
  let calls = 0;
  for (const [name, original] of Object.entries(fs)) {
    if (!name.endsWith('Sync')) continue;
    fs[name] = (...args) => {
      if (args.some((arg) => String(arg).includes('LOCK')) && calls++ === at)
        process.kill(process.pid, 'SIGKILL');
      return original.apply(fs, args);
    };
  }
  const lock = lockDirectory(path, engine);
  lock.release();
}

/** Each line is a moment and a path: tries once at that moment; the lock must then be its alone. */
async function race() {
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    const [moment, path] = line.split(' ');
    while (Date.now() < Number(moment));
    let outcome = 'refused';
    try {
      const lock = lockDirectory(path, engine);
      fs.writeFileSync(`${path}/holder`, '', { flag: 'wx' });
      for (const end = Date.now() + 2; Date.now() < end; );
      outcome = lock.isHeld() ? 'held' : 'lost';
      fs.rmSync(`${path}/holder`);
      lock.release();
    } catch (error) {
      if (error.code !== 'ERR_NEARDUP_LOCKED') outcome = error.message;
    }
    console.log(outcome);
  }
}

if (isMainThread) {
  const [kind, path, at] = process.argv.slice(2);
  if (kind === 'hold') {
    hold(path);
    console.log('held');
  } else if (kind === 'try') console.log(attempt(path));
  else if (kind === 'crash') crash(path, Number(at));
  else await race();
} else {
  hold(workerData);
  parentPort.postMessage('held');
}
