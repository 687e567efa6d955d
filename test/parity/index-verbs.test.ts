/** Columns, removal, pairs, joins and entries of each engine's index, against brute force. */
import { describe, expect, test } from 'vitest';
import { engines } from '../engines.ts';
import { collections, Random } from '../index/collections.ts';
import {
  ALL_COLUMNS,
  answer,
  batchesOf,
  batchOf,
  type Entry,
  entriesIn,
  entriesOf,
  fillIn,
  NO_COLUMNS,
  oracleOf,
  pairsIn,
  sortedEntries,
} from '../index/entries.ts';

const NO_LIMIT = Number.POSITIVE_INFINITY;
const SMALL = { maxDistance: 3, headEntries: 32 };

describe.each(engines)('$backend engine', (engine) => {
  describe.each(Object.keys(collections))('%s', (name) => {
    const entries = entriesOf(name, 1500);

    test('queries by tag, time and second fingerprint, before limits', () => {
      const oracle = oracleOf(entries);
      const index = engine.createIndex({ ...SMALL, columns: ALL_COLUMNS });
      fillIn(index, entries);
      const random = new Random(8);
      const asked = Array.from({ length: 40 }, () => entries[random.below(entries.length)] as Entry);
      const fingerprints = BigUint64Array.from(asked, ({ fingerprint }) =>
        random.flip(fingerprint, random.below(4)),
      );
      const tags = Uint32Array.from(asked, () => random.below(4));
      const secondFingerprints = BigUint64Array.from(asked, ({ second }) => second);
      for (const limit of [NO_LIMIT, 2]) {
        for (const distance of [0, 3, 9]) {
          for (const since of [undefined, 0, 20 * 2 ** 40, 50 * 2 ** 40]) {
            for (const secondDistance of [undefined, 0, 8, 64]) {
              for (const byTag of [false, true]) {
                const bySecond = secondDistance !== undefined;
                const result = index.queryBatch(
                  { fingerprints, ...(byTag && { tags }), ...(bySecond && { secondFingerprints }) },
                  {
                    distance,
                    limit,
                    ...(bySecond && { secondDistance }),
                    ...(since !== undefined && { since }),
                  },
                );
                for (let i = 0; i < 40; i += byTag ? 1 : 5) {
                  const tag = byTag ? tags[i] : undefined;
                  const second = bySecond ? secondFingerprints[i] : undefined;
                  const conditions = { limit, tag, second, secondDistance, since };
                  const expected = oracle.query(fingerprints[i] as bigint, distance, conditions);
                  expect(answer(result, i)).toEqual(expected);
                }
              }
            }
          }
        }
      }
    });

    test('addIfNewBatch by tag and second fingerprint', () => {
      for (const secondDistance of [undefined, 8]) {
        const oracle = oracleOf([]);
        const index = engine.createIndex({ ...SMALL, columns: ALL_COLUMNS });
        for (let from = 0; from < entries.length; from += 250) {
          const piece = entries.slice(from, from + 250);
          const result = index.addIfNewBatch(batchOf(piece), 3, secondDistance);
          for (const [i, { fingerprint, id, ...columns }] of piece.entries()) {
            const match = oracle.addIfNew(fingerprint, id, 3, columns, secondDistance);
            expect([result.added[i], result.nearestIds[i], result.nearestDistances[i]]).toEqual(
              match === undefined ? [1, -1, 0] : [0, match.id, match.distance],
            );
          }
        }
        expect(index.size).toBe(oracle.entries.length);
        expect(oracle.entries.length).toBeLessThan(entries.length);
      }
    });

    test('removal of entries, and by time', async () => {
      const random = new Random(9);
      const oracle = oracleOf(entries);
      const index = engine.createIndex({ ...SMALL, columns: ALL_COLUMNS });
      fillIn(index, entries);
      for (let round = 0; round < 8; round++) {
        const removed = Array.from({ length: 60 }, () => entries[random.below(entries.length)] as Entry).map(
          // What is not there, or only one half of it.
          (entry, i) =>
            i % 7 === 0
              ? { ...entry, id: entry.id + 1 }
              : i % 7 === 1
                ? { ...entry, fingerprint: entry.fingerprint ^ 1n }
                : entry,
        );
        const { fingerprints, ids } = batchOf(removed);
        const counts = removed.map(({ fingerprint, id }) => oracle.remove(fingerprint, id));
        expect(Array.from(index.removeBatch(fingerprints, ids))).toEqual(counts);
        if (round % 3 === 2) {
          const time = round * 2 * 2 ** 40;
          expect(index.removeBefore(time)).toBe(oracle.removeBefore(time));
          expect(index.removeBefore(time)).toBe(0);
        }
        const again = entries.slice(10 * round, 10 * round + 10);
        index.addBatch(batchOf(again));
        for (const { fingerprint, id, ...columns } of again) oracle.add(fingerprint, id, columns);
        expect(index.size).toBe(oracle.entries.length);
        expect(index.stats().entries).toBe(oracle.entries.length);
        const result = index.queryBatch({ fingerprints }, { distance: 3, limit: 5 });
        for (let i = 0; i < fingerprints.length; i += 6) {
          expect(answer(result, i)).toEqual(oracle.query(fingerprints[i] as bigint, 3, { limit: 5 }));
        }
      }
      expect(entriesIn(await batchesOf(index.entries()))).toEqual(sortedEntries(oracle));
    });

    test.each([
      ['no columns', NO_COLUMNS, undefined],
      ['tags', { ...NO_COLUMNS, tag: true }, undefined],
      ['all columns', ALL_COLUMNS, 8],
    ])('pairs and entries with %s', async (_, columns, secondDistance) => {
      const some = entries.slice(0, 300);
      const oracle = oracleOf(some, columns);
      const index = engine.createIndex({ ...SMALL, columns });
      fillIn(index, some, columns);
      for (const { fingerprint, id } of some.slice(40, 60)) {
        index.removeBatch(BigUint64Array.of(fingerprint), Float64Array.of(id));
        oracle.remove(fingerprint, id);
      }
      const second = secondDistance !== undefined && { secondDistance };
      for (const isCompact of [false, true]) {
        if (isCompact) expect(await index.compact().result).toBe(true);
        for (const [distance, limit] of [
          [3, NO_LIMIT],
          [3, 2],
          [0, NO_LIMIT],
          [7, 1],
        ] as const) {
          const pairs = pairsIn(await batchesOf(index.pairs({ distance, limit, ...second })));
          expect(pairs).toEqual(oracle.pairs(distance, { limit, ...second }));
        }
        expect(entriesIn(await batchesOf(index.entries()))).toEqual(sortedEntries(oracle));
      }
    });

    test.each([
      ['no columns', NO_COLUMNS, NO_COLUMNS, undefined],
      ['tags', { ...NO_COLUMNS, tag: true }, ALL_COLUMNS, undefined],
      ['tags of one', { ...NO_COLUMNS, tag: true }, NO_COLUMNS, undefined],
      ['all columns', ALL_COLUMNS, ALL_COLUMNS, 8],
    ])('join with %s', async (_, columns, otherColumns, secondDistance) => {
      const some = entries.slice(0, 200);
      const others = entriesOf(name, 250, 3).map((entry, i) =>
        i % 3 === 0 ? { ...entry, fingerprint: (some[i % 200] as Entry).fingerprint ^ 5n } : entry,
      );
      const [oracle, otherOracle] = [oracleOf(some, columns), oracleOf(others, otherColumns)];
      const index = engine.createIndex({ ...SMALL, columns });
      const other = engine.createIndex({ ...SMALL, columns: otherColumns });
      fillIn(index, some, columns);
      fillIn(other, others, otherColumns);
      const second = secondDistance !== undefined && { secondDistance };
      const byTag = columns.tag && otherColumns.tag;
      for (const [distance, limit] of [
        [3, NO_LIMIT],
        [2, 2],
        [7, 1],
      ] as const) {
        const pairs = pairsIn(await batchesOf(index.join(other, { distance, limit, ...second })));
        expect(pairs).toEqual(oracle.join(otherOracle, distance, byTag, { limit, ...second }));
      }
    });
  });

  test('an index without entries', async () => {
    const index = engine.createIndex({ ...SMALL, columns: ALL_COLUMNS });
    expect(await batchesOf(index.entries())).toEqual([]);
    expect(await batchesOf(index.pairs({ distance: 3, limit: 1 }))).toEqual([]);
    expect(await batchesOf(index.join(index, { distance: 3, limit: 1 }))).toEqual([]);
    expect(index.removeBefore(5)).toBe(0);
    expect(index.removeBatch(BigUint64Array.of(1n), Float64Array.of(1))).toEqual(Float64Array.of(0));
    expect(index.removeBatch(new BigUint64Array(0), new Float64Array(0)).length).toBe(0);
    expect(await index.compact().result).toBe(true);
    expect(await index.addBatchAsync(batchOf([])).result).toBe(true);
    expect(index.stats()).toMatchObject({ entries: 0, headEntries: 0, segments: [], merging: false });
  });

  test('ids and times of 2^53 - 1, tags of 2^32 - 1', async () => {
    const most = {
      fingerprint: 2n ** 64n - 1n,
      id: 2 ** 53 - 1,
      time: 2 ** 53 - 1,
      tag: 2 ** 32 - 1,
      second: 2n ** 64n - 1n,
    };
    const entries = [most, { ...most, id: 2 ** 53 - 2 }, { ...most, time: 0, tag: 0, second: 0n }];
    const index = engine.createIndex({ maxDistance: 0, headEntries: 2, columns: ALL_COLUMNS });
    index.addBatch(batchOf(entries));
    expect(entriesIn(await batchesOf(index.entries()))).toEqual(sortedEntries(oracleOf(entries)));
    const query = { fingerprints: BigUint64Array.of(most.fingerprint), tags: Uint32Array.of(2 ** 32 - 1) };
    const search = { distance: 0, limit: NO_LIMIT, since: 2 ** 53 - 1 };
    expect(index.queryBatch(query, search).ids).toEqual(Float64Array.of(2 ** 53 - 2, 2 ** 53 - 1));
    expect(index.removeBefore(2 ** 53 - 1)).toBe(1);
    expect(index.size).toBe(2);
  });

  test('a million equal fingerprints: pairs with a limit, removal', async () => {
    const count = 1_000_000;
    const fingerprints = new BigUint64Array(count).fill(42n);
    const ids = Float64Array.from({ length: count }, (_, i) => count - 1 - i);
    const index = engine.createIndex({ maxDistance: 3 });
    index.addBatch({ fingerprints, ids });
    let [pairs, isNext] = [0, true];
    for (const { firstIds, secondIds } of await batchesOf(index.pairs({ distance: 3, limit: 1 }))) {
      pairs += firstIds.length;
      isNext &&= firstIds.every((id, i) => secondIds[i] === id + 1);
    }
    expect([pairs, isNext]).toEqual([count - 1, true]);
    const counts = index.removeBatch(fingerprints.subarray(0, count - 2), ids.subarray(0, count - 2));
    expect(counts.every((each) => each === 1)).toBe(true);
    expect(index.size).toBe(2);
    const left = index.queryBatch({ fingerprints: BigUint64Array.of(42n) }, { distance: 0, limit: NO_LIMIT });
    expect(left.ids).toEqual(Float64Array.of(0, 1));
  });
});
