import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BatchMatches, EngineIndex } from '../../lib/engine.ts';
import { engines } from '../engines.ts';
import { collect, collections, queriesFor, Random } from '../index/collections.ts';
import { answer } from '../index/entries.ts';
import { Oracle } from '../index/oracle.ts';

const NO_LIMIT = Number.POSITIVE_INFINITY;
const DISTANCES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16];

/** Ids that do not ascend, and where about one in eight has two fingerprints. */
function scatteredIds(count: number): Float64Array {
  const random = new Random(5);
  return Float64Array.from({ length: count }, () => random.below(count * 4) * 2 ** 20);
}

function fill(index: EngineIndex, fingerprints: BigUint64Array, ids: Float64Array, step: number): void {
  for (let i = 0; i < ids.length; i += step) {
    index.addBatch({ fingerprints: fingerprints.subarray(i, i + step), ids: ids.subarray(i, i + step) });
  }
}

function oracleOf(fingerprints: BigUint64Array, ids: Float64Array): Oracle {
  const oracle = new Oracle();
  fingerprints.forEach((fingerprint, i) => {
    oracle.add(fingerprint, ids[i] as number);
  });
  return oracle;
}

describe.each(engines)('$backend engine: index against brute force', (engine) => {
  test.each(DISTANCES)('maxDistance %i, every distance up to it and some above', (maxDistance) => {
    const fingerprints = collect('planted', 3000);
    const ids = scatteredIds(3000);
    const oracle = oracleOf(fingerprints, ids);
    const index = engine.createIndex({ maxDistance });
    fill(index, fingerprints, ids, 3000);
    const queries = queriesFor(fingerprints, 40, maxDistance);
    for (const distance of [...Array(maxDistance + 1).keys(), maxDistance + 1, 20, 33, 64]) {
      const result = index.queryBatch({ fingerprints: queries }, { distance: distance, limit: NO_LIMIT });
      queries.forEach((query, i) => {
        expect(answer(result, i)).toEqual(oracle.query(query, distance));
      });
    }
  });

  describe.each(Object.keys(collections))('%s', (name) => {
    test.each([0, 3, 5, 8, 16])('maxDistance %i, added in pieces', (maxDistance) => {
      const fingerprints = collect(name, 2500);
      const ids = scatteredIds(2500);
      const oracle = oracleOf(fingerprints, ids);
      const queries = queriesFor(fingerprints, 24, maxDistance);
      const expected = Array.from(queries, (query) => oracle.query(query, maxDistance));
      for (const step of [1, 37, 700, 2500]) {
        const index = engine.createIndex({ maxDistance, headEntries: step === 2500 ? 1024 : 64 });
        fill(index, fingerprints, ids, step);
        expect(index.size).toBe(2500);
        const all = index.queryBatch({ fingerprints: queries }, { distance: maxDistance, limit: NO_LIMIT });
        const five = index.queryBatch({ fingerprints: queries }, { distance: maxDistance, limit: 5 });
        expected.forEach((matches, i) => {
          expect(answer(all, i)).toEqual(matches);
          expect(answer(five, i)).toEqual(matches.slice(0, 5));
        });
      }
    });

    test('addIfNewBatch in strict order', () => {
      const fingerprints = collect(name, 1500, 9);
      const ids = scatteredIds(1500);
      const oracle = new Oracle();
      const expected = Array.from(fingerprints, (fp, i) => oracle.addIfNew(fp, ids[i] as number, 3));
      for (const step of [1, 100, 1500]) {
        const index = engine.createIndex({ maxDistance: 4, headEntries: 50 });
        for (let i = 0; i < 1500; i += step) {
          const piece = ids.subarray(i, i + step);
          const result = index.addIfNewBatch(
            { fingerprints: fingerprints.subarray(i, i + step), ids: piece },
            3,
          );
          piece.forEach((_, j) => {
            const match = expected[i + j];
            expect(result.added[j]).toBe(match === undefined ? 1 : 0);
            expect(result.nearestIds[j]).toBe(match?.id ?? -1);
            expect(result.nearestDistances[j]).toBe(match?.distance ?? 0);
          });
        }
        expect(index.size).toBe(oracle.entries.length);
      }
    });
  });

  // Around the head's size, where a segment first has tables, and where segments merge.
  test.each([0, 1, 2, 7, 8, 9, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049])('%i entries', (count) => {
    const fingerprints = collect('planted', count);
    const ids = scatteredIds(count);
    const oracle = oracleOf(fingerprints, ids);
    const queries = queriesFor(fingerprints, 20, 3);
    const expected = Array.from(queries, (query) => oracle.query(query, 3));
    for (const headEntries of [8, 1024]) {
      for (const step of [count || 1, 1]) {
        const index = engine.createIndex({ maxDistance: 3, headEntries });
        fill(index, fingerprints, ids, step);
        const result = index.queryBatch({ fingerprints: queries }, { distance: 3, limit: NO_LIMIT });
        expect(index.size).toBe(count);
        expected.forEach((matches, i) => {
          expect(answer(result, i)).toEqual(matches);
        });
      }
    }
  });

  test('any sequence of add, addIfNew and query', () => {
    // Few bits, so that near and equal fingerprints are common.
    const fingerprint = fc.array(fc.integer({ min: 0, max: 63 }), { maxLength: 5 }).map((bits) => {
      let value = 0x0123_4567_89ab_cdefn;
      for (const bit of bits) value ^= 1n << BigInt(bit);
      return value;
    });
    const entries = fc.array(fc.tuple(fingerprint, fc.integer({ min: 0, max: 30 })), { maxLength: 40 });
    const step = fc.oneof(
      fc.record({ verb: fc.constant('add' as const), entries }),
      fc.record({ verb: fc.constant('addIfNew' as const), entries, distance: fc.nat(20) }),
      fc.record({
        verb: fc.constant('query' as const),
        entries,
        distance: fc.nat(20),
        limit: fc.integer({ min: 1, max: 40 }),
      }),
    );
    const run = fc.property(fc.nat(16), fc.array(step, { maxLength: 20 }), (maxDistance, steps) => {
      const index = engine.createIndex({ maxDistance, headEntries: 4 });
      const oracle = new Oracle();
      for (const each of steps) {
        const fingerprints = BigUint64Array.from(each.entries, ([value]) => value);
        const ids = Float64Array.from(each.entries, ([, id]) => id);
        if (each.verb === 'add') {
          index.addBatch({ fingerprints, ids });
          fingerprints.forEach((value, i) => {
            oracle.add(value, ids[i] as number);
          });
          continue;
        }
        const { distance } = each;
        if (each.verb === 'addIfNew') {
          const result = index.addIfNewBatch({ fingerprints, ids }, distance);
          fingerprints.forEach((value, i) => {
            const match = oracle.addIfNew(value, ids[i] as number, distance);
            expect([result.added[i], result.nearestIds[i]]).toEqual(match ? [0, match.id] : [1, -1]);
          });
        } else {
          const result = index.queryBatch(
            { fingerprints: fingerprints },
            { distance: distance, limit: each.limit },
          );
          fingerprints.forEach((value, i) => {
            expect(answer(result, i)).toEqual(oracle.query(value, distance, each.limit));
          });
        }
      }
      expect(index.size).toBe(oracle.entries.length);
    });
    fc.assert(run, { numRuns: 300, seed: 20 });
  });

  test('a million equal fingerprints: all ids without a limit, the smallest ones with one', () => {
    const count = 1_000_000;
    const fingerprints = new BigUint64Array(count).fill(42n);
    // Descending, each id twice.
    const ids = Float64Array.from({ length: count }, (_, i) => Math.floor((count - 1 - i) / 2));
    const index = engine.createIndex({ maxDistance: 3 });
    index.addBatch({ fingerprints, ids });
    const query = BigUint64Array.of(43n);
    expect(index.queryBatch({ fingerprints: query }, { distance: 3, limit: 3 })).toEqual({
      offsets: Float64Array.of(0, 3),
      ids: Float64Array.of(0, 1, 2),
      distances: Uint8Array.of(1, 1, 1),
    });
    const all = index.queryBatch({ fingerprints: query }, { distance: 3, limit: NO_LIMIT });
    expect(all.ids.length).toBe(count / 2);
    expect(all.ids.every((id, i) => id === i)).toBe(true);
    expect(all.distances.every((distance) => distance === 1)).toBe(true);
  });

  test('ids up to 2^53 - 1 come back as they were', () => {
    const ids = Float64Array.of(2 ** 53 - 1, 2 ** 53 - 2, 2 ** 32, 2 ** 32 - 1, 2 ** 31, 0);
    const index = engine.createIndex({ maxDistance: 0, headEntries: 4 });
    index.addBatch({ fingerprints: new BigUint64Array(6), ids });
    expect(
      index.queryBatch({ fingerprints: BigUint64Array.of(0n) }, { distance: 0, limit: NO_LIMIT }).ids,
    ).toEqual(ids.slice().sort());
  });

  test('too many matches for one batch are an error that leaves the index usable', () => {
    const index = engine.createIndex({ maxDistance: 0, maxMatches: 10 });
    index.addBatch({ fingerprints: new BigUint64Array(6), ids: Float64Array.of(0, 1, 2, 3, 4, 5) });
    expect(
      index.queryBatch({ fingerprints: BigUint64Array.of(0n) }, { distance: 0, limit: NO_LIMIT }).ids.length,
    ).toBe(6);
    expect(() =>
      index.queryBatch({ fingerprints: BigUint64Array.of(0n, 0n) }, { distance: 0, limit: NO_LIMIT }),
    ).toThrowError(
      expect.objectContaining({
        code: 'ERR_NEARDUP_OUT_OF_MEMORY',
        message: 'out of memory: the batch has more than 10 matches; set a limit or query fewer at once',
      }),
    );
    expect(
      index.queryBatch({ fingerprints: BigUint64Array.of(0n, 0n) }, { distance: 0, limit: 5 }).ids.length,
    ).toBe(10);
  });
});

test.skipIf(engines.length < 2)('both engines give the same at 50,000 entries, for every distance', () => {
  const fingerprints = collect('planted', 50_000);
  const ids = scatteredIds(50_000);
  const queries = queriesFor(fingerprints, 2000, 8);
  for (const maxDistance of DISTANCES) {
    const [first, second] = engines.map((engine) => {
      const index = engine.createIndex({ maxDistance });
      fill(index, fingerprints, ids, 7000);
      return index.queryBatch({ fingerprints: queries }, { distance: maxDistance, limit: NO_LIMIT });
    });
    expect(first).toEqual(second);
    expect((first as BatchMatches).ids.length).toBeGreaterThan(90);
  }
});
