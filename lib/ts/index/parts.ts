/** What an index holds at a moment: a head of fresh entries, which is scanned, and segments. */
import { popcount64 } from '../base/bits.ts';
import type { Steps } from '../base/steps.ts';
import type { Entries } from './entries.ts';
import type { Matches } from './matches.ts';
import type { Query } from './query.ts';
import type { Segment } from './segment.ts';

/** Rows from which on comparing them all is cut into steps. */
const MANY_ROWS = 1 << 15;

export class Parts {
  constructor(
    readonly head: Entries,
    readonly segments: readonly Segment[],
  ) {}

  /** Entries held. */
  get size(): number {
    let { size } = this.head;
    for (const segment of this.segments) size += segment.size;
    return size;
  }

  /** The same entries, whatever is added and removed later. Copies the head and the bits of removal. */
  freeze(): Parts {
    return new Parts(
      this.head.copy(),
      this.segments.map((segment) => segment.freeze()),
    );
  }

  /** Leaves the matches of a query, the first `limit`, in `matches`. */
  find(query: Query, limit: number, matches: Matches): void {
    matches.begin(limit);
    this.findInHead(query, matches);
    for (const segment of this.segments) segment.query(query, matches);
    matches.finish();
  }

  /** As find, cut into steps. */
  *findSteps(query: Query, limit: number, matches: Matches): Steps<void> {
    matches.begin(limit);
    yield* this.findMoreSteps(query, matches);
  }

  /** Adds the matches of a query to those of the queries before it, an id at its smallest distance. */
  *findMoreSteps(query: Query, matches: Matches): Steps<void> {
    this.findInHead(query, matches);
    for (const segment of this.segments) {
      if (segment.rows <= MANY_ROWS) segment.query(query, matches);
      else yield* segment.querySteps(query, matches);
    }
    matches.finish();
  }

  private findInHead(query: Query, matches: Matches): void {
    const { size, rows } = this.head;
    const { lanes, ids } = rows;
    const { low, high, distance, isFiltered } = query;
    for (let i = 0; i < size; i++) {
      const d = popcount64((lanes[2 * i] as number) ^ low, (lanes[2 * i + 1] as number) ^ high);
      if (d <= distance && (!isFiltered || query.accepts(rows, i))) matches.offer(d, ids[i] as number);
    }
  }
}
