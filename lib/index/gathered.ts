/** All entries of an index, column by column, in the order of (fingerprint, id). */
import type { EntryBatch, IndexColumns } from '../engine.ts';

export interface Gathered {
  readonly count: number;
  readonly fingerprints: BigUint64Array;
  /** The fingerprints as lanes: entry i at 2i (low) and 2i + 1 (high). */
  readonly lanes: Uint32Array;
  readonly ids: Float64Array;
  readonly tags: Uint32Array | undefined;
  readonly secondFingerprints: BigUint64Array | undefined;
}

/** Reads batches to the end into arrays that grow. */
export async function gather(batches: AsyncIterable<EntryBatch>, columns: IndexColumns): Promise<Gathered> {
  let count = 0;
  let fingerprints = new BigUint64Array(0);
  let ids = new Float64Array(0);
  let tags = new Uint32Array(0);
  let secondFingerprints = new BigUint64Array(0);
  for await (const batch of batches) {
    const end = count + batch.ids.length;
    if (end > ids.length) {
      const room = Math.max(end, 2 * ids.length);
      fingerprints = grown(fingerprints, new BigUint64Array(room));
      ids = grown(ids, new Float64Array(room));
      if (columns.tag) tags = grown(tags, new Uint32Array(room));
      if (columns.second) secondFingerprints = grown(secondFingerprints, new BigUint64Array(room));
    }
    fingerprints.set(batch.fingerprints, count);
    ids.set(batch.ids, count);
    if (batch.tags !== undefined) tags.set(batch.tags, count);
    if (batch.secondFingerprints !== undefined) secondFingerprints.set(batch.secondFingerprints, count);
    count = end;
  }
  return {
    count,
    fingerprints: fingerprints.subarray(0, count),
    lanes: new Uint32Array(fingerprints.buffer, 0, 2 * count),
    ids: ids.subarray(0, count),
    tags: columns.tag ? tags.subarray(0, count) : undefined,
    secondFingerprints: columns.second ? secondFingerprints.subarray(0, count) : undefined,
  };
}

function grown<T extends { set(values: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
