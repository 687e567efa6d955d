/** Gathers the matches of one query, and of a batch of queries one after the other. */
import type { BatchMatches } from '../../engine.ts';
import { makeError } from '../../errors.ts';

/** Below this many matches, sorting by insertion is the fastest. */
const FEW = 24;
/** Matches held before those beyond the limit are dropped: at least this many, or twice the limit. */
const LEAST_HELD = 16;
/** Room for more matches than this is given back before the next query. */
const KEPT = 2 ** 16;
/** Most matches of one batch: the result stays within what an array can hold. */
export const MAX_MATCHES = 2 ** 29;

function grown<T extends Float64Array | Uint8Array>(array: T, make: (length: number) => T, least: number): T {
  const larger = make(Math.max(2 * array.length, least));
  larger.set(array as never);
  return larger;
}

/**
 * The matches of one query. An id may be offered more than once: its smallest distance counts. With a
 * limit, no more than twice the limit, or a few, are held, whatever number is offered.
 */
export class Matches {
  ids = new Float64Array(64);
  distances = new Uint8Array(64);
  count = 0;
  private limit = Number.POSITIVE_INFINITY;
  /** Room is made when so many are held. */
  private full = 64;
  /** Offers from here on (by distance, then id) cannot be among the first `limit`. */
  private boundDistance = 255;
  private boundId = 0;

  /** Starts a query whose first `limit` matches are wanted. */
  begin(limit: number): void {
    if (this.ids.length > KEPT) {
      this.ids = new Float64Array(64);
      this.distances = new Uint8Array(64);
    }
    this.count = 0;
    this.limit = limit;
    this.full = Math.min(this.ids.length, Math.max(LEAST_HELD, 2 * limit));
    this.boundDistance = 255;
    this.boundId = 0;
  }

  /** Offers one match. False: neither it nor any larger id at this distance can be among the first `limit`. */
  offer(distance: number, id: number): boolean {
    if (distance > this.boundDistance || (distance === this.boundDistance && id >= this.boundId))
      return false;
    if (this.count === this.full) this.makeRoom();
    this.ids[this.count] = id;
    this.distances[this.count++] = distance;
    return true;
  }

  private makeRoom(): void {
    if (this.count >= 2 * this.limit) {
      this.finish();
      if (this.count === this.limit) {
        this.boundDistance = this.distances[this.count - 1] as number;
        this.boundId = this.ids[this.count - 1] as number;
      }
      return;
    }
    const ids = grown(this.ids, (length) => new Float64Array(length), 0);
    this.distances = grown(this.distances, (length) => new Uint8Array(length), 0);
    this.ids = ids;
    this.full = Math.min(ids.length, Math.max(LEAST_HELD, 2 * this.limit));
  }

  /** Sorts by distance, then id; keeps each id once, at its smallest distance; cuts at the limit. */
  finish(): void {
    if (this.count > 1) {
      if (this.count <= FEW) this.sortFew();
      else this.sortMany();
    }
    if (this.count > this.limit) this.count = this.limit;
  }

  private sortFew(): void {
    const { ids, distances } = this;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      const id = ids[i] as number;
      const distance = distances[i] as number;
      let at = 0;
      while (at < kept && ids[at] !== id) at++;
      if (at === kept) kept++;
      else if ((distances[at] as number) <= distance) continue;
      // Move [0, at) entries that come after the new one up by one, into the place that is free.
      for (; at > 0; at--) {
        const d = distances[at - 1] as number;
        if (d < distance || (d === distance && (ids[at - 1] as number) < id)) break;
        ids[at] = ids[at - 1] as number;
        distances[at] = d;
      }
      ids[at] = id;
      distances[at] = distance;
    }
    this.count = kept;
  }

  private sortMany(): void {
    const ids = this.ids.slice(0, this.count);
    const starts = new Float64Array(257);
    for (let i = 0; i < this.count; i++) starts[(this.distances[i] as number) + 1]++;
    for (let d = 0; d < 256; d++) starts[d + 1] += starts[d] as number;
    const next = starts.slice();
    for (let i = 0; i < this.count; i++) this.ids[next[this.distances[i] as number]++] = ids[i] as number;
    let kept = 0;
    // ends[]: where the kept ids of each distance so far end; they are ascending.
    const ends: number[] = [];
    for (let d = 0; (starts[d] as number) < this.count; d++) {
      const group = this.ids.slice(starts[d], starts[d + 1]).sort();
      const from = kept;
      kept = this.keepNew(group, ends, kept);
      this.distances.fill(d, from, kept);
      ends.push(kept);
    }
    this.count = kept;
  }

  /** Appends the ids of an ascending group that no smaller distance has; returns the new end. */
  private keepNew(group: Float64Array, ends: readonly number[], kept: number): number {
    const cursors = [0, ...ends.slice(0, -1)];
    let last = -1;
    for (const id of group) {
      let isNew = id !== last;
      last = id;
      for (let g = 0; g < ends.length && isNew; g++) {
        let at = cursors[g] as number;
        while (at < (ends[g] as number) && (this.ids[at] as number) < id) at++;
        cursors[g] = at;
        isNew = at === ends[g] || this.ids[at] !== id;
      }
      if (isNew) this.ids[kept++] = id;
    }
    return kept;
  }
}

/** The matches of a batch, appended query by query. */
export class BatchBuilder {
  private readonly offsets: Float64Array;
  private ids = new Float64Array(64);
  private distances = new Uint8Array(64);
  private queries = 0;
  private count = 0;
  private readonly maxMatches: number;

  constructor(queries: number, maxMatches: number) {
    this.offsets = new Float64Array(queries + 1);
    this.maxMatches = maxMatches;
  }

  /** Appends the finished matches of the next query. */
  append(matches: Matches): void {
    const count = this.count + matches.count;
    if (count > this.maxMatches) {
      throw makeError(
        'ERR_NEARDUP_OUT_OF_MEMORY',
        `out of memory: the batch has more than ${this.maxMatches} matches; set a limit or query fewer at once`,
      );
    }
    if (count > this.ids.length) {
      this.ids = grown(this.ids, (length) => new Float64Array(length), count);
      this.distances = grown(this.distances, (length) => new Uint8Array(length), count);
    }
    for (let i = 0; i < matches.count; i++) {
      this.ids[this.count + i] = matches.ids[i] as number;
      this.distances[this.count + i] = matches.distances[i] as number;
    }
    this.count = count;
    this.offsets[++this.queries] = count;
  }

  /** The result, in arrays of just the size needed. */
  result(): BatchMatches {
    return {
      offsets: this.offsets,
      ids: this.ids.slice(0, this.count),
      distances: this.distances.slice(0, this.count),
    };
  }
}
