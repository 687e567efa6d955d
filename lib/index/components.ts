/**
 * Groups as connected components: union-find over the pairs of distinct fingerprints, so that many equal ones cost
 * no pair each. Ids with several fingerprints connect them.
 */
import type { EngineIndex } from '../engine.ts';
import { distance64 } from '../ts/base/bits.ts';
import type { Gathered } from './gathered.ts';
import type { Members } from './group-list.ts';
import type { CheckedGroups } from './groups.ts';
import { numbered, type Pace, sortBy } from './order.ts';
import { readBatches } from './work.ts';

/** Sets that merge; the smallest number of a set stands for it. */
class Sets {
  private readonly parents: Uint32Array;

  constructor(count: number) {
    this.parents = numbered(count);
  }

  find(i: number): number {
    const { parents } = this;
    while (parents[i] !== i) {
      const parent = parents[i] as number;
      parents[i] = parents[parent] as number;
      i = parent;
    }
    return i;
  }

  unite(a: number, b: number): void {
    const [rootA, rootB] = [this.find(a), this.find(b)];
    this.parents[Math.max(rootA, rootB)] = Math.min(rootA, rootB);
  }
}

/** Distances are to so many of the fingerprints that an owner has, the first ones. */
const COMPARED = 64;

/** Each entry's owner is the smallest id that a chain of pairs leads to. Fills the empty index. */
export async function findComponents(
  index: EngineIndex,
  entries: Gathered,
  { distance, secondDistance, signal, onProgress }: CheckedGroups,
  pace: Pace,
): Promise<Members> {
  const { count, ids, lanes } = entries;
  const rowOf = await fill(index, entries, secondDistance !== undefined, pace);
  const sets = new Sets(index.size);
  const search = {
    distance,
    limit: Number.POSITIVE_INFINITY,
    ...(secondDistance !== undefined && { secondDistance }),
  };
  const report = onProgress && ((share: number) => onProgress(0.99 * share));
  const pairs = readBatches(
    () => index.pairs(search),
    () => false,
    { signal, onProgress: report },
  );
  for await (const { firstIds, secondIds } of pairs) {
    for (let i = 0; i < firstIds.length; i++) sets.unite(firstIds[i] as number, secondIds[i] as number);
  }
  const order = await sortBy(pace, numbered(count), (i) => ids[i] as number);
  const row = (at: number): number => rowOf[order[at] as number] as number;
  await pace.each(count - 1, (at) => {
    if (ids[order[at] as number] === ids[order[at + 1] as number]) sets.unite(row(at), row(at + 1));
  });
  // The first entry, in the order of ids, of each set; its id stands for the set.
  const firsts = new Float64Array(index.size).fill(-1);
  const members = {
    ids: new Float64Array(count),
    owners: new Float64Array(count),
    distances: new Uint8Array(count),
  };
  await pace.each(count, (at) => {
    const i = order[at] as number;
    const root = sets.find(row(at));
    if (firsts[root] === -1) firsts[root] = at;
    const first = firsts[root] as number;
    const owner = ids[order[first] as number] as number;
    let nearest = 64;
    const last = Math.min(count, first + COMPARED);
    for (let f = first; f < last && ids[order[f] as number] === owner; f++) {
      nearest = Math.min(nearest, distance64(lanes, i, lanes, order[f] as number));
    }
    members.ids[at] = ids[i] as number;
    members.owners[at] = owner;
    members.distances[at] = nearest;
  });
  return members;
}

/** Adds each distinct fingerprint (with its tag, and second fingerprint) once, numbered; each entry's number. */
async function fill(
  index: EngineIndex,
  { count, lanes, fingerprints, tags, secondFingerprints }: Gathered,
  bySecond: boolean,
  pace: Pace,
): Promise<Uint32Array> {
  const secondLanes =
    bySecond && secondFingerprints ? new Uint32Array(secondFingerprints.buffer, 0, 2 * count) : undefined;
  let order = numbered(count);
  const columns = [
    ...(secondLanes ? [(i: number) => secondLanes[2 * i] as number] : []),
    ...(secondLanes ? [(i: number) => secondLanes[2 * i + 1] as number] : []),
    ...(tags ? [(i: number) => tags[i] as number] : []),
  ];
  if (columns.length > 0) {
    columns.push(
      (i) => lanes[2 * i] as number,
      (i) => lanes[2 * i + 1] as number,
    );
  }
  for (const key of columns) order = await sortBy(pace, order, key);
  const isSame = (a: number, b: number): boolean =>
    distance64(lanes, a, lanes, b) === 0 &&
    (tags === undefined || tags[a] === tags[b]) &&
    (secondLanes === undefined || distance64(secondLanes, a, secondLanes, b) === 0);
  const rowOf = new Uint32Array(count);
  const firsts = new Uint32Array(count);
  let rows = 0;
  await pace.each(count, (at) => {
    const i = order[at] as number;
    if (at === 0 || !isSame(order[at - 1] as number, i)) firsts[rows++] = i;
    rowOf[i] = rows - 1;
  });
  const batch = {
    fingerprints: new BigUint64Array(rows),
    ids: new Float64Array(rows),
    ...(tags && { tags: new Uint32Array(rows) }),
    ...(bySecond && { secondFingerprints: new BigUint64Array(rows) }),
  };
  await pace.each(rows, (row) => {
    const i = firsts[row] as number;
    batch.fingerprints[row] = fingerprints[i] as bigint;
    batch.ids[row] = row;
    if (batch.tags !== undefined) batch.tags[row] = tags?.[i] as number;
    if (batch.secondFingerprints !== undefined)
      batch.secondFingerprints[row] = secondFingerprints?.[i] as bigint;
  });
  await index.addBatchAsync(batch).result;
  return rowOf;
}
