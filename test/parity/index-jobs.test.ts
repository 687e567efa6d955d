/** Jobs and cursors of each engine's index: what they see, how they end, and that the event loop has its turns. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../lib/engine.ts';
import { engines } from '../engines.ts';
import {
  ALL_COLUMNS,
  batchesOf,
  batchOf,
  type Entry,
  entriesIn,
  entriesOf,
  fillIn,
  oracleOf,
  pairsIn,
  sortedEntries,
} from '../index/entries.ts';

const SMALL = { maxDistance: 3, headEntries: 32, columns: ALL_COLUMNS };
const ALL = { distance: 3, limit: Number.POSITIVE_INFINITY };

describe.each(engines)('$backend engine', (engine) => {
  const entries = entriesOf('planted', 3000);
  const filled = (some: readonly Entry[] = entries) => {
    const index = engine.createIndex(SMALL);
    fillIn(index, some);
    return index;
  };

  test('addBatchAsync holds what addBatch holds; its arrays may change at once', async () => {
    const index = engine.createIndex(SMALL);
    const jobs: Job<true>[] = [];
    for (let from = 0; from < entries.length; from += 500) {
      const batch = batchOf(entries.slice(from, from + 500));
      jobs.push(index.addBatchAsync(batch));
      batch.fingerprints.fill(0n);
      batch.ids.fill(0);
      batch.secondFingerprints?.fill(0n);
      batch.tags?.fill(9);
    }
    for (const job of jobs) {
      expect(await job.result).toBe(true);
      expect(job.progress()).toBe(1);
    }
    expect(index.size).toBe(entries.length);
    const oracle = oracleOf(entries);
    expect(entriesIn(await batchesOf(index.entries()))).toEqual(sortedEntries(oracle));
    const { fingerprints, ids } = batchOf(entries.slice(0, 900));
    const counts = entries.slice(0, 900).map(({ fingerprint, id }) => oracle.remove(fingerprint, id));
    expect(Array.from(index.removeBatch(fingerprints, ids))).toEqual(counts);
    expect(index.size).toBe(oracle.entries.length);
  });

  test('queryBatchAsync answers from what is held when it is called', async () => {
    const index = filled();
    const queries = { fingerprints: batchOf(entries.slice(0, 500)).fingerprints };
    for (const distance of [3, 30]) {
      const expected = index.queryBatch(queries, { ...ALL, distance, limit: 9 });
      const mutable = { fingerprints: queries.fingerprints.slice() };
      const job = index.queryBatchAsync(mutable, { ...ALL, distance, limit: 9 });
      mutable.fingerprints.fill(0n);
      const { fingerprints, ids } = batchOf(entries.slice(0, 100));
      index.removeBatch(fingerprints, ids);
      index.addBatch({ ...batchOf(entries.slice(0, 100)), ids: ids.map((id) => id + 1) });
      expect(await job.result).toEqual(expected);
      index.removeBatch(
        fingerprints,
        ids.map((id) => id + 1),
      );
      index.addBatch(batchOf(entries.slice(0, 100)));
    }
  });

  test('cursors give what was held when they were made', async () => {
    const some = entries.slice(0, 400);
    const index = filled(some);
    const oracle = oracleOf(some);
    const cursors = [index.pairs({ ...ALL, distance: 9 }), index.join(index, ALL)] as const;
    const all = index.entries();
    const { fingerprints, ids } = batchOf(some.slice(0, 200));
    index.removeBatch(fingerprints, ids);
    index.removeBefore(10 * 2 ** 40);
    index.addBatch(batchOf(entries.slice(1000, 1200)));
    await index.compact().result;
    expect(pairsIn(await batchesOf(cursors[0]))).toEqual(oracle.pairs(9));
    expect(pairsIn(await batchesOf(cursors[1]))).toEqual(oracle.join(oracle, 3, true));
    expect(entriesIn(await batchesOf(all))).toEqual(sortedEntries(oracle));
  });

  test('entries come and go while segments are made one', async () => {
    const index = filled();
    const oracle = oracleOf(entries);
    // No other entry has these ids.
    const late = entries.slice(0, 300).map((entry) => ({ ...entry, id: entry.id + 1 }));
    const jobs = [index.compact(), index.addBatchAsync(batchOf(late)), index.compact()];
    for (let round = 0; round < 20; round++) {
      const piece = entries.slice(100 * round, 100 * round + 100);
      const removed = piece.slice(0, 50);
      const { fingerprints, ids } = batchOf(removed);
      const counts = removed.map(({ fingerprint, id }) => oracle.remove(fingerprint, id));
      expect(Array.from(index.removeBatch(fingerprints, ids))).toEqual(counts);
      index.addBatch(batchOf(piece.slice(0, 20)));
      for (const { fingerprint, id, ...columns } of piece.slice(0, 20)) oracle.add(fingerprint, id, columns);
      await nextTurn();
    }
    expect(await Promise.all(jobs.map(({ result }) => result))).toEqual([true, true, true]);
    for (const { fingerprint, id, ...columns } of late) oracle.add(fingerprint, id, columns);
    expect(entriesIn(await batchesOf(index.entries()))).toEqual(sortedEntries(oracle));
    const time = 20 * 2 ** 40;
    const last = index.compact();
    expect(index.removeBefore(time)).toBe(oracle.removeBefore(time));
    expect(await last.result).toBe(true);
    expect(await index.compact().result).toBe(true);
    const { segments, headEntries, merging } = index.stats();
    expect([segments.length, segments[0]?.removed, headEntries, merging]).toEqual([1, 0, 0, false]);
    expect(entriesIn(await batchesOf(index.entries()))).toEqual(sortedEntries(oracle));
  });

  test('a cancelled job ends without a result and changes nothing', async () => {
    const index = filled();
    const jobs: Job<unknown>[] = [
      index.addBatchAsync(batchOf(entries)),
      index.queryBatchAsync(batchOf(entries), { ...ALL, distance: 40 }),
      index.compact(),
    ];
    const cursors = [index.pairs(ALL), index.join(index, ALL), index.entries()];
    for (const cursor of cursors) jobs.push(cursor.next());
    for (const job of jobs) job.cancel();
    for (const job of jobs) expect(await job.result).toBeUndefined();
    for (const cursor of cursors) expect(await cursor.next().result).toBeUndefined();
    expect(entriesIn(await batchesOf(index.entries()))).toEqual(sortedEntries(oracleOf(entries)));
    for (const job of jobs) job.cancel();
  });

  test('close() ends work under way as if it were cancelled', async () => {
    const index = filled();
    const other = filled();
    const jobs: Job<unknown>[] = [
      index.addBatchAsync(batchOf(entries)),
      index.queryBatchAsync(batchOf(entries), { ...ALL, distance: 40 }),
      index.compact(),
      index.compact(),
      index.pairs(ALL).next(),
      index.join(other, ALL).next(),
      other.join(index, ALL).next(),
      index.entries().next(),
    ];
    const between = index.entries();
    index.close();
    for (const job of jobs) expect(await job.result).toBeUndefined();
    expect(await between.next().result).toBeUndefined();
    expect(other.size).toBe(entries.length);
    expect(entriesIn(await batchesOf(other.entries()))).toEqual(sortedEntries(oracleOf(entries)));
  });

  test('a cursor closed between its batches, and twice', async () => {
    const index = filled();
    const cursor = index.pairs({ ...ALL, distance: 40 });
    expect((await cursor.next().result)?.distances.length).toBeGreaterThan(0);
    cursor.close();
    cursor.close();
    expect(await cursor.next().result).toBeUndefined();
    expect(index.size).toBe(entries.length);
  });

  test('the event loop has its turns, and progress does not go back', async () => {
    const many = entriesOf('uniform', 60_000);
    const index = engine.createIndex(SMALL);
    const jobs = [
      index.addBatchAsync(batchOf(many)),
      index.queryBatchAsync({ fingerprints: batchOf(many).fingerprints }, { ...ALL, distance: 64 }),
    ];
    index.addBatch(batchOf(many.slice(0, 2000)));
    let turns = 0;
    let isDone = false;
    const shares = jobs.map((job) => [job.progress()]);
    const done = Promise.all(jobs.map(({ result }) => result)).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await nextTurn();
      turns++;
      jobs.forEach((job, i) => {
        shares[i]?.push(job.progress());
      });
    }
    await done;
    expect(turns).toBeGreaterThan(engine.backend === 'js' ? 3 : 0);
    for (const each of shares) {
      expect(each.every((share, i) => share >= (each[i - 1] ?? 0) && share <= 1)).toBe(true);
    }
  });
});
