/** Segments of layout 1: what is written is read again, and nothing else is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EngineIndex, IndexColumns, SegmentPayload } from '../../../lib/engine.ts';
import { NeardupError } from '../../../lib/errors.ts';
import { tsEngine } from '../../../lib/ts/engine.ts';
import { checkWhole } from '../../engines.ts';
import {
  ALL_COLUMNS,
  batchesOf,
  batchOf,
  type Entry,
  entriesIn,
  entriesOf,
  fillIn,
  NO_COLUMNS,
  oracleOf,
  sortedEntries,
} from '../../index/entries.ts';
import { bytesOf, payloadOf, payloadsOf, withWords, wordOf } from './payloads.ts';

const COLUMN_SETS: IndexColumns[] = Array.from({ length: 8 }, (_, bits) => ({
  time: (bits & 1) !== 0,
  tag: (bits & 2) !== 0,
  second: (bits & 4) !== 0,
}));

const open = (columns: IndexColumns) => tsEngine.createIndex({ maxDistance: 3, columns, headEntries: 64 });

const listed = async (index: EngineIndex): Promise<Entry[]> => entriesIn(await batchesOf(index.entries()));

/** What an index with the columns holds of the entries. */
const expected = (entries: readonly Entry[], columns: IndexColumns) =>
  sortedEntries(oracleOf(entries, columns));

/** All that is held as one payload. */
async function payloadFor(entries: readonly Entry[], columns: IndexColumns): Promise<Uint8Array> {
  const index = open(columns);
  index.addBatch(batchOf(entries, columns));
  await index.compact().result;
  const checkpoint = index.checkpoint();
  expect(checkpoint.parts.length).toBe(1);
  return bytesOf(checkpoint.parts[0] as never);
}

/** Opens in a new index: the entries, or undefined where the payload was refused. */
async function tryOpen(file: SegmentPayload, columns: IndexColumns): Promise<Entry[] | undefined> {
  const index = open(columns);
  const checked = refusal(() => checkWhole(tsEngine, file, columns));
  const opened = refusal(() => index.openSegment(file));
  expect(opened?.message).toBe(checked?.message);
  if (opened === undefined) return listed(index);
  expect(opened.message).toContain(file.path);
  expect(index.size).toBe(0);
  return undefined;
}

/** The ERR_NEARDUP_CORRUPT that a call throws. */
function refusal(call: () => void): NeardupError | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof NeardupError && error.code === 'ERR_NEARDUP_CORRUPT') return error;
    throw error;
  }
}

describe('a checkpoint', () => {
  test.each(COLUMN_SETS)('is read again with columns %o', async (columns) => {
    const entries = entriesOf('planted', 3000);
    const index = open(columns);
    fillIn(index, entries, columns);
    const removed = entries.slice(100, 130);
    const { fingerprints, ids } = batchOf(removed);
    index.removeBatch(fingerprints, ids);
    const checkpoint = index.checkpoint();
    const kept = await listed(index);
    // What comes later is no part of it.
    index.addBatch(batchOf(entriesOf('templates with 0..6 flips', 200, 9), columns));
    index.removeBatch(
      BigUint64Array.from(kept, (e) => e.fingerprint),
      Float64Array.from(kept, (e) => e.id),
    );
    expect(checkpoint.parts.length).toBeGreaterThan(1);
    expect(checkpoint.parts.reduce((sum, part) => sum + part.entries, 0)).toBe(kept.length);
    const other = open(columns);
    for (const { file } of payloadsOf(checkpoint)) {
      checkWhole(tsEngine, file, columns);
      other.openSegment(file);
    }
    expect(await listed(other)).toEqual(kept);
    const queries = BigUint64Array.from(entries, ({ fingerprint }) => fingerprint);
    const search = { distance: 3, limit: 5 };
    const whole = open(columns);
    whole.addBatch(batchOf(kept, columns));
    expect(other.queryBatch({ fingerprints: queries }, search)).toEqual(
      whole.queryBatch({ fingerprints: queries }, search),
    );
  });

  test('is written in steps, whatever pieces it is read in', async () => {
    const index = open(ALL_COLUMNS);
    index.addBatch(batchOf(entriesOf('planted', 700)));
    const [part] = index.checkpoint().parts;
    let steps = 0;
    for (const step of part?.prepare?.() ?? []) {
      expect(step).toBeUndefined();
      steps++;
    }
    expect(steps).toBeGreaterThan(0);
    const bytes = bytesOf(part as never, 1 << 20);
    for (const piece of [1, 7, 64, 4097]) expect(bytesOf(part as never, piece)).toEqual(bytes);
  });

  test('gives its memory back when it is closed', () => {
    const index = open(NO_COLUMNS);
    index.addBatch(batchOf(entriesOf('planted', 100), NO_COLUMNS));
    const checkpoint = index.checkpoint();
    checkpoint.close();
    expect(() => checkpoint.parts[0]?.length()).toThrow(/closed/);
  });

  test('takes what the format says', async () => {
    const entries = [
      { fingerprint: 2n, id: 5, time: 7, tag: 1, second: 9n },
      { fingerprint: 1n, id: 2 ** 53 - 1, time: 2 ** 40, tag: 2 ** 32 - 1, second: 2n ** 64n - 1n },
    ];
    const bytes = await payloadFor(entries, ALL_COLUMNS);
    const words = Array.from({ length: bytes.length / 8 }, (_, i) => wordOf(bytes, i));
    expect(words.slice(0, 10)).toEqual([1n, 2n, 7n, BigInt(bytes.length), 10n, 128n, 192n, 256n, 320n, 384n]);
    expect(words.slice(16, 18)).toEqual([1n, 2n]);
    expect(words.slice(24, 26)).toEqual([2n ** 53n - 1n, 5n]);
    expect(words.slice(32, 34)).toEqual([2n ** 40n, 7n]);
    expect(words[40]).toBe(2n ** 32n - 1n + (1n << 32n));
    expect(words.slice(48)).toEqual([2n ** 64n - 1n, 9n]);
  });
});

