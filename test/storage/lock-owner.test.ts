/** What the text of a lock tells of its owner, on this system and on others. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { lockDirectory } from '../../lib/storage/directory-lock.ts';
import { lockedText, ownerState, ownerText, processOf, wordOf } from '../../lib/storage/lock-owner.ts';
import { tsEngine } from '../../lib/ts/engine.ts';
import { engines, nativeEngine } from '../engines.ts';
import { attempt, deadText, locksIn, place } from './lock-directories.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const NFS = 0x6969;
const own = ownerText();
const [, , , , boot = '', namespace = ''] = own.split(' ');
/** A lock of this thread, as a system of another boot or namespace would have written it. */
const elsewhere = (otherBoot: string, otherNamespace: string) =>
  [...own.split(' ').slice(0, 4), otherBoot, otherNamespace].join(' ');
const onNetwork = () => vi.spyOn(fs, 'statfsSync').mockReturnValue({ type: NFS } as fs.StatsFs);
const notAsked = () => {
  throw new Error('the system is asked');
};
const stateOf = (text: string, isLocked: () => boolean | undefined = notAsked) =>
  ownerState(text, place(), isLocked);

test('what a lock says: six words and, where the system has the file locked, a seventh', () => {
  expect(own).toMatch(/^\d+ \d+\/task\/\d+ \d+ [0-9a-f]{16} [0-9a-f-]{36} \d+$/);
  expect(ownerText()).not.toBe(own);
  expect(processOf(own)).toBe(String(process.pid));
  expect(wordOf(lockedText(own))).toBe(own.split(' ')[3]);
  for (const text of ['', '\0\0\0\0', 'x 1 2 abc', '0 0 0 abc', '12']) {
    expect([wordOf(text), stateOf(text)]).toEqual([undefined, 'gone']);
  }
  // A word is part of a file's name.
  expect(wordOf('12 12 1 ../a')).toBeUndefined();
});

test('by ids: of this boot and this namespace', () => {
  expect(stateOf(own)).toBe('alive');
  expect(stateOf(deadText('a', boot, namespace))).toBe('gone');
  expect(stateOf(own.replace(/^(\S+ \S+) \S+/, '$1 1'))).toBe('gone');
  expect(stateOf(elsewhere(boot, '1'))).toBe('container');
  expect(stateOf(elsewhere(boot, '-'))).toBe('container');
  expect(stateOf(deadText('a', boot, '1'))).toBe('container');
});

test('a lock of fewer words goes by ids', () => {
  const four = own.split(' ').slice(0, 4).join(' ');
  expect(stateOf(four)).toBe('alive');
  expect(stateOf(`${process.pid} ${process.pid}  abc`)).toBe('alive');
  expect(stateOf(deadText('a'))).toBe('gone');
});

test('another boot ended the process, where no other machine has the file system', () => {
  const other = elsewhere('00000000-0000-4000-8000-000000000000', namespace);
  expect(stateOf(other)).toBe('gone');
  expect(stateOf(elsewhere('-', namespace))).toBe('machine');
  onNetwork();
  expect(stateOf(other)).toBe('machine');
});

test('the system says whether a file is locked, and is believed where nobody else has locks of it', () => {
  const texts = [own, elsewhere(boot, '1'), elsewhere('-', '-'), deadText('a', boot, namespace)].map(
    lockedText,
  );
  for (const text of texts) {
    expect(stateOf(text, () => false)).toBe('gone');
    expect(stateOf(text, () => true)).toBe('alive');
  }
  expect(texts.map((text) => stateOf(text, () => undefined))).toEqual([
    'alive',
    'container',
    'machine',
    'gone',
  ]);
  onNetwork();
  expect(texts.map((text) => stateOf(text, () => false))).toEqual(['alive', 'container', 'machine', 'gone']);
  expect(stateOf(lockedText(elsewhere('b', namespace)), () => true)).toBe('alive');
});

