/** Entries on their way into a segment, and the head. */

/** Room for so many entries is not given back. */
const KEPT = 4096;

/** A growing list of (fingerprint, id) entries in typed arrays. */
export class Entries {
  private lanesRoom: Uint32Array;
  private idsRoom: Float64Array;
  /** Entries held. */
  size = 0;

  /** Room for `capacity` entries at first. */
  constructor(capacity: number) {
    this.lanesRoom = new Uint32Array(2 * capacity);
    this.idsRoom = new Float64Array(capacity);
  }

  /** Fingerprints: entry i at 2i (low lane) and 2i + 1 (high lane). A view that the next growth outdates. */
  get lanes(): Uint32Array {
    return this.lanesRoom.subarray(0, 2 * this.size);
  }

  /** Ids. A view that the next growth outdates. */
  get ids(): Float64Array {
    return this.idsRoom.subarray(0, this.size);
  }

  /**
   * Makes room for `more` entries, so that adding them cannot fail, and gives back room far beyond that.
   * Refused memory leaves all as it was.
   */
  reserve(more: number): void {
    const least = this.size + more;
    const room = this.idsRoom.length;
    if (least <= room && room <= KEPT + 4 * least) return;
    const capacity = least > room ? Math.max(least, 2 * this.size) : least;
    const lanes = new Uint32Array(2 * capacity);
    const ids = new Float64Array(capacity);
    lanes.set(this.lanes);
    ids.set(this.ids);
    this.lanesRoom = lanes;
    this.idsRoom = ids;
  }

  /** Removes all entries; the room stays. */
  clear(): void {
    this.size = 0;
  }

  /** Adds an entry; there must be room. */
  push(low: number, high: number, id: number): void {
    this.lanesRoom[2 * this.size] = low;
    this.lanesRoom[2 * this.size + 1] = high;
    this.idsRoom[this.size++] = id;
  }

  /** Adds many; there must be room. */
  append(lanes: Uint32Array, ids: Float64Array): void {
    this.lanesRoom.set(lanes, 2 * this.size);
    this.idsRoom.set(ids, this.size);
    this.size += ids.length;
  }
}
