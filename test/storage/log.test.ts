/** Logs by themselves: checksums, layout, sharing of syncs. */
import fs, { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import type { EntryBatch } from '../../lib/engine.ts';
import { crc32 } from '../../lib/storage/crc32.ts';
import { ADD, REMOVE } from '../../lib/storage/log-format.ts';
import { LogReader } from '../../lib/storage/log-reader.ts';
import { LogWriter } from '../../lib/storage/log-writer.ts';
import { replay } from '../../lib/storage/replay.ts';
import { doNow } from '../../lib/storage/steps.ts';
import { place, withCode } from './directories.ts';

const ALL = { time: true, tag: true, second: true };
const identity = { index: '0123456789abcdef0123456789abcdef', number: 7, columns: ALL };

afterEach(() => {
  vi.restoreAllMocks();
});

function makeLog(): { log: LogWriter; path: string } {
  const directory = place();
  mkdirSync(directory);
  return { log: LogWriter.create(directory, identity), path: join(directory, 'log-7') };
}

function entries(...ids: number[]): EntryBatch {
  return {
    fingerprints: BigUint64Array.from(ids, (id) => BigInt(id) * 3n),
    ids: Float64Array.from(ids),
    times: Float64Array.from(ids, (id) => 2 ** 53 - 1 - id),
    tags: Uint32Array.from(ids, (id) => 2 ** 32 - 1 - id),
    secondFingerprints: BigUint64Array.from(ids, (id) => 2n ** 64n - 1n - BigInt(id)),
  };
}

/** What replay does, in words. */
function replayed(path: string): string[] {
  const log = new LogReader(path);
  const done: string[] = [];
  doNow(
    replay(log, {
      addBatch: ({ fingerprints, ids, times, tags, secondFingerprints }) =>
        void ids.forEach((id, i) => {
          done.push(`add ${[fingerprints[i], id, times?.[i], tags?.[i], secondFingerprints?.[i]].join()}`);
        }),
      removeBatch: (fingerprints, ids) => {
        ids.forEach((id, i) => void done.push(`remove ${fingerprints[i]},${id}`));
        return ids;
      },
      removeBefore: (time) => done.push(`before ${time}`),
    }),
  );
  log.close();
  return done;
}

test('CRC-32 is that of zlib, of any part and from any seed', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 600 }),
      fc.nat(),
      fc.nat(),
      fc.nat(0xffff_ffff),
      (bytes, a, b, seed) => {
        const [start, end] = [a % (bytes.length + 1), b % (bytes.length + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ];
        // Of nothing zlib's function gives 0.
        const expected = start === end ? seed : zlibCrc32(bytes.subarray(start, end), seed);
        expect(crc32(bytes, start, end, seed)).toBe(expected);
      },
    ),
  );
});

test('the bytes of a log are those of docs/format.md', () => {
  const { log, path } = makeLog();
  log.append(ADD, entries(1));
  log.appendRemoveBefore(2 ** 40 + 3);
  log.close();
  const bytes = readFileSync(path);
  expect(bytes.toString('latin1', 0, 8)).toBe('NEARDUPL');
  expect([bytes.readUInt32LE(8), bytes.readUInt32LE(12)]).toEqual([1, 0x01020304]);
  expect(bytes.toString('hex', 16, 32)).toBe(identity.index);
  expect([bytes.readBigUInt64LE(32), bytes.readUInt32LE(40)]).toEqual([7n, 7]);
  const salt = bytes.readUInt32LE(60);
  expect(salt).toBe(zlibCrc32(bytes.subarray(0, 60)));
  const seed = (salt + 8) >>> 0;
  expect(bytes.readUInt32LE(64)).toBe(5 + 2 ** 28);
  expect(bytes.readUInt32LE(68)).toBe(zlibCrc32(bytes.subarray(64, 68), seed));
  expect([0, 1, 2, 3].map((i) => bytes.readBigUInt64LE(72 + 8 * i))).toEqual([
    3n,
    1n,
    2n ** 53n - 2n,
    2n ** 64n - 2n,
  ]);
  expect([bytes.readUInt32LE(104), bytes.readUInt32LE(108)]).toEqual([2 ** 32 - 2, 0]);
  expect(bytes.readUInt32LE(112)).toBe(zlibCrc32(bytes.subarray(72, 112), seed));
  expect(bytes.toString('latin1', 116, 120)).toBe('RDNE');
  expect(bytes.readUInt32LE(120)).toBe(1 + 3 * 2 ** 28);
  expect(bytes.readBigUInt64LE(128)).toBe(2n ** 40n + 3n);
  expect(bytes.length).toBe(144);
});

