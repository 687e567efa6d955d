/** Columns of entries in typed arrays: entry i stands at i of each, 64-bit values as lanes at 2i and 2i + 1. */
import type { EntryBatch, IndexColumns } from '../../engine.ts';
import { lanesOf } from '../base/bits.ts';

/** All but the fingerprint. */
export interface Columns {
  readonly ids: Float64Array | Uint32Array;
  readonly times: Float64Array | undefined;
  readonly tags: Uint32Array | undefined;
  /** Second fingerprints, as lanes. */
  readonly secondFingerprints: Uint32Array | undefined;
}

/** Entries whole. */
export interface Rows extends Columns {
  /** Fingerprints. */
  readonly lanes: Uint32Array;
}

/** Views of a batch. */
export function rowsOf({ fingerprints, ids, times, tags, secondFingerprints }: EntryBatch): Rows {
  return {
    lanes: lanesOf(fingerprints),
    ids,
    times,
    tags,
    secondFingerprints: secondFingerprints === undefined ? undefined : lanesOf(secondFingerprints),
  };
}

/** Room for `count` entries beside their fingerprints; ids of 32 bits where `narrow`. */
export function allocateColumns(kinds: IndexColumns, count: number, narrow: boolean): Columns {
  return {
    ids: narrow ? new Uint32Array(count) : new Float64Array(count),
    times: kinds.time ? new Float64Array(count) : undefined,
    tags: kinds.tag ? new Uint32Array(count) : undefined,
    secondFingerprints: kinds.second ? new Uint32Array(2 * count) : undefined,
  };
}

/** Copies all but the fingerprint of entry `i` of `from` to place `at` of `to`. */
export function copyColumns(from: Columns, i: number, to: Columns, at: number): void {
  to.ids[at] = from.ids[i] as number;
  if (to.times !== undefined) to.times[at] = (from.times as Float64Array)[i] as number;
  if (to.tags !== undefined) to.tags[at] = (from.tags as Uint32Array)[i] as number;
  if (to.secondFingerprints !== undefined) {
    const secondFingerprints = from.secondFingerprints as Uint32Array;
    to.secondFingerprints[2 * at] = secondFingerprints[2 * i] as number;
    to.secondFingerprints[2 * at + 1] = secondFingerprints[2 * i + 1] as number;
  }
}

/** Below, at or above 0 as entry a stands before, with or after entry b by id, time, tag and second fingerprint. */
export function compareColumns(
  { ids, times, tags, secondFingerprints }: Columns,
  a: number,
  b: number,
): number {
  let difference = (ids[a] as number) - (ids[b] as number);
  if (difference === 0 && times !== undefined) difference = (times[a] as number) - (times[b] as number);
  if (difference === 0 && tags !== undefined) difference = (tags[a] as number) - (tags[b] as number);
  if (difference === 0 && secondFingerprints !== undefined) {
    difference = (secondFingerprints[2 * a + 1] as number) - (secondFingerprints[2 * b + 1] as number);
    if (difference === 0)
      difference = (secondFingerprints[2 * a] as number) - (secondFingerprints[2 * b] as number);
  }
  return difference;
}

/** Bytes of the columns. */
export function bytesOf({ ids, times, tags, secondFingerprints }: Columns): number {
  let bytes = ids.byteLength;
  for (const column of [times, tags, secondFingerprints]) bytes += column?.byteLength ?? 0;
  return bytes;
}
