/** Segments of layout 2: read as they are meant, refused where they cannot be, saved where a part is lost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CheckpointPart, IndexColumns, SegmentPayload } from '../../../lib/engine.ts';
import { NeardupError } from '../../../lib/errors.ts';
import { tsEngine } from '../../../lib/ts/engine.ts';
import { loadSegment, readSegment } from '../../../lib/ts/storage/read-segment.ts';
import { checkWhole } from '../../engines.ts';
import {
  ALL_COLUMNS,
  batchesOf,
  type Entry,
  entriesIn,
  entriesOf,
  NO_COLUMNS,
  oracleOf,
  sortedEntries,
} from '../../index/entries.ts';
import { bytesOf, damaged, payloadOf, withWords, wordOf } from './payloads.ts';
import { type PayloadShape, tablePayload } from './table-payload.ts';
import { SHAPES, table } from './table-shapes.ts';

const expected = (entries: readonly Entry[], columns: IndexColumns) =>
  sortedEntries(oracleOf(entries, columns));

async function listed(file: SegmentPayload, columns: IndexColumns, removed?: Uint8Array): Promise<Entry[]> {
  const index = tsEngine.createIndex({ maxDistance: 3, columns, headEntries: 64 });
  index.openSegment(file, removed);
  return entriesIn(await batchesOf(index.entries()));
}

/** How many entries are read of a payload, or undefined where it was refused; what is refused does not pass the check. */
function opened(bytes: Uint8Array, columns: IndexColumns): number | undefined {
  const file = payloadOf(bytes);
  const loaded = refusal(() => loadSegment(file, columns).size);
  if (typeof loaded === 'number') return loaded;
  expect(passes(bytes, columns)).toBe(false);
  return undefined;
}

/** Whether a payload passes the check. */
function passes(bytes: Uint8Array, columns: IndexColumns): boolean {
  return typeof refusal(() => checkWhole(tsEngine, payloadOf(bytes), columns)) === 'number';
}

/** What a call gives, or the message of the ERR_NEARDUP_CORRUPT that it throws. */
function refusal<T>(call: () => T): T | string {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof NeardupError) || error.code !== 'ERR_NEARDUP_CORRUPT') throw error;
    expect(error.message).toContain('/index/segment-1');
    return error.message;
  }
}

describe.each(Object.entries(SHAPES))('%s', (name, shape) => {
  test('every entry is read', async () => {
    for (const collection of ['planted', 'templates with 0..6 flips', 'uniform']) {
      const entries = entriesOf(collection, 600, name.length);
      for (const columns of [NO_COLUMNS, ALL_COLUMNS]) {
        const { bytes } = tablePayload(entries, columns, shape);
        checkWhole(tsEngine, payloadOf(bytes), columns);
        expect(await listed(payloadOf(bytes), columns)).toEqual(expected(entries, columns));
      }
    }
  });

  test('but the removed ones', async () => {
    const entries = entriesOf('planted', 300);
    for (const columns of [NO_COLUMNS, ALL_COLUMNS]) {
      const { bytes, slots } = tablePayload(entries, columns, shape);
      const removed = new Uint8Array(Math.ceil(slots.length / 8));
      const kept = slots.filter((entry, slot): entry is Entry => {
        if (slot % 5 !== 2) return entry !== undefined;
        removed[slot >> 3] |= 1 << (slot & 7);
        return false;
      });
      expect(await listed(payloadOf(bytes), columns, removed)).toEqual(expected(kept, columns));
    }
  });
});

test('a list longer than a batch', async () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({
    fingerprint: 77n,
    id: i,
    time: i % 7,
    tag: 1,
    second: 5n,
  }));
  const entries = [...entriesOf('planted', 50), ...many];
  const shape = SHAPES['one table'] as PayloadShape;
  for (const columns of [NO_COLUMNS, ALL_COLUMNS]) {
    const { bytes } = tablePayload(entries, columns, shape);
    expect(await listed(payloadOf(bytes), columns)).toEqual(expected(entries, columns));
  }
});

test('a run so long that its length stands in the overflow', async () => {
  const shape: PayloadShape = { tables: [table([[32, 32]], [], 32, 21, 8)], perLine: 8, thinBelow: 0 };
  for (const rest of [254, 255, 600]) {
    const entries = Array.from({ length: 11 + rest }, (_, i) => {
      return { fingerprint: (0x12345678n << 32n) + BigInt(7 * i), id: i, time: 0, tag: 0, second: 0n };
    });
    const { bytes } = tablePayload(entries, NO_COLUMNS, shape);
    expect(await listed(payloadOf(bytes), NO_COLUMNS)).toEqual(expected(entries, NO_COLUMNS));
  }
});