describe('a segment keeps the name of its file', () => {
  const entries = entriesOf('planted', 500);

  test('while nothing of it is removed', async () => {
    const index = open(ALL_COLUMNS);
    index.openSegment(payloadOf(await payloadFor(entries, ALL_COLUMNS), 'segment-7'));
    const names = () => index.checkpoint().parts.map(({ name }) => name);
    expect(names()).toEqual(['segment-7']);
    index.addBatch(batchOf(entries.slice(0, 3)));
    expect(names()).toEqual(['segment-7', undefined]);
    const [{ fingerprint, id }] = entries.slice(10) as [Entry];
    index.removeBatch(BigUint64Array.of(fingerprint), Float64Array.of(id));
    const checkpoint = index.checkpoint();
    expect(checkpoint.parts.map(({ name }) => name)).toEqual([undefined, undefined]);
    const files = payloadsOf(checkpoint);
    for (const { part, file } of files) part.adopt(file);
    // The head has no file: more may come to it.
    expect(names()).toEqual(['segment-1', undefined]);
    const again = open(ALL_COLUMNS);
    for (const { file } of files) again.openSegment(file);
    expect(await listed(again)).toEqual(await listed(index));
  });

  test('not where something was removed before it was adopted', async () => {
    const index = open(ALL_COLUMNS);
    index.addBatch(batchOf(entries));
    const checkpoint = index.checkpoint();
    const [{ fingerprint, id }] = entries as [Entry];
    index.removeBatch(BigUint64Array.of(fingerprint), Float64Array.of(id));
    for (const { part, file } of payloadsOf(checkpoint)) part.adopt(file);
    expect(index.checkpoint().parts[0]?.name).toBeUndefined();
  });

  test('with the slots that were removed when it was opened', async () => {
    const bytes = await payloadFor(entries, ALL_COLUMNS);
    const all = expected(entries, ALL_COLUMNS);
    const removed = new Uint8Array(Math.ceil(all.length / 8));
    const kept = all.filter((_, slot) => {
      if (slot % 3 !== 1) return true;
      removed[slot >> 3] |= 1 << (slot & 7);
      return false;
    });
    const index = open(ALL_COLUMNS);
    const given = removed.slice();
    index.openSegment(payloadOf(bytes), given);
    given.fill(0);
    expect(await listed(index)).toEqual(kept);
    const [part] = index.checkpoint().parts;
    expect(part?.name).toBe('segment-1');
    expect(part?.entries).toBe(kept.length);
    expect(part?.removed()).toEqual(removed);
    expect(() => open(ALL_COLUMNS).openSegment(payloadOf(bytes), removed.subarray(1))).toThrow(
      /removed slots/,
    );
  });
});