test('a worker that ended is gone, also where its process has its files open still', () => {
  const ended = lockedText(own.replace(/task\/\d+/, 'task/4999999'));
  expect(stateOf(ended, () => true)).toBe('gone');
  const exists = fs.existsSync;
  vi.spyOn(fs, 'existsSync').mockImplementation((path) => path !== `/proc/${process.pid}` && exists(path));
  // The system hides the process.
  expect(stateOf(ended, () => true)).toBe('alive');
});

test('an id of the boot that a container was given is none', () => {
  const stat = fs.statSync;
  vi.spyOn(fs, 'statSync').mockImplementation(((path: string) =>
    path.endsWith('boot_id') ? { dev: -1 } : stat(path)) as typeof stat);
  expect(ownerText().split(' ')[4]).toBe('-');
  expect(stateOf(own)).toBe('machine');
});

test('where /proc has the processes of another namespace, only the process tells', () => {
  const read = fs.readFileSync;
  vi.spyOn(fs, 'readFileSync').mockImplementation(((path: string, options: 'utf8') =>
    path === '/proc/self/status' ? `NSpid:\t77\t${process.pid}\n` : read(path, options)) as typeof read);
  expect(ownerText()).toMatch(new RegExp(`^${process.pid} ${process.pid} - `));
  expect(stateOf(ownerText())).toBe('alive');
  expect(stateOf(own.replace(/^(\S+ \S+) \S+/, '$1 1'))).toBe('alive');
  expect(stateOf(deadText('a', boot, namespace))).toBe('gone');
});

test('the refusal names the machine and what to do', () => {
  onNetwork();
  const path = place({ LOCK: deadText('a', 'b', 'c') });
  expect(attempt(path, tsEngine)).toBe(
    `ERR_NEARDUP_LOCKED ${path} is open for writing in process 4999999 of another machine; if that is gone, remove ${path}/LOCK`,
  );
  expect(locksIn(path)).toEqual(['LOCK']);
});

test('the kept claim of a living contender is waited for, and then named', () => {
  const path = place({ LOCK: deadText('a'), 'LOCK.a': own });
  const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
  expect(attempt(path, tsEngine)).toMatch(
    `ERR_NEARDUP_LOCKED ${path} is open for writing in process ${process.pid}`,
  );
  expect(wait.mock.calls.length).toBeGreaterThan(10);
  // It goes away meanwhile.
  wait.mockImplementation(() => {
    fs.rmSync(`${path}/LOCK.a`);
    return 'timed-out';
  });
  expect(attempt(path, tsEngine)).toBe('taken');
});

test('a claim that names itself comes to an end', () => {
  vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
  const path = place({ LOCK: deadText('a'), 'LOCK.a': deadText('a') });
  expect(attempt(path, tsEngine)).toMatch('ERR_NEARDUP_LOCKED');
});

test('without locks of the system the text has no word of them', () => {
  const path = place();
  const lock = lockDirectory(path, { tryLockFile: () => undefined });
  expect(fs.readFileSync(`${path}/LOCK`, 'utf8').split(' ')).toHaveLength(6);
  for (const engine of engines) expect(attempt(path, engine)).toMatch('ERR_NEARDUP_LOCKED');
  lock.release();
  lock.release();
  expect(locksIn(path)).toEqual([]);
});

test.skipIf(nativeEngine === undefined)('native: what is no open file is not locked', () => {
  const { tryLockFile } = nativeEngine as Required<NonNullable<typeof nativeEngine>>;
  for (const file of [-1, Number.NaN, 'x', undefined, {}]) {
    expect(() => tryLockFile(file as number, true)).toThrow(/number of an open file/);
  }
  for (const file of [1e6, 2 ** 53]) expect(tryLockFile(file, false)).toBeUndefined();
});

test.skipIf(nativeEngine === undefined)('children do not inherit the lock', async () => {
  const engine = nativeEngine ?? tsEngine;
  const [path, other] = [place(), place()];
  const lock = lockDirectory(path, engine);
  // The same file, to be seen after it is closed here.
  fs.linkSync(`${path}/LOCK`, `${other}/LOCK`);
  expect(attempt(other, engine)).toMatch('ERR_NEARDUP_LOCKED');
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  lock.release();
  expect(attempt(other, engine)).toBe('taken');
  child.kill();
});
