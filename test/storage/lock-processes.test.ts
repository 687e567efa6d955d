/** Locks among processes, workers and containers: the living keep theirs, and those of the dead are taken over. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { engines } from '../engines.ts';
import {
  attempt,
  deadLockedText,
  deadText,
  environment,
  locksIn,
  pairs,
  place,
  script,
  start,
} from './lock-directories.ts';

test.each(pairs)(
  'held by %s, wanted by %s: a living process keeps it, also a stopped one',
  async (holder, _, engine) => {
    const path = place();
    const { child, pid, end } = await start(holder, ['hold', path]);
    const refused = `ERR_NEARDUP_LOCKED ${path} is open for writing in process ${pid}; close it there, or open it read-only`;
    expect(attempt(path, engine)).toBe(refused);
    child.kill('SIGSTOP');
    expect(attempt(path, engine)).toBe(refused);
    await end();
    expect(attempt(path, engine)).toBe('taken');
    expect(locksIn(path)).toEqual([]);
  },
);

test.each(pairs)(
  'held by %s, wanted by %s: a worker keeps it until it is terminated',
  async (holder, _, engine) => {
    for (const trackUnmanagedFds of [true, false]) {
      const path = place();
      const worker = new Worker(script, { workerData: path, env: environment(holder), trackUnmanagedFds });
      await once(worker, 'message');
      expect(attempt(path, engine)).toMatch(
        `ERR_NEARDUP_LOCKED ${path} is open for writing in process ${process.pid}`,
      );
      await worker.terminate();
      expect(attempt(path, engine)).toBe('taken');
      expect(locksIn(path)).toEqual([]);
    }
  },
);

test.each(pairs)('%s is killed at each call, %s takes the lock, and nothing is left', (killed, _, engine) => {
  for (const files of [{}, { LOCK: deadText('a'), 'LOCK.a': deadText('b') }]) {
    let kills = 0;
    for (let at = 0; ; at++) {
      const path = place(files);
      const args = [script, 'crash', path, String(at)];
      const { signal, status, stderr } = spawnSync(process.execPath, args, {
        env: environment(killed),
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(attempt(path, engine), `${at}`).toBe('taken');
      // A file that has no text yet may be that of a living contender.
      const left = locksIn(path).filter((name) => fs.statSync(join(path, name)).size > 0);
      expect(left).toEqual([]);
      if (signal === 'SIGKILL') kills++;
      else {
        expect(status).toBe(0);
        break;
      }
    }
    expect(kills).toBeGreaterThan(5);
  }
});

test('eight processes at one moment, round after round: never two holders', async () => {
  const backends = Array.from(
    { length: 8 },
    (_, i) => (engines[i % engines.length] as (typeof engines)[0]).backend,
  );
  const racers = await Promise.all(backends.map((backend) => start(backend, ['race'])));
  const states = [
    { LOCK: deadLockedText('a') },
    { LOCK: deadText('a'), 'LOCK.a': deadText('b') },
    { LOCK: '' },
    {},
  ];
  for (let round = 0; round < 120; round++) {
    const path = place(states[round % states.length]);
    const moment = Date.now() + 10;
    for (const { child } of racers) child.stdin.write(`${moment} ${path}\n`);
    const outcomes = await Promise.all(racers.map(({ next }) => next()));
    expect(outcomes.filter((outcome) => outcome !== 'refused' && outcome !== 'held')).toEqual([]);
    expect(outcomes).toContain('held');
    expect(locksIn(path)).toEqual([]);
  }
});

const container = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'];
const canIsolate = spawnSync('unshare', [...container.slice(1), 'true']).status === 0;
if (!canIsolate) console.warn('locks between containers are not tested: unshare --pid is not permitted here');

test.skipIf(!canIsolate).each(pairs)(
  'held by %s in a container, wanted by %s',
  async (holder, backend, engine) => {
    const path = place();
    const { end } = await start(holder, ['hold', path], container);
    const byKernel = holder === 'native' && backend === 'native';
    const alive = byKernel
      ? '1; close it there, or open it read-only'
      : `1 of another container; if that is gone, remove ${path}/LOCK`;
    const refused = `ERR_NEARDUP_LOCKED ${path} is open for writing in process ${alive}`;
    expect(attempt(path, engine)).toBe(refused);
    // From another container, with the same ids.
    const args = [...container.slice(1), process.execPath, script, 'try', path];
    const there = () =>
      spawnSync('unshare', args, { env: environment(backend), encoding: 'utf8' }).stdout.trim();
    expect(there()).toBe(refused);
    await end();
    // The kernel says so; ids would not.
    if (!byKernel) expect([attempt(path, engine), there()]).toEqual([refused, refused]);
    else {
      fs.cpSync(join(path, 'LOCK'), join(path, 'kept'));
      expect(there()).toBe('taken');
      fs.cpSync(join(path, 'kept'), join(path, 'LOCK'));
      expect(attempt(path, engine)).toBe('taken');
    }
  },
);
