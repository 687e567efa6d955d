/**
 * A part of the index: each distinct fingerprint once (a row), with its entries (slots), found through the tables
 * of a plan. A query reports each row once: from the first table that could have found it. Immutable but for the
 * bits that mark slots as removed.
 */
import type { SegmentStats } from '../../engine.ts';
import { popcount32, popcount64 } from '../base/bits.ts';
import type { Steps } from '../base/steps.ts';
import { bytesOf, type Columns } from './columns.ts';
import type { Entries } from './entries.ts';
import type { Matches } from './matches.ts';
import type { Query } from './query.ts';
import { Removed } from './removed.ts';
import type { Table } from './table.ts';

/** A file that holds a segment. */
export interface SegmentFile {
  readonly name: string;
  /** Slots of the file that are no part of the segment: bit i % 8 of byte i >> 3 for slot i. Undefined: all are. */
  readonly removed: Uint8Array | undefined;
}

/** Rows compared in one step of a scan. */
const SCAN_STRIDE = 1 << 15;

export class Segment {
  readonly removed: Removed;
  /** A file, and how many slots were removed when it held just the others. */
  private kept: { readonly file: SegmentFile; readonly removed: number } | undefined;

  constructor(
    /** Distinct fingerprints as lanes, in the order of the first table's key. */
    readonly lanes: Uint32Array,
    /** Row r has the slots starts[r] to starts[r + 1] - 1; undefined: slot r alone. */
    readonly starts: Uint32Array | undefined,
    /** Of the slots; those of a row by id, time, tag and second fingerprint. */
    readonly columns: Columns,
    private readonly tables: readonly Table[],
    removed?: Removed,
  ) {
    this.removed = removed ?? new Removed(columns.ids.length);
  }

  /** Distinct fingerprints, also those whose entries were all removed. */
  get rows(): number {
    return this.lanes.length / 2;
  }

  /** Entries, also removed ones. */
  get slots(): number {
    return this.columns.ids.length;
  }

  /** Entries held, copies included. */
  get size(): number {
    return this.slots - this.removed.count;
  }

  /** The file that holds just the entries held, if there is one. */
  get file(): SegmentFile | undefined {
    return this.kept?.removed === this.removed.count ? this.kept.file : undefined;
  }

  /** A file holds what was held when `removed` slots were removed. */
  keepAs(file: SegmentFile, removed: number): void {
    this.kept = { file, removed };
  }

  /** The first slot of row `row`; of the row after the last: the number of slots. */
  start(row: number): number {
    return this.starts === undefined ? row : (this.starts[row] as number);
  }

  /** The same entries, whatever is removed later. */
  freeze(): Segment {
    return new Segment(this.lanes, this.starts, this.columns, this.tables, this.removed.copy());
  }

  /** Whether queries within `distance` compare every row. */
  scans(distance: number): boolean {
    const [table] = this.tables;
    return table === undefined || distance >= table.radii.length;
  }

  /** Offers every id that matches. */
  query(query: Query, matches: Matches): void {
    if (this.scans(query.distance)) this.scan(query, matches, 0, this.rows);
    else this.probe(query, matches);
  }

  /** As query, cut into steps. */
  *querySteps(query: Query, matches: Matches): Steps<void> {
    if (!this.scans(query.distance)) {
      this.probe(query, matches);
      return;
    }
    for (let from = 0; from < this.rows; from += SCAN_STRIDE) {
      this.scan(query, matches, from, Math.min(this.rows, from + SCAN_STRIDE));
      yield 0;
    }
  }

