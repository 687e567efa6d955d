/**
 * Contenders for one lock in every order that one can come in between the calls of another: there is never more than one
 * holder, and a lock that nobody holds can be had.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { type DirectoryLock, lockDirectory } from '../../lib/storage/directory-lock.ts';
import { engines } from '../engines.ts';
import { interceptFs, systemError } from './intercepted-fs.ts';
import { attempt, deadLockedText, deadText, locksIn, place } from './lock-directories.ts';

let restore = () => {};
beforeEach(() => {
  // A contender that has to wait for one that cannot go on gives up.
  vi.spyOn(Atomics, 'wait').mockImplementation(() => {
    throw Object.assign(new Error('has to wait'), { code: 'ERR_NEARDUP_LOCKED' });
  });
});
afterEach(() => {
  restore();
  restore = () => {};
  vi.restoreAllMocks();
});

/** A contender: at which of its calls the next one comes in, and whether it keeps the lock. */
interface Part {
  readonly at: number;
  readonly keeps: boolean;
}

/** Runs contenders one within the other, or all within the first; gives how many calls each made. */
function run(path: string, engine: Engine, parts: readonly Part[], isNested: boolean): number[] {
  const calls = parts.map(() => 0);
  const held = new Set<DirectoryLock>();
  let started = 0;
  const stack: number[] = [];
  const contend = () => {
    const number = started++;
    const { keeps } = parts[number] as Part;
    stack.push(number);
    try {
      const lock = lockDirectory(path, engine);
      expect(held.size, JSON.stringify([parts, isNested, number])).toBe(0);
      held.add(lock);
      if (keeps) return;
      // From some call of it on another one may have the lock.
      held.delete(lock);
      lock.release();
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_NEARDUP_LOCKED') throw error;
    } finally {
      stack.pop();
    }
  };
  restore = interceptFs((_, args, call) => {
    const number = stack.at(-1);
    if (number !== undefined && !String(args[0]).startsWith('/proc')) {
      const at = (calls[number] as number)++;
      const isNext = started < parts.length && (isNested ? number === started - 1 : number === 0);
      if (isNext && at === (parts[isNested ? number : started - 1] as Part).at) contend();
    }
    return call(...args);
  });
  contend();
  restore();
  for (const lock of held) expect(lock.isHeld()).toBe(true);
  if (held.size === 1) expect(attempt(path, engine)).toMatch(/^ERR_NEARDUP_LOCKED/);
  for (const lock of held) lock.release();
  expect(attempt(path, engine)).toBe('taken');
  return calls;
}

/** What is there, and how many contend for it. */
const states: readonly [string, Record<string, string>, number][] = [
  ['nothing there', {}, 3],
  ['the lock of a dead process', { LOCK: deadLockedText('a') }, 3],
  ['a claim of another dead one', { LOCK: deadText('a'), 'LOCK.a': deadText('b') }, 3],
  ['a claim on a claim', { LOCK: deadText('a'), 'LOCK.a': deadText('b'), 'LOCK.b': deadText('c') }, 2],
  ['files emptied by a loss of power', { LOCK: '', 'LOCK.0': '' }, 3],
];

test.each(engines.flatMap((engine) => states.map((state) => [engine.backend, ...state, engine] as const)))(
  '%s, %s: every order',
  (_, __, files, contenders, engine) => {
    let most = 0;
    for (const keeps of [true, false]) {
      for (const isNested of [true, false]) {
        for (let i = 0, calls = 1; i < calls; i++) {
          for (let j = isNested ? 0 : i, inner = j + 1; j < inner; j++) {
            const path = place(files);
            const last = { at: -1, keeps: true };
            const parts =
              contenders === 2 ? [{ at: i, keeps }, last] : [{ at: i, keeps }, { at: j, keeps }, last];
            const made = run(path, engine, parts, isNested);
            calls = made[0] as number;
            if (contenders === 3) inner = made[isNested ? 1 : 0] as number;
            expect(locksIn(path)).toEqual([]);
            most = Math.max(most, calls);
          }
        }
      }
    }
    expect(most).toBeGreaterThan(5);
  },
);

test.each(engines)('$backend: a claim that cannot be removed is no lock', (engine) => {
  const path = place({ LOCK: deadText('a') });
  restore = interceptFs((name, args, call) => {
    if (name === 'rmSync' && String(args[0]).endsWith('LOCK.a')) throw systemError('EIO', name);
    return call(...args);
  });
  expect(() => lockDirectory(path, engine)).toThrow('EIO');
  expect(locksIn(path)).toEqual(['LOCK.a']);
  // It is in nobody's way, and stays while it cannot be removed.
  expect(attempt(path, engine)).toBe('taken');
  restore();
  expect(attempt(path, engine)).toBe('taken');
  expect(locksIn(path)).toEqual([]);
});

test.each(engines)('$backend: a lock that could not be removed is taken over', (engine) => {
  const path = place();
  const lock = lockDirectory(path, engine);
  restore = interceptFs((name, args, call) => {
    if (name === 'rmSync' && String(args[0]).endsWith('LOCK')) throw systemError('EIO', name);
    return call(...args);
  });
  lock.release();
  expect(() => lockDirectory(path, engine)).toThrow('EIO');
  expect(locksIn(path)).toEqual(['LOCK']);
  restore();
  expect(attempt(path, engine)).toBe('taken');
  expect(locksIn(path)).toEqual([]);
});
