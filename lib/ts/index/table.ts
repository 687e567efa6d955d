/** A permuted table: the rows of a segment in the order of one key, with a directory of its buckets. */
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

  private constructor(
    plan: TablePlan,
    key: KeyBits,
    directory: Uint32Array,
    lanes: Uint32Array,
    rows: Uint32Array | undefined,
  ) {
    this.key = key;
    this.radii = plan.radii;
    this.flips = flipsWithin(key.width, Math.max(0, ...plan.radii));
    this.directory = directory;
    this.lanes = lanes;
    this.rows = rows;
  }

  /** Sorts the rows (lanes) by the plan's key; rows of one key keep their order. O(n). */
  static build(plan: TablePlan, lanes: Uint32Array): Table {
    const key = new KeyBits(plan.bits);
    const count = lanes.length / 2;
    const directory = new Uint32Array((1 << key.width) + 2);
    for (let i = 0; i < count; i++) {
      directory[key.of(lanes[2 * i] as number, lanes[2 * i + 1] as number) + 2]++;
    }
    for (let b = 2; b < directory.length; b++) directory[b] += directory[b - 1] as number;
    const sorted = new Uint32Array(lanes.length);
    const rows = new Uint32Array(count);
    // directory[b + 1] runs from the start of bucket b to its end, which is where bucket b + 1 starts.
    for (let i = 0; i < count; i++) {
      const low = lanes[2 * i] as number;
      const high = lanes[2 * i + 1] as number;
      const at = directory[key.of(low, high) + 1]++;
      sorted[2 * at] = low;
      sorted[2 * at + 1] = high;
      rows[at] = i;
    }
    return new Table(plan, key, directory, sorted, rows);
  }

  /** The same table over a segment whose rows stand in the table's own order. */
  asSegmentOrder(plan: TablePlan): Table {
    return new Table(plan, this.key, this.directory, this.lanes, undefined);
  }
}
