/** Entries on their way into a segment, and the head. */
import type { IndexColumns } from '../../engine.ts';
import { allocateColumns, bytesOf, copyColumns, type Rows } from './columns.ts';

/** Lanes are counted in 32 bits. */
const MAX_ENTRIES = 2 ** 31;
/** Room for so many entries is not given back. */
const KEPT = 4096;

function allocate(kinds: IndexColumns, capacity: number): Rows {
  if (capacity > MAX_ENTRIES) throw new RangeError(`no array holds ${capacity} entries`);
  return { lanes: new Uint32Array(2 * capacity), ...allocateColumns(kinds, capacity, false) };
}

/** A growing list of entries in typed arrays. */
export class Entries {
  /** The columns, with room beyond `size`; growing replaces them. */
  rows: Rows;
  /** Entries held. */
  size = 0;

  /** Room for `capacity` entries at first. */
  constructor(
    readonly kinds: IndexColumns,
    capacity: number,
  ) {
    this.rows = allocate(kinds, capacity);
  }

  /** Bytes allocated. */
  get bytes(): number {
    return this.rows.lanes.byteLength + bytesOf(this.rows);
  }

  /**
   * Makes room for `more` entries, so that adding them cannot fail, and gives back room far beyond that.
   * Refused memory leaves all as it was.
   */
  reserve(more: number): void {
    const least = this.size + more;
    const room = this.rows.ids.length;
    if (least <= room && room <= KEPT + 4 * least) return;
    const { rows, size } = this;
    this.rows = allocate(this.kinds, least > room ? Math.max(least, 2 * size) : least);
    this.size = 0;
    this.append(rows, size);
  }

  /** Removes all entries; the room stays. */
  clear(): void {
    this.size = 0;
  }

  /** Adds entry `i` of `from`; there must be room. */
  push(from: Rows, i: number): void {
    this.pushSlot(from.lanes[2 * i] as number, from.lanes[2 * i + 1] as number, from, i);
  }

  /** Adds a fingerprint with the other columns of entry `i` of `from`; there must be room. */
  pushSlot(low: number, high: number, from: Omit<Rows, 'lanes'>, i: number): void {
    const at = this.size++;
    this.rows.lanes[2 * at] = low;
    this.rows.lanes[2 * at + 1] = high;
    copyColumns(from, i, this.rows, at);
  }

  /** Adds the first `count` entries of `from`; there must be room. */
  append(from: Rows, count: number): void {
    const { rows, size } = this;
    rows.lanes.set(from.lanes.subarray(0, 2 * count), 2 * size);
    rows.ids.set(from.ids.subarray(0, count), size);
    if (rows.times !== undefined) rows.times.set((from.times as Float64Array).subarray(0, count), size);
    if (rows.tags !== undefined) rows.tags.set((from.tags as Uint32Array).subarray(0, count), size);
    if (rows.secondFingerprints !== undefined) {
      rows.secondFingerprints.set((from.secondFingerprints as Uint32Array).subarray(0, 2 * count), 2 * size);
    }
    this.size += count;
  }

  /** The same entries, in arrays of their own. */
  copy(): Entries {
    const copy = new Entries(this.kinds, this.size);
    copy.append(this.rows, this.size);
    return copy;
  }

  /** Removes the entries of a fingerprint and id; how many. The order changes. */
  remove(low: number, high: number, id: number): number {
    const { lanes, ids } = this.rows;
    let removed = 0;
    for (let i = this.size - 1; i >= 0; i--) {
      if (ids[i] !== id || lanes[2 * i] !== low || lanes[2 * i + 1] !== high) continue;
      this.removeAt(i);
      removed++;
    }
    return removed;
  }

  /** Removes the entries whose time is before `time`; how many. The order changes. */
  removeBefore(time: number): number {
    const times = this.rows.times as Float64Array;
    let removed = 0;
    for (let i = this.size - 1; i >= 0; i--) {
      if ((times[i] as number) >= time) continue;
      this.removeAt(i);
      removed++;
    }
    return removed;
  }

  /** The last entry takes the place of entry `i`. */
  private removeAt(i: number): void {
    const { rows } = this;
    const last = --this.size;
    rows.lanes[2 * i] = rows.lanes[2 * last] as number;
    rows.lanes[2 * i + 1] = rows.lanes[2 * last + 1] as number;
    copyColumns(rows, last, rows, i);
  }
}