  private probe(query: Query, matches: Matches): void {
    const { low, high, distance } = query;
    const isFiltered = query.isFiltered;
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
            const row = table.rows === undefined ? i : (table.rows[i] as number);
            this.offerRow(row, d, query, isFiltered, matches);
          }
        }
      }
    }
  }

  private scan(query: Query, matches: Matches, from: number, to: number): void {
    const { lanes } = this;
    const { low, high, distance, isFiltered } = query;
    for (let row = from; row < to; row++) {
      const d = popcount64((lanes[2 * row] as number) ^ low, (lanes[2 * row + 1] as number) ^ high);
      if (d <= distance) this.offerRow(row, d, query, isFiltered, matches);
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

  /** Offers the ids of a row, ascending, until one is refused: no larger one can count then. */
  private offerRow(row: number, distance: number, query: Query, isFiltered: boolean, matches: Matches): void {
    const { columns, removed } = this;
    const end = this.start(row + 1);
    let slot = this.start(row);
    if (!isFiltered && removed.count === 0) {
      for (; slot < end; slot++) if (!matches.offer(distance, columns.ids[slot] as number)) return;
      return;
    }
    const { after } = query;
    if (after !== undefined) {
      if (row === after.row) slot = after.slot;
      else if ((after.ranks[row] as number) < (after.ranks[after.row] as number)) return;
    }
    for (; slot < end; slot++) {
      if (removed.has(slot) || !query.accepts(columns, slot)) continue;
      if (!matches.offer(distance, columns.ids[slot] as number)) return;
    }
  }

  /** Removes the entries of a fingerprint and id; how many there were. */
  remove(low: number, high: number, id: number): number {
    const row = this.find(low, high);
    if (row < 0) return 0;
    const { ids } = this.columns;
    const end = this.start(row + 1);
    let slot = this.start(row);
    for (let bound = end; slot < bound; ) {
      const middle = slot + ((bound - slot) >>> 1);
      if ((ids[middle] as number) < id) slot = middle + 1;
      else bound = middle;
    }
    let count = 0;
    for (; slot < end && ids[slot] === id; slot++) if (this.removed.add(slot)) count++;
    return count;
  }

  /** Removes the entries whose time is before `time`; how many there were. */
  removeBefore(time: number): number {
    const times = this.columns.times as Float64Array;
    const before = this.removed.count;
    for (let slot = 0; slot < times.length; slot++) {
      if ((times[slot] as number) < time) this.removed.add(slot);
    }
    return this.removed.count - before;
  }

  /** The row of a fingerprint, or -1. */
  private find(low: number, high: number): number {
    const { lanes } = this;
    const table = this.tables.find(({ radii }) => radii[0] === 0);
    let from = 0;
    let to = this.rows;
    if (table !== undefined) {
      const bucket = table.key.of(low, high);
      from = table.directory[bucket] as number;
      to = table.directory[bucket + 1] as number;
    }
    const searched = table?.lanes ?? lanes;
    for (let i = from; i < to; i++) {
      if (searched[2 * i] === low && searched[2 * i + 1] === high) return table?.rows?.[i] ?? i;
    }
    return -1;
  }

  /** Adds all entries that are held to others, which have room. */
  *copyTo(entries: Entries): Steps<void> {
    const { lanes, columns, removed } = this;
    for (let row = 0, copied = 0; row < this.rows; row++) {
      const low = lanes[2 * row] as number;
      const high = lanes[2 * row + 1] as number;
      const end = this.start(row + 1);
      for (let slot = this.start(row); slot < end; slot++) {
        if (!removed.has(slot)) entries.pushSlot(low, high, columns, slot);
        if ((++copied & 0x3fff) === 0) yield 0x4000;
      }
    }
  }

  stats(): SegmentStats {
    const { lanes, starts, columns, tables, removed } = this;
    let bytes = lanes.byteLength + (starts?.byteLength ?? 0) + bytesOf(columns) + removed.bytes;
    for (const table of tables) bytes += table.bytes;
    return {
      entries: this.size,
      removed: removed.count,
      fingerprints: this.rows,
      bytes,
      mappedBytes: 0,
      tables: tables.length,
      longestBucket: Math.max(0, ...tables.map((table) => table.longestBucket)),
    };
  }
}