describe('a payload that is not what was written', () => {
  const entries = entriesOf('planted', 60);
  const shape: PayloadShape = {
    tables: [
      table(
        [
          [40, 8],
          [0, 8],
        ],
        [],
        6,
        4,
        3,
      ),
      table([[20, 12]], [], 8, 8, 0),
    ],
    perLine: 11,
    thinBelow: 9,
  };

  test('is refused or read the same where a word of its description is another one', async () => {
    const { bytes } = tablePayload(entries, ALL_COLUMNS, shape);
    const all = await listed(payloadOf(bytes), ALL_COLUMNS);
    const others = [
      0n,
      1n,
      2n,
      3n,
      15n,
      57n,
      64n,
      2048n,
      2n ** 20n,
      2n ** 32n,
      2n ** 53n - 1n,
      2n ** 63n,
      -1n,
    ];
    let refused = 0;
    const count = Number(wordOf(bytes, 4));
    for (let i = 0; i < count; i++) {
      const word = wordOf(bytes, i);
      for (const value of [...others, word - 1n, word + 1n, word + 64n, word - 64n, word | (2n ** 56n)]) {
        const changed = withWords(bytes, new Map([[i, value]]));
        const size = opened(changed, ALL_COLUMNS);
        if (size === undefined) refused++;
        else if (!isLeast(bytes, i)) {
          expect(await listed(payloadOf(changed), ALL_COLUMNS), `word ${i}: ${value}`).toEqual(all);
        }
      }
    }
    expect(refused).toBeGreaterThan(10 * count);
  });

  test('is refused at every length but its own', () => {
    const { bytes, sections } = tablePayload(entries, ALL_COLUMNS, shape);
    const end = Math.max(...[...sections.values()].map(({ offset, length }) => offset + length));
    for (let length = 0; length < end; length++)
      expect(opened(bytes.slice(0, length), ALL_COLUMNS)).toBeUndefined();
  });

  test('is refused or read wherever a byte changes', () => {
    for (const columns of [NO_COLUMNS, ALL_COLUMNS]) {
      const { bytes } = tablePayload(entries, columns, shape);
      for (let at = 0; at < bytes.length; at++) {
        const other = bytes.slice();
        other[at] ^= 1 << (at % 8);
        expect([entries.length, undefined]).toContain(opened(other, columns));
      }
    }
  });

  test('does not pass the check where a lane of a secondary table is another one', () => {
    const { bytes, sections } = tablePayload(entries, NO_COLUMNS, shape);
    expect(passes(bytes, NO_COLUMNS)).toBe(true);
    const { offset, length } = sections.get('lines 1') as { offset: number; length: number };
    let lanes = 0;
    for (let line = offset; line < offset + length; line += 64) {
      const used = 4 * ((bytes[line + 63] as number) & 15);
      for (let at = line; at < line + used; at++, lanes++) {
        const other = bytes.slice();
        other[at] ^= 1 << (at % 8);
        expect(passes(other, NO_COLUMNS), `byte ${at - line} of a line`).toBe(false);
      }
    }
    expect(lanes).toBeGreaterThan(100);
  });

  test('does not pass the check where a secondary table lacks a lane or has one more', () => {
    const { bytes, sections } = tablePayload(entries, NO_COLUMNS, shape);
    const { offset, length } = sections.get('lines 1') as { offset: number; length: number };
    for (let line = offset + 128; line < offset + length; line += 64) {
      for (const change of [-1, 1]) {
        const other = bytes.slice();
        other[line + 63] += change;
        expect(passes(other, NO_COLUMNS)).toBe(false);
      }
    }
  });

  test('is refused or read wherever several words are others', () => {
    const { bytes } = tablePayload(entries, ALL_COLUMNS, shape);
    const word = fc.oneof(
      fc.bigInt(0n, 2n ** 64n - 1n),
      fc.bigInt(0n, 200n),
      fc.bigInt(0n, BigInt(bytes.length / 64)).map((n) => n * 64n),
    );
    const change = fc.tuple(fc.nat(bytes.length / 8 - 1), word);
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        expect([entries.length, undefined]).toContain(
          opened(withWords(bytes, new Map(changes)), ALL_COLUMNS),
        );
      }),
      { numRuns: 500 },
    );
  });
});

/** Whether it is the word of the least id or time: all may be larger, and nothing else tells. */
function isLeast(bytes: Uint8Array, word: number): boolean {
  // At the end: ids in four words, times in four, a section of tags, and one of seconds.
  const fromEnd = Number(wordOf(bytes, 4)) - word;
  return fromEnd === 12 || fromEnd === 8;
}

