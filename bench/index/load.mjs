// How the benchmarks fill an index.
import { setTimeout as sleep } from 'node:timers/promises';
import { countedIds } from './codes.mjs';

/** Fills an empty index by its bulk load, where it has one, else by batches that are merged afterwards. */
export async function bulkLoad(index, batches) {
  if (typeof index.load === 'function') {
    await index.load(batches);
    return;
  }
  for await (const { fingerprints, ids } of batches) await index.addBatchAsync(fingerprints, ids);
  await index.compact();
}

/** One batch of all fingerprints, with their positions as ids. */
export function wholeBatch(codes) {
  return [{ fingerprints: codes, ids: countedIds(codes.length) }];
}

/** Waits until no merge is under way. */
export async function settle(index) {
  while (index.stats().merging) await sleep(1);
}

export async function countPairs(index, options) {
  let count = 0;
  for await (const { distances } of index.pairs(options)) count += distances.length;
  return count;
}

/** Matches found by queries in batches; a limit as in queryBatch. */
export function runQueries(index, queries, batch, options) {
  let matches = 0;
  for (let at = 0; at < queries.length; at += batch) {
    matches += index.queryBatch(queries.subarray(at, at + batch), options).ids.length;
  }
  return matches;
}
