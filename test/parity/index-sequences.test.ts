/** Any sequence of the verbs on each engine's index gives what the oracle gives. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchMatches, EngineIndex } from '../../lib/engine.ts';
import { engines } from '../engines.ts';
import {
  ALL_COLUMNS,
  answer,
  batchesOf,
  batchOf,
  type Entry,
  entriesIn,
  pairsIn,
  sortedEntries,
} from '../index/entries.ts';
import { Oracle } from '../index/oracle.ts';

// Few bits, ids, times and tags, so that near, equal and removed entries are common.
const bits = (base: bigint, most: number) =>
  fc.array(fc.integer({ min: 0, max: 63 }), { maxLength: most }).map((flips) => {
    let value = base;
    for (const bit of flips) value ^= 1n << BigInt(bit % 23);
    return value;
  });

const entry: fc.Arbitrary<Entry> = fc.record({
  fingerprint: bits(0x0123_4567_89ab_cdefn, 4),
  id: fc.nat(25),
  time: fc.nat(6),
  tag: fc.nat(1),
  second: bits(0xffff_0000_ffff_0000n, 5),
});
const entries = fc.array(entry, { maxLength: 30, size: 'max' });
const optional = (most: number) => fc.option(fc.nat(most), { nil: undefined });

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ verb: fc.constantFrom('add' as const, 'addAsync' as const), entries }),
  },
  fc.record({
    verb: fc.constant('addIfNew' as const),
    entries,
    distance: fc.nat(9),
    secondDistance: optional(6),
  }),
  fc.record({
    verb: fc.constantFrom('query' as const, 'queryAsync' as const),
    entries,
    distance: fc.nat(12),
    limit: fc.integer({ min: 1, max: 30 }),
    secondDistance: optional(6),
    since: optional(6),
    byTag: fc.boolean(),
  }),
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('remove' as const), entries }) },
  fc.record({ verb: fc.constant('removeBefore' as const), time: fc.nat(4) }),
  fc.record({ verb: fc.constantFrom('compact' as const, 'entries' as const) }),
  fc.record({
    verb: fc.constantFrom('pairs' as const, 'join' as const),
    distance: fc.nat(6),
    limit: fc.integer({ min: 1, max: 10 }),
    secondDistance: optional(6),
  }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(index: EngineIndex, oracle: Oracle, each: Step): Promise<void> {
  switch (each.verb) {
    case 'add':
    case 'addAsync': {
      const batch = batchOf(each.entries);
      if (each.verb === 'add') index.addBatch(batch);
      else expect(await index.addBatchAsync(batch).result).toBe(true);
      for (const { fingerprint, id, ...columns } of each.entries) oracle.add(fingerprint, id, columns);
      break;
    }
    case 'addIfNew': {
      const result = index.addIfNewBatch(batchOf(each.entries), each.distance, each.secondDistance);
      for (const [i, { fingerprint, id, ...columns }] of each.entries.entries()) {
        const match = oracle.addIfNew(fingerprint, id, each.distance, columns, each.secondDistance);
        expect([result.added[i], result.nearestIds[i], result.nearestDistances[i]]).toEqual(
          match === undefined ? [1, -1, 0] : [0, match.id, match.distance],
        );
      }
      break;
    }
    case 'query':
    case 'queryAsync': {
      const { distance, limit, secondDistance, since, byTag } = each;
      const { fingerprints, tags, secondFingerprints } = batchOf(each.entries);
      const bySecond = secondDistance !== undefined;
      const queries = {
        fingerprints,
        ...(byTag && { tags: tags as Uint32Array }),
        ...(bySecond && { secondFingerprints: secondFingerprints as BigUint64Array }),
      };
      const search = {
        distance,
        limit,
        ...(bySecond && { secondDistance }),
        ...(since !== undefined && { since }),
      };
      const result =
        each.verb === 'query'
          ? index.queryBatch(queries, search)
          : ((await index.queryBatchAsync(queries, search).result) as BatchMatches);
      for (const [i, { fingerprint, tag, second }] of each.entries.entries()) {
        const conditions = {
          limit,
          since,
          secondDistance,
          tag: byTag ? tag : undefined,
          second: bySecond ? second : undefined,
        };
        expect(answer(result, i)).toEqual(oracle.query(fingerprint, distance, conditions));
      }
      break;
    }
    case 'remove': {
      const { fingerprints, ids } = batchOf(each.entries);
      const counts = each.entries.map(({ fingerprint, id }) => oracle.remove(fingerprint, id));
      expect(Array.from(index.removeBatch(fingerprints, ids))).toEqual(counts);
      break;
    }
    case 'removeBefore':
      expect(index.removeBefore(each.time)).toBe(oracle.removeBefore(each.time));
      break;
    case 'compact':
      expect(await index.compact().result).toBe(true);
      expect(index.stats().segments.length).toBe(oracle.entries.length > 0 ? 1 : 0);
      break;
    case 'entries':
      expect(entriesIn(await batchesOf(index.entries()))).toEqual(sortedEntries(oracle));
      break;
    case 'pairs':
    case 'join': {
      const { distance, limit, secondDistance } = each;
      const search = { distance, limit, ...(secondDistance !== undefined && { secondDistance }) };
      const cursor = each.verb === 'pairs' ? index.pairs(search) : index.join(index, search);
      const expected =
        each.verb === 'pairs' ? oracle.pairs(distance, search) : oracle.join(oracle, distance, true, search);
      expect(pairsIn(await batchesOf(cursor))).toEqual(expected);
    }
  }
}

test.each(engines)('$backend engine: any sequence of verbs', async (engine) => {
  const run = fc.asyncProperty(
    fc.nat(9),
    fc.integer({ min: 1, max: 12 }),
    fc.array(step, { maxLength: 24, size: 'max' }),
    async (maxDistance, headEntries, steps) => {
      const index = engine.createIndex({ maxDistance, headEntries, columns: ALL_COLUMNS });
      const oracle = new Oracle();
      for (const each of steps) {
        await take(index, oracle, each);
        expect(index.size).toBe(oracle.entries.length);
      }
      index.close();
    },
  );
  await fc.assert(run, { numRuns: 150, seed: 21 });
});
