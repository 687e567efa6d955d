/** Entries with columns, and what helps to put an engine's index beside the oracle. */
import type {
  BatchMatches,
  Cursor,
  EngineIndex,
  EntryBatch,
  IndexColumns,
  PairBatch,
} from '../../lib/engine.ts';
import { collect, Random } from './collections.ts';
import { Oracle, type OracleEntry, type Pair } from './oracle.ts';

export const ALL_COLUMNS = { time: true, tag: true, second: true };
export const NO_COLUMNS = { time: false, tag: false, second: false };

/** An entry, whole. */
export type Entry = Pick<OracleEntry, 'fingerprint' | 'id' | 'time' | 'tag' | 'second'>;

/** `count` entries of a collection: ids out of order, some twice; some entries twice, whole or with other columns. */
export function entriesOf(name: string, count: number, seed = 1): Entry[] {
  const random = new Random(seed + 40);
  const secondFingerprints = collect('templates with 0..6 flips', count, seed + 1);
  const entries: Entry[] = [];
  for (const [i, fingerprint] of collect(name, count, seed).entries()) {
    const columns = {
      time: random.below(50) * 2 ** 40,
      tag: random.below(3),
      second: secondFingerprints[i] as bigint,
    };
    const earlier = entries[random.below(i + 1)];
    const kind = random.below(12);
    if (earlier !== undefined && kind === 0) entries.push(earlier);
    else if (earlier !== undefined && kind === 1) entries.push({ ...earlier, ...columns });
    else entries.push({ fingerprint, id: random.below(count * 3) * 2 ** 18, ...columns });
  }
  return entries;
}

/** The entries as a batch with the columns of an index. */
export function batchOf(entries: readonly Entry[], columns: IndexColumns = ALL_COLUMNS): EntryBatch {
  return {
    fingerprints: BigUint64Array.from(entries, ({ fingerprint }) => fingerprint),
    ids: Float64Array.from(entries, ({ id }) => id),
    ...(columns.time && { times: Float64Array.from(entries, ({ time }) => time) }),
    ...(columns.tag && { tags: Uint32Array.from(entries, ({ tag }) => tag) }),
    ...(columns.second && { secondFingerprints: BigUint64Array.from(entries, ({ second }) => second) }),
  };
}

/** An oracle with the entries; columns that the index does not have are left out. */
export function oracleOf(entries: readonly Entry[], columns: IndexColumns = ALL_COLUMNS): Oracle {
  const oracle = new Oracle();
  for (const { fingerprint, id, time, tag, second } of entries) {
    oracle.add(fingerprint, id, {
      ...(columns.time && { time }),
      ...(columns.tag && { tag }),
      ...(columns.second && { second }),
    });
  }
  return oracle;
}

/** Adds the entries in pieces, so that some stand in segments of several sizes and some in the head. */
export function fillIn(
  index: EngineIndex,
  entries: readonly Entry[],
  columns: IndexColumns = ALL_COLUMNS,
): void {
  const cuts = [0, 0.6, 0.8, 0.9, 0.91, 0.98, 1].map((share) => Math.floor(share * entries.length));
  cuts.slice(1).forEach((end, i) => {
    index.addBatch(batchOf(entries.slice(cuts[i], end), columns));
  });
}

/** All batches of a cursor. */
export async function batchesOf<T>(cursor: Cursor<T>): Promise<T[]> {
  const batches: T[] = [];
  for (;;) {
    const batch = await cursor.next().result;
    if (batch === undefined) break;
    batches.push(batch);
  }
  cursor.close();
  return batches;
}

/** All pairs of batches, none of which may be empty. */
export function pairsIn(batches: readonly PairBatch[]): Pair[] {
  return batches.flatMap(({ firstIds, secondIds, distances }) => {
    if (firstIds.length === 0) throw new Error('an empty batch');
    return Array.from(firstIds, (id, i): Pair => [id, secondIds[i] as number, distances[i] as number]);
  });
}

/** All entries of batches; columns that are not there are 0. */
export function entriesIn(batches: readonly EntryBatch[]): Entry[] {
  return batches.flatMap(({ fingerprints, ids, times, tags, secondFingerprints }) => {
    if (ids.length === 0) throw new Error('an empty batch');
    return Array.from(ids, (id, i) => ({
      fingerprint: fingerprints[i] as bigint,
      id,
      time: times?.[i] ?? 0,
      tag: tags?.[i] ?? 0,
      second: secondFingerprints?.[i] ?? 0n,
    }));
  });
}

/** The oracle's entries, in order, without what only it needs. */
export function sortedEntries(oracle: Oracle): Entry[] {
  return oracle
    .sorted()
    .map(({ fingerprint, id, time, tag, second }) => ({ fingerprint, id, time, tag, second }));
}

/** The matches of query i of a batch. */
export function answer({ offsets, ids, distances }: BatchMatches, i: number) {
  const from = offsets[i] as number;
  return Array.from(ids.subarray(from, offsets[i + 1]), (id, j) => ({ id, distance: distances[from + j] }));
}
