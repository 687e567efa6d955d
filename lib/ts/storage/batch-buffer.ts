/** Room for a batch that is used again and again. */
import type { EntryBatch, IndexColumns } from '../../engine.ts';
import { copyColumns, type Rows, rowsOf } from '../index/columns.ts';

export class BatchBuffer {
  readonly entries: EntryBatch;
  /** The same arrays. */
  readonly rows: Rows;

  constructor({ time, tag, second }: IndexColumns, room: number) {
    this.entries = {
      fingerprints: new BigUint64Array(room),
      ids: new Float64Array(room),
      ...(time && { times: new Float64Array(room) }),
      ...(tag && { tags: new Uint32Array(room) }),
      ...(second && { secondFingerprints: new BigUint64Array(room) }),
    };
    this.rows = rowsOf(this.entries);
  }

  /** Copies entry `from` to place `to`. */
  copy(from: number, to: number): void {
    const { lanes } = this.rows;
    lanes[2 * to] = lanes[2 * from] as number;
    lanes[2 * to + 1] = lanes[2 * from + 1] as number;
    copyColumns(this.rows, from, this.rows, to);
  }

  /** Moves those of the entries first..end-1 to `first` that are kept; how many. The last one stays in its place too. */
  keep(first: number, end: number, isKept: (i: number) => boolean): number {
    let to = first;
    for (let i = first; i < end; i++) {
      if (!isKept(i)) continue;
      if (to < i) this.copy(i, to);
      to++;
    }
    return to - first;
  }

  /** Views of entries first..end-1. */
  batch(first: number, end: number): EntryBatch {
    const { fingerprints, ids, times, tags, secondFingerprints } = this.entries;
    return {
      fingerprints: fingerprints.subarray(first, end),
      ids: ids.subarray(first, end),
      ...(times && { times: times.subarray(first, end) }),
      ...(tags && { tags: tags.subarray(first, end) }),
      ...(secondFingerprints && { secondFingerprints: secondFingerprints.subarray(first, end) }),
    };
  }
}

/** The bytes of a column. */
export function bytesOf(column: BigUint64Array | Uint32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