test('what was appended is done again, in order, in whatever batches', () => {
  const add = (id: number) =>
    `add ${[BigInt(id) * 3n, id, 2 ** 53 - 1 - id, 2 ** 32 - 1 - id, 2n ** 64n - 1n - BigInt(id)].join()}`;
  const change = fc.oneof(
    fc.array(fc.nat(1e6), { minLength: 1, maxLength: 9 }).map((ids) => ({ kind: 'add' as const, ids })),
    fc.array(fc.nat(1e6), { minLength: 1, maxLength: 9 }).map((ids) => ({ kind: 'remove' as const, ids })),
    fc.nat(1e6).map((id) => ({ kind: 'before' as const, ids: [id] })),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const { log, path } = makeLog();
      for (const { kind, ids } of changes) {
        if (kind === 'before') log.appendRemoveBefore(ids[0] as number);
        else log.append(kind === 'add' ? ADD : REMOVE, entries(...ids));
      }
      log.close();
      const words = {
        add,
        remove: (id: number) => `remove ${id * 3},${id}`,
        before: (id: number) => `before ${id}`,
      };
      expect(replayed(path)).toEqual(changes.flatMap(({ kind, ids }) => ids.map(words[kind])));
    }),
    { numRuns: 60 },
  );
});

test('a number that no index has is corrupt, also with right checksums', () => {
  for (const wrong of [2 ** 53, 2 ** 60]) {
    const { log, path } = makeLog();
    log.append(REMOVE, { fingerprints: BigUint64Array.of(1n), ids: Float64Array.of(wrong) });
    log.close();
    expect(() => replayed(path)).toThrow(withCode('ERR_NEARDUP_CORRUPT'));
  }
});

test('a log is known by its header, and records by the log they were written to', () => {
  const { log, path } = makeLog();
  log.append(ADD, entries(1, 2));
  log.close();
  const reader = new LogReader(path);
  reader.expect(identity);
  for (const other of [{ number: 8 }, { index: 'f'.repeat(32) }, { columns: { ...ALL, tag: false } }]) {
    expect(() => reader.expect({ ...identity, ...other })).toThrow(withCode('ERR_NEARDUP_CORRUPT'));
  }
  reader.close();
  const directory = place();
  mkdirSync(directory);
  LogWriter.create(directory, { ...identity, number: 8 }).close();
  const other = join(directory, 'log-8');
  writeFileSync(other, Buffer.concat([readFileSync(other), readFileSync(path).subarray(64)]));
  expect(() => replayed(other)).toThrow(withCode('ERR_NEARDUP_CORRUPT'));
});

test('syncs are shared, and one that began before a record does not count for it', async () => {
  const { log } = makeLog();
  const ends: ((error: NodeJS.ErrnoException | null) => void)[] = [];
  vi.spyOn(fs, 'fdatasync').mockImplementation((_file, done) => void ends.push(done));
  const done: string[] = [];
  log.append(ADD, entries(1));
  const first = log.sync().then(() => done.push('first'));
  log.append(ADD, entries(2));
  const others = ['second', 'third'].map((name) => log.sync().then(() => done.push(name)));
  expect(ends).toHaveLength(1);
  ends[0]?.(null);
  await first;
  expect(done).toEqual(['first']);
  while (ends.length < 2) await new Promise(setImmediate);
  expect(ends).toHaveLength(2);
  // Closed while it is under way: the file is closed at its end.
  const close = vi.spyOn(fs, 'closeSync');
  log.close();
  expect(close).not.toHaveBeenCalled();
  ends[1]?.(null);
  await Promise.all(others);
  expect([done, close.mock.calls.length]).toEqual([['first', 'second', 'third'], 1]);
});
