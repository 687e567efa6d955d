/**
 * An immutable part of the index: each distinct fingerprint once, with the ids that have it, found through
 * the tables of a plan. A query reports each row once: from the first table that could have found it.
 */
import { popcount32, popcount64 } from '../base/bits.ts';
import { radixSort } from '../base/radix.ts';
import type { Entries } from './entries.ts';
import type { Matches } from './matches.ts';
import { planSegment } from './plan.ts';
import { Table } from './table.ts';

type Ids = Float64Array | Uint32Array;

export class Segment {
  /** Entries held, copies included. */
  readonly size: number;
  /** Distinct fingerprints as lanes, in the order of the first table's key. */
  private readonly lanes: Uint32Array;
  /** The ids of row r stand at starts[r] to starts[r + 1] - 1, ascending; undefined: one id a row. */
  private readonly starts: Uint32Array | undefined;
  private readonly ids: Ids;
  private readonly tables: readonly Table[];

  private constructor(
    lanes: Uint32Array,
    starts: Uint32Array | undefined,
    ids: Ids,
    tables: readonly Table[],
  ) {
    this.size = ids.length;
    this.lanes = lanes;
    this.starts = starts;
    this.ids = ids;
    this.tables = tables;
  }

  /** Builds a segment for queries within maxDistance. O(n). The entries' lanes lose their contents. */
  static build(entries: Entries, maxDistance: number): Segment {
    const { lanes, order } = radixSort(entries.lanes);
    const groups = group(lanes);
    const rows = groups.length - 1;
    const distinct = rows === entries.size ? lanes : gatherLanes(lanes, groups);
    const plan = planSegment(distinct, rows, maxDistance);
    const [first, ...others] = plan;
    if (first === undefined) {
      const ids = gatherIds(entries.ids, order, groups, undefined);
      return new Segment(distinct, rows === entries.size ? undefined : groups, ids, []);
    }
    const table = Table.build(first, distinct);
    const ids = gatherIds(entries.ids, order, groups, table.rows);
    const starts = rows === entries.size ? undefined : reorderStarts(groups, table.rows as Uint32Array);
    const tables = others.map((each) => Table.build(each, table.lanes));
    return new Segment(table.lanes, starts, ids, [table.asSegmentOrder(first), ...tables]);
  }

  /** Offers every id within `distance` bits of the fingerprint. */
  query(low: number, high: number, distance: number, matches: Matches): void {
    if (this.tables.length === 0) {
      this.scan(low, high, distance, matches);
      return;
    }
    for (let t = 0; t < this.tables.length; t++) {
      const table = this.tables[t] as Table;
      const radius = table.radii[distance] as number;
      if (radius < 0) continue;
      const { lanes, directory } = table;
      const { masks, ends } = table.flips;
      const key = table.key.of(low, high);
      const probes = ends[radius] as number;
      for (let p = 0; p < probes; p++) {
        const bucket = key ^ (masks[p] as number);
        const end = directory[bucket + 1] as number;
        for (let i = directory[bucket] as number; i < end; i++) {
          const x = (lanes[2 * i] as number) ^ low;
          const y = (lanes[2 * i + 1] as number) ^ high;
          const d = popcount64(x, y);
          if (d <= distance && !this.foundBefore(t, x, y, distance)) {
            this.offerRow(table.rows === undefined ? i : (table.rows[i] as number), d, matches);
          }
        }
      }
    }
  }

  private scan(low: number, high: number, distance: number, matches: Matches): void {
    const { lanes } = this;
    for (let i = 0; i < lanes.length; i += 2) {
      const d = popcount64((lanes[i] as number) ^ low, (lanes[i + 1] as number) ^ high);
      if (d <= distance) this.offerRow(i >>> 1, d, matches);
    }
  }

  /** True when a table before `t` has found the row that differs from the query by these lanes. */
  private foundBefore(t: number, x: number, y: number, distance: number): boolean {
    for (let before = 0; before < t; before++) {
      const { key, radii } = this.tables[before] as Table;
      const errors = popcount32(x & key.lowMask) + popcount32(y & key.highMask);
      if (errors <= (radii[distance] as number)) return true;
    }
    return false;
  }

  private offerRow(row: number, distance: number, matches: Matches): void {
    if (this.starts === undefined) {
      matches.offer(distance, this.ids[row] as number);
      return;
    }
    const end = this.starts[row + 1] as number;
    for (let i = this.starts[row] as number; i < end; i++) {
      if (!matches.offer(distance, this.ids[i] as number)) return;
    }
  }

  /** Appends all entries to others. */
  copyTo(entries: Entries): void {
    const { lanes, starts, ids } = this;
    for (let row = 0; row < lanes.length / 2; row++) {
      const low = lanes[2 * row] as number;
      const high = lanes[2 * row + 1] as number;
      const end = starts === undefined ? row + 1 : (starts[row + 1] as number);
      for (let i = starts === undefined ? row : (starts[row] as number); i < end; i++) {
        entries.push(low, high, ids[i] as number);
      }
    }
  }
}

/** Where each run of equal values starts, and the end of the last. */
function group(lanes: Uint32Array): Uint32Array {
  const starts = new Uint32Array(lanes.length / 2 + 1);
  let rows = 0;
  for (let i = 0; i < lanes.length; i += 2) {
    if (i === 0 || lanes[i] !== lanes[i - 2] || lanes[i + 1] !== lanes[i - 1]) starts[rows++] = i / 2;
  }
  starts[rows] = lanes.length / 2;
  return starts.length === rows + 1 ? starts : starts.slice(0, rows + 1);
}

function gatherLanes(lanes: Uint32Array, groups: Uint32Array): Uint32Array {
  const gathered = new Uint32Array(2 * (groups.length - 1));
  for (let row = 0; 2 * row < gathered.length; row++) {
    const from = 2 * (groups[row] as number);
    gathered[2 * row] = lanes[from] as number;
    gathered[2 * row + 1] = lanes[from + 1] as number;
  }
  return gathered;
}

/** The starts of the groups, in the order of `rows`. */
function reorderStarts(groups: Uint32Array, rows: Uint32Array): Uint32Array {
  const starts = new Uint32Array(groups.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    starts[i + 1] = (starts[i] as number) + (groups[row + 1] as number) - (groups[row] as number);
  }
  return starts;
}

/** The ids of each group, ascending, groups in the order of `rows` (or as they are); 32 bits wide if they fit. */
function gatherIds(
  ids: Float64Array,
  order: Uint32Array,
  groups: Uint32Array,
  rows: Uint32Array | undefined,
): Ids {
  const fits = ids.every((id) => id <= 0xffff_ffff);
  const gathered = fits ? new Uint32Array(ids.length) : new Float64Array(ids.length);
  let at = 0;
  for (let i = 0; i < groups.length - 1; i++) {
    const row = rows === undefined ? i : (rows[i] as number);
    const from = at;
    let ascending = true;
    for (let j = groups[row] as number; j < (groups[row + 1] as number); j++) {
      const id = ids[order[j] as number] as number;
      if (at > from && id < (gathered[at - 1] as number)) ascending = false;
      gathered[at++] = id;
    }
    if (!ascending) gathered.subarray(from, at).sort();
  }
  return gathered;
}