describe('of a payload that is damaged', () => {
  /** What can be read, and which parts cannot. */
  function salvaged(file: SegmentPayload, columns: IndexColumns, removed?: Uint8Array) {
    const lost: string[] = [];
    const kept: Entry[] = [];
    for (const batch of readSegment(file, columns, removed, ({ section, error }) => {
      expect(error.code).toBe('ERR_NEARDUP_CORRUPT');
      lost.push(section);
    })) {
      if (batch !== undefined) kept.push(...entriesIn([batch]));
    }
    return { lost, kept };
  }
  const byEntry = (a: Entry, b: Entry) =>
    a.id === b.id ? Number(a.fingerprint - b.fingerprint) : a.id - b.id;

  test('all superblocks are kept that can be read', () => {
    // Four MiB of lines.
    const shape: PayloadShape = { tables: [table([[46, 18]], [], 18, 12, 2)], perLine: 8, thinBelow: 0 };
    const entries = expected(entriesOf('uniform', 1500), NO_COLUMNS);
    const { bytes, sections } = tablePayload(entries, NO_COLUMNS, shape);
    const start = sections.get('lines 0')?.offset as number;
    for (const block of [1, 3]) {
      const [from, to] = [block * 2 ** 20, (block + 1) * 2 ** 20];
      const { lost, kept } = salvaged(damaged(payloadOf(bytes), from, to), NO_COLUMNS);
      const stateOf = ({ fingerprint }: Entry) => {
        const first = start + 128 + 2 ** 16 * Number(fingerprint >> 58n);
        return first >= to || first + 2 ** 16 <= from
          ? 'whole'
          : first >= from && first + 2 ** 16 <= to
            ? 'lost'
            : '';
      };
      expect(lost.length).toBeGreaterThan(15);
      expect(lost.length).toBeLessThan(19);
      const key = ({ fingerprint, id }: Entry) => `${fingerprint} ${id}`;
      const found = new Set(kept.map(key));
      const possible = new Set(entries.map(key));
      expect(found.size).toBeLessThan(possible.size);
      for (const entry of entries) {
        if (stateOf(entry) !== '') expect(found.has(key(entry))).toBe(stateOf(entry) === 'whole');
      }
      expect([...found].filter((each) => !possible.has(each))).toEqual([]);
    }
  });

  test('rows with a single entry are kept where lists are lost', () => {
    const entries = expected(entriesOf('planted', 400), NO_COLUMNS);
    const { bytes, sections } = tablePayload(entries, NO_COLUMNS, SHAPES['one table'] as PayloadShape);
    const { offset, length } = sections.get('lists') as { offset: number; length: number };
    const { lost, kept } = salvaged(damaged(payloadOf(bytes), offset, offset + length), NO_COLUMNS);
    const counts = new Map<bigint, number>();
    for (const { fingerprint } of entries) counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1);
    const single = entries.filter(({ fingerprint }) => counts.get(fingerprint) === 1);
    expect(lost.length).toBe([...counts.values()].filter((count) => count > 1).length);
    expect(kept.sort(byEntry)).toEqual(single.sort(byEntry));
  });

  test('entries are lost with their columns', () => {
    const entries = Array.from({ length: 20_000 }, (_, i) => {
      const fingerprint = BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n);
      return { fingerprint, id: i, time: 0, tag: i % 3, second: 0n };
    });
    const columns = { ...NO_COLUMNS, tag: true };
    const { bytes, sections } = tablePayload(entries, columns, SHAPES['one table'] as PayloadShape);
    const { offset } = sections.get('tags') as { offset: number };
    const file = damaged(payloadOf(bytes), offset + 40_000, offset + 40_001);
    const { lost, kept } = salvaged(file, columns);
    expect(lost).toEqual(['entries 8192 to 16383']);
    expect(kept).toEqual([...entries.slice(0, 8192), ...entries.slice(16384)]);
  });

  test('blocks of entries are kept that can be read', () => {
    const index = tsEngine.createIndex({ maxDistance: 3 });
    const fingerprints = BigUint64Array.from({ length: 50_000 }, (_, i) => BigInt(i) << 40n);
    index.addBatch({ fingerprints, ids: Float64Array.from(fingerprints, (_, i) => i) });
    const bytes = bytesOf(index.checkpoint().parts[0] as CheckpointPart);
    const ids = Number(wordOf(bytes, 6));
    const { lost, kept } = salvaged(damaged(payloadOf(bytes), ids, ids + 10), NO_COLUMNS);
    expect(lost).toEqual(['entries 0 to 16383']);
    expect(kept.map(({ id }) => id)).toEqual(Array.from({ length: 50_000 - 16_384 }, (_, i) => i + 16_384));
  });

  test('nothing is read without its description', () => {
    const { bytes } = tablePayload(entriesOf('planted', 40), NO_COLUMNS, SHAPES['one table'] as PayloadShape);
    expect(() => salvaged(damaged(payloadOf(bytes), 8, 9), NO_COLUMNS)).toThrow(/checksum/);
  });
});
