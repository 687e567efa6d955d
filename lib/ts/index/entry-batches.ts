/** All entries of an index in the order of (fingerprint, id, time, tag, second), in batches. */
import type { EntryBatch } from '../../engine.ts';
import { allocateColumns, copyColumns } from './columns.ts';
import { BATCH_ITEMS, type Batches } from './cursor.ts';
import { gatherEntries } from './pairs.ts';
import type { Parts } from './parts.ts';
import { type Sorted, sortEntries } from './sorted.ts';

/** A column of 64-bit values given as lanes. */
const values = ({ buffer }: Uint32Array): BigUint64Array => new BigUint64Array(buffer);

function batchOf({ kinds, lanes, order, columns }: Sorted, from: number, to: number): EntryBatch {
  const batch = allocateColumns(kinds, to - from, false);
  for (let i = from; i < to; i++) copyColumns(columns, order[i] as number, batch, i - from);
  return {
    fingerprints: values(lanes.slice(2 * from, 2 * to)),
    ids: batch.ids as Float64Array,
    ...(batch.times && { times: batch.times }),
    ...(batch.tags && { tags: batch.tags }),
    ...(batch.secondFingerprints && { secondFingerprints: values(batch.secondFingerprints) }),
  };
}

export function* entryBatches(parts: Parts): Batches<EntryBatch> {
  const sorted = yield* sortEntries(yield* gatherEntries(parts));
  for (let from = 0; from < sorted.count; from += BATCH_ITEMS) {
    yield batchOf(sorted, from, Math.min(sorted.count, from + BATCH_ITEMS));
    yield BATCH_ITEMS;
  }
}
