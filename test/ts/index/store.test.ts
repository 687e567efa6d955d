/** The store between the steps of its rewriting, its merges, and refused memory. */
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { SegmentPayload } from '../../../lib/engine.ts';
import { runSteps } from '../../../lib/ts/base/steps.ts';
import { rowsOf } from '../../../lib/ts/index/columns.ts';
import { Entries } from '../../../lib/ts/index/entries.ts';
import { entryBatches } from '../../../lib/ts/index/entry-batches.ts';
import { TsIndex } from '../../../lib/ts/index/index.ts';
import { Store } from '../../../lib/ts/index/store.ts';
import {
  ALL_COLUMNS,
  batchesOf,
  batchOf,
  type Entry,
  entriesIn,
  entriesOf,
  NO_COLUMNS,
  oracleOf,
  sortedEntries,
} from '../../index/entries.ts';
import { payloadsOf } from '../storage/payloads.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function held(store: Store): Entry[] {
  return entriesIn([...entryBatches(store.parts.freeze())].filter((each) => typeof each === 'object'));
}

const pool = entriesOf('planted', 600);

/** Sizes of the segments of an index, largest first. */
const sizes = (index: TsIndex) => index.stats().segments.map(({ entries }) => entries);

describe('store', () => {
  test('entries come and go between any two steps of a rewriting', () => {
    const change = fc.record({
      verb: fc.constantFrom('add' as const, 'remove' as const, 'removeBefore' as const),
      at: fc.nat(590),
      count: fc.nat(10),
    });
    const run = fc.property(
      fc.array(change, { maxLength: 60, size: 'max' }),
      fc.boolean(),
      (changes, isMerge) => {
        const store = new Store(ALL_COLUMNS, 3, 16);
        const oracle = oracleOf([]);
        const add = (some: readonly Entry[]) => {
          store.add(rowsOf(batchOf(some)), some.length);
          for (const { fingerprint, id, ...columns } of some) oracle.add(fingerprint, id, columns);
        };
        add(pool.slice(0, 300));
        add(pool.slice(300, 310));
        if (isMerge) {
          // Two segments of about one size, which are not merged yet.
          for (const from of [310, 440]) {
            const entries = new Entries(ALL_COLUMNS, 120);
            const some = pool.slice(from, from + 120);
            entries.append(rowsOf(batchOf(some)), 120);
            runSteps(store.addSegment(entries));
            for (const { fingerprint, id, ...columns } of some) oracle.add(fingerprint, id, columns);
          }
        }
        const steps = isMerge ? store.mergeSteps() : store.compactSteps();
        let [taken, between] = [0, 0];
        for (const { verb, at, count } of changes) {
          if (steps.next().done !== true) between++;
          taken++;
          const some = pool.slice(at, at + count);
          if (verb === 'add') add(some);
          else if (verb === 'removeBefore') expect(store.removeBefore(at)).toBe(oracle.removeBefore(at));
          else {
            const rows = rowsOf(batchOf(some));
            const counts = some.map(({ fingerprint, id }) => oracle.remove(fingerprint, id));
            expect(Array.from(store.remove(rows.lanes, rows.ids as Float64Array))).toEqual(counts);
          }
          expect(store.parts.size).toBe(oracle.entries.length);
        }
        runSteps(steps);
        expect(held(store)).toEqual(sortedEntries(oracle));
        expect(store.isMerging).toBe(false);
        return taken === 0 || between > 0;
      },
    );
    fc.assert(run, { numRuns: 200, seed: 4 });
  });

  test('a rewriting that is given up leaves all as it was', () => {
    const store = new Store(ALL_COLUMNS, 3, 16);
    store.add(rowsOf(batchOf(pool.slice(0, 400))), 400);
    const rows = rowsOf(batchOf(pool.slice(0, 50)));
    store.remove(rows.lanes, rows.ids as Float64Array);
    const before = held(store);
    const steps = store.compactSteps();
    steps.next();
    expect(store.isMerging).toBe(true);
    steps.return();
    expect(store.isMerging).toBe(false);
    expect(held(store)).toEqual(before);
  });

  test('segments merge as they come, one more than a quarter removed is written anew', async () => {
    const index = new TsIndex({ maxDistance: 3, headEntries: 8 });
    const distinct = Array.from({ length: 2000 }, (_, i) => ({
      ...(pool[0] as Entry),
      fingerprint: BigInt(i) << 9n,
      id: i,
    }));
    for (let from = 0; from < 1000; from += 10) {
      index.addBatch(batchOf(distinct.slice(from, from + 10), NO_COLUMNS));
    }
    expect(sizes(index).every((size, i, all) => i === 0 || size * 2 <= (all[i - 1] as number))).toBe(true);
    await index.compact().result;
    const removal = (from: number, to: number) => {
      const { fingerprints, ids } = batchOf(distinct.slice(from, to));
      index.removeBatch(fingerprints, ids);
      return index.stats().segments.map(({ entries, removed }) => [entries, removed]);
    };
    expect(removal(0, 250)).toEqual([[750, 250]]);
    expect(removal(250, 251)).toEqual([[749, 0]]);
    expect(removal(251, 1000)).toEqual([]);
    expect(await batchesOf(index.entries())).toEqual([]);
  });

  test('segments of jobs are merged behind them', async () => {
    const index = new TsIndex({ maxDistance: 3, columns: ALL_COLUMNS });
    for (let from = 0; from < 600; from += 50)
      await index.addBatchAsync(batchOf(pool.slice(from, from + 50))).result;
    await index.compact().result;
    expect(sizes(index)).toEqual([600]);
    for (let from = 0; from < 200; from += 20)
      await index.addBatchAsync(batchOf(pool.slice(from, from + 20))).result;
    // A job that ends later than the merges.
    await index.compact().result;
    expect(sizes(index)).toEqual([800]);
    expect(entriesIn(await batchesOf(index.entries()))).toEqual(
      sortedEntries(oracleOf([...pool, ...pool.slice(0, 200)])),
    );
  });
});

