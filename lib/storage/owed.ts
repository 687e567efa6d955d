/** Entries of calls that go to the log after they were added. */
import type { EntryBatch } from '../engine.ts';

/** A copy that later changes of the arrays do not reach. */
export function copyBatch({ fingerprints, ids, times, tags, secondFingerprints }: EntryBatch): EntryBatch {
  return {
    fingerprints: fingerprints.slice(),
    ids: ids.slice(),
    ...(times && { times: times.slice() }),
    ...(tags && { tags: tags.slice() }),
    ...(secondFingerprints && { secondFingerprints: secondFingerprints.slice() }),
  };
}

/** The entries that were added, in order; undefined where none was. */
export function pickAdded(entries: EntryBatch, added: Uint8Array): EntryBatch | undefined {
  let count = 0;
  for (const flag of added) count += flag;
  if (count === 0) return undefined;
  if (count === added.length) return entries;
  const picked = copyBatch(entries);
  const columns = [picked.ids, picked.times, picked.tags];
  const longs = [picked.fingerprints, picked.secondFingerprints];
  let at = 0;
  for (let i = 0; i < added.length; i++) {
    if (added[i] === 0) continue;
    for (const column of columns) if (column !== undefined) column[at] = column[i] as number;
    for (const column of longs) if (column !== undefined) column[at] = column[i] as bigint;
    at++;
  }
  const first = <T extends { subarray(start: number, end: number): T }>(column: T) =>
    column.subarray(0, count);
  return {
    fingerprints: first(picked.fingerprints),
    ids: first(picked.ids),
    ...(picked.times && { times: first(picked.times) }),
    ...(picked.tags && { tags: first(picked.tags) }),
    ...(picked.secondFingerprints && { secondFingerprints: first(picked.secondFingerprints) }),
  };
}