describe('a payload that is not what was written', () => {
  const entries = entriesOf('planted', 90);

  test('is refused where a word of its description is another one', async () => {
    const bytes = await payloadFor(entries, ALL_COLUMNS);
    const others = [
      0n,
      1n,
      2n,
      3n,
      64n,
      89n,
      91n,
      2n ** 20n,
      2n ** 32n,
      2n ** 53n - 1n,
      2n ** 53n,
      2n ** 63n,
      -1n,
    ];
    for (let i = 0; i < 10; i++) {
      const word = wordOf(bytes, i);
      for (const value of [...others, word - 1n, word + 1n, word + 64n, word - 64n, word | (2n ** 56n)]) {
        if (value === word) continue;
        const file = payloadOf(withWords(bytes, new Map([[i, value]])));
        expect(await tryOpen(file, ALL_COLUMNS), `word ${i}: ${value}`).toBeUndefined();
      }
    }
  });

  test('is refused at every length but its own', async () => {
    for (const columns of [NO_COLUMNS, ALL_COLUMNS]) {
      const bytes = await payloadFor(entries.slice(0, 20), columns);
      for (let length = 0; length < bytes.length; length++) {
        expect(await tryOpen(payloadOf(bytes.slice(0, length)), columns)).toBeUndefined();
      }
      const longer = new Uint8Array(bytes.length + 8);
      longer.set(bytes);
      expect(await tryOpen(payloadOf(longer), columns)).toBeUndefined();
    }
  });

  test('is refused by an index with other columns', async () => {
    const bytes = await payloadFor(entries, { ...ALL_COLUMNS, tag: false });
    for (const columns of COLUMN_SETS) {
      const opened = await tryOpen(payloadOf(bytes), columns);
      expect(opened !== undefined).toBe(columns.time && columns.second && !columns.tag);
    }
  });

  test('is refused or read as it is wherever a byte changes', async () => {
    const bytes = await payloadFor(entries.slice(0, 30), ALL_COLUMNS);
    const first = Number(wordOf(bytes, 5));
    for (let at = 0; at < bytes.length; at++) {
      const other = bytes.slice();
      other[at] ^= 1 << (at % 8);
      const opened = await tryOpen(payloadOf(other), ALL_COLUMNS);
      if (at < first) expect(opened, `byte ${at}`).toBeUndefined();
      if (opened !== undefined) expect(opened.length).toBe(30);
    }
  });

  test('is refused where entries are out of order or ids too large', async () => {
    const sorted = expected(entries, NO_COLUMNS);
    const bytes = await payloadFor(entries, NO_COLUMNS);
    const ids = Number(wordOf(bytes, 6)) / 8;
    const fingerprints = Number(wordOf(bytes, 5)) / 8;
    const at = sorted.findIndex((each, i) => each.fingerprint !== sorted[i + 1]?.fingerprint);
    const swapped = withWords(
      bytes,
      new Map([
        [fingerprints + at, sorted[at + 1]?.fingerprint as bigint],
        [fingerprints + at + 1, sorted[at]?.fingerprint as bigint],
      ]),
    );
    expect(await tryOpen(payloadOf(swapped), NO_COLUMNS)).toBeUndefined();
    const large = withWords(bytes, new Map([[ids + 89, 2n ** 53n]]));
    expect(await tryOpen(payloadOf(large), NO_COLUMNS)).toBeUndefined();
  });

  test('is refused or read wherever several words are others', async () => {
    const bytes = await payloadFor(entries, ALL_COLUMNS);
    const change = fc.tuple(fc.nat(bytes.length / 8 - 1), fc.bigInt(0n, 2n ** 64n - 1n));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        await tryOpen(payloadOf(withWords(bytes, new Map(changes))), ALL_COLUMNS);
      }),
      { numRuns: 300 },
    );
  });
});

test('blocks of many entries are read as one', async () => {
  const random = new BigUint64Array(70_000).map((_, i) =>
    BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n),
  );
  const ids = Float64Array.from(random, (_, i) => i * 2 ** 20);
  const index = open(NO_COLUMNS);
  index.addBatch({ fingerprints: random, ids });
  const file = payloadsOf(index.checkpoint())[0]?.file as SegmentPayload;
  const removed = new Uint8Array(Math.ceil(random.length / 8)).fill(0x11);
  const other = open(NO_COLUMNS);
  other.openSegment(file, removed);
  const kept = (await listed(index)).filter((_, slot) => slot % 4 !== 0);
  expect(other.size).toBe(kept.length);
  expect(await listed(other)).toEqual(kept);
});