describe('memory that is refused', () => {
  class Refused {
    constructor() {
      throw new RangeError('Array buffer allocation failed');
    }
  }

  /** After `allowed` more arrays, there are none. */
  function refuseAfter(allowed: number): void {
    for (const name of ['Uint32Array', 'Float64Array', 'Uint8Array', 'Int8Array'] as const) {
      const real = globalThis[name] as unknown as new (...args: unknown[]) => object;
      const counted = new Proxy(real, {
        construct: (target, args, newTarget) => {
          if (typeof args[0] === 'number' && allowed-- <= 0) return new Refused();
          return Reflect.construct(target, args, newTarget);
        },
      });
      vi.stubGlobal(name, counted);
    }
  }

  const more = batchOf(pool.slice(300, 600));
  const all = batchOf(pool);
  const verbs: Record<string, (index: TsIndex) => unknown> = {
    addBatch: (index) => index.addBatch(more),
    addBatchAsync: (index) => index.addBatchAsync(more).result,
    queryBatch: (index) => index.queryBatch(all, { distance: 9, limit: 5 }),
    queryBatchAsync: (index) => index.queryBatchAsync(all, { distance: 9, limit: 5 }).result,
    removeBatch: (index) => index.removeBatch(all.fingerprints, all.ids),
    compact: (index) => index.compact().result,
    pairs: (index) => batchesOf(index.pairs({ distance: 3, limit: 5 })),
    join: (index) => batchesOf(index.join(index, { distance: 3, limit: 5 })),
    entries: (index) => batchesOf(index.entries()),
    openSegment: (index) => index.openSegment(stored),
    checkpoint: (index) => index.checkpoint().parts.map((part) => part.length()),
  };
  const other = new TsIndex({ maxDistance: 3, columns: ALL_COLUMNS });
  other.addBatch(more);
  const stored = payloadsOf(other.checkpoint())[0]?.file as SegmentPayload;

  test.each(Object.keys(verbs))('%s: an error, and everything held is held', async (verb) => {
    let refusals = 0;
    for (let allowed = 0; allowed < 200; allowed += allowed < 12 ? 1 : 7) {
      const index = new TsIndex({ maxDistance: 3, headEntries: 32, columns: ALL_COLUMNS });
      index.addBatch(batchOf(pool.slice(0, 200)));
      index.addBatch(batchOf(pool.slice(200, 220)));
      index.addBatch(batchOf(pool.slice(220, 300)));
      index.addBatch(batchOf(pool.slice(300, 310)));
      const before = entriesIn(await batchesOf(index.entries()));
      const call = (): unknown => (verbs[verb] as (index: TsIndex) => unknown)(index);
      refuseAfter(allowed);
      let error: unknown;
      try {
        await call();
      } catch (thrown) {
        error = thrown;
      }
      vi.unstubAllGlobals();
      if (error === undefined) continue;
      refusals++;
      expect(error).toMatchObject({ code: 'ERR_NEARDUP_OUT_OF_MEMORY' });
      expect(entriesIn(await batchesOf(index.entries()))).toEqual(before);
      expect(index.stats().merging).toBe(false);
      await call();
    }
    expect(refusals).toBeGreaterThan(0);
  });
});
