/** Groups by representative: what an addIfNewBatch of all entries, in ascending order of id, finds near. */
import type { EngineIndex, EntryBatch } from '../engine.ts';
import type { Gathered } from './gathered.ts';
import type { Members } from './group-list.ts';
import type { CheckedGroups } from './groups.ts';
import { numbered, type Pace, sortBy } from './order.ts';

/** Entries of one call to the engine. */
const BATCH = 1024;

/** Adds the entries to an empty index; each one's owner is the entry near it, or itself. */
export async function findRepresentatives(
  index: EngineIndex,
  entries: Gathered,
  { distance, secondDistance, onProgress }: CheckedGroups,
  pace: Pace,
): Promise<Members> {
  const { count } = entries;
  const order = await sortBy(pace, numbered(count), (i) => entries.ids[i] as number);
  const members = {
    ids: new Float64Array(count),
    owners: new Float64Array(count),
    distances: new Uint8Array(count),
  };
  for (let from = 0; from < count; from += BATCH) {
    const batch = take(entries, order.subarray(from, from + BATCH), secondDistance !== undefined);
    const { added, nearestIds, nearestDistances } = index.addIfNewBatch(batch, distance, secondDistance);
    members.ids.set(batch.ids, from);
    members.owners.set(
      batch.ids.map((id, i) => (added[i] === 1 ? id : (nearestIds[i] as number))),
      from,
    );
    members.distances.set(nearestDistances, from);
    onProgress?.(Math.min(0.99, from / count));
    await pace.rest();
  }
  return members;
}

function take(
  { fingerprints, ids, tags, secondFingerprints }: Gathered,
  order: Uint32Array,
  withSeconds: boolean,
): EntryBatch {
  const batch = {
    fingerprints: new BigUint64Array(order.length),
    ids: new Float64Array(order.length),
    ...(tags && { tags: new Uint32Array(order.length) }),
    ...(withSeconds && { secondFingerprints: new BigUint64Array(order.length) }),
  };
  for (let at = 0; at < order.length; at++) {
    const i = order[at] as number;
    batch.fingerprints[at] = fingerprints[i] as bigint;
    batch.ids[at] = ids[i] as number;
    if (tags !== undefined && batch.tags !== undefined) batch.tags[at] = tags[i] as number;
    if (secondFingerprints !== undefined && batch.secondFingerprints !== undefined)
      batch.secondFingerprints[at] = secondFingerprints[i] as bigint;
  }
  return batch;
}
