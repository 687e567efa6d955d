/** A permuted table: the rows of a segment in the order of one key, with a directory of its buckets. */
import { inStrides, type Steps } from '../base/steps.ts';
import { type Flips, flipsWithin } from './flips.ts';
import { KeyBits } from './key.ts';
import type { TablePlan } from './plan.ts';

/** Immutable once made. 8 bytes a row for the fingerprints, 4 for the row numbers, 4 a bucket. */
export class Table {
  readonly key: KeyBits;
  readonly radii: Int8Array;
  readonly flips: Flips;
  /** Bucket b holds entries directory[b] to directory[b + 1] - 1. */
  readonly directory: Uint32Array;
  /** Fingerprints, inline in the table's order. */
  readonly lanes: Uint32Array;
  /** Where each entry stands in the segment; undefined when the table's order is the segment's. */
  readonly rows: Uint32Array | undefined;
  /** Rows in the fullest bucket. */
  readonly longestBucket: number;

  private constructor(
    plan: TablePlan,
    key: KeyBits,
    directory: Uint32Array,
    lanes: Uint32Array,
    rows: Uint32Array | undefined,
    longestBucket: number,
  ) {
    this.key = key;
    this.radii = plan.radii;
    this.flips = flipsWithin(key.width, Math.max(0, ...plan.radii));
    this.directory = directory;
    this.lanes = lanes;
    this.rows = rows;
    this.longestBucket = longestBucket;
  }

  /** Sorts the rows (lanes) by the plan's key; rows of one key keep their order. O(n). */
  static *build(plan: TablePlan, lanes: Uint32Array): Steps<Table> {
    const key = new KeyBits(plan.bits);
    const count = lanes.length / 2;
    const directory = new Uint32Array((1 << key.width) + 2);
    yield* inStrides(count, (from, to) => {
      for (let i = from; i < to; i++) {
        directory[key.of(lanes[2 * i] as number, lanes[2 * i + 1] as number) + 2]++;
      }
    });
    let longest = 0;
    yield* inStrides(directory.length, (from, to) => {
      for (let b = Math.max(1, from); b < to; b++) {
        longest = Math.max(longest, directory[b] as number);
        directory[b] += directory[b - 1] as number;
      }
    });
    const sorted = new Uint32Array(lanes.length);
    const rows = new Uint32Array(count);
    // directory[b + 1] runs from the start of bucket b to its end, which is where bucket b + 1 starts.
    yield* inStrides(count, (from, to) => {
      for (let i = from; i < to; i++) {
        const low = lanes[2 * i] as number;
        const high = lanes[2 * i + 1] as number;
        const at = directory[key.of(low, high) + 1]++;
        sorted[2 * at] = low;
        sorted[2 * at + 1] = high;
        rows[at] = i;
      }
    });
    return new Table(plan, key, directory, sorted, rows, longest);
  }

  /** The same table over a segment whose rows stand in the table's own order. */
  asSegmentOrder(plan: TablePlan): Table {
    return new Table(plan, this.key, this.directory, this.lanes, undefined, this.longestBucket);
  }

  /** Bytes, those of the lanes aside where they are the segment's own. */
  get bytes(): number {
    const { masks, ends } = this.flips;
    const own = this.rows === undefined ? 0 : this.lanes.byteLength + this.rows.byteLength;
    return own + this.directory.byteLength + masks.byteLength + ends.byteLength + KeyBits.BYTES;
  }
}
