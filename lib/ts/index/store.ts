/**
 * The entries of an index as they come and go. A full head becomes a segment together with the smaller segments
 * beside it, so that adding n entries one at a time costs O(n log n) and a query reads O(log n) segments. A segment
 * of which more than a quarter is removed is written anew. Where memory is refused, everything held stays held.
 *
 * Segments may be rewritten in steps, while entries come and go between them: these segments take no part in merges
 * then, and what is removed meanwhile is removed from the result as well.
 */
import type { IndexColumns } from '../../engine.ts';
import { NeardupError } from '../../errors.ts';
import { runSteps, type Steps } from '../base/steps.ts';
import { buildSegment } from './build.ts';
import type { Rows } from './columns.ts';
import { Entries } from './entries.ts';
import { Parts } from './parts.ts';
import type { Segment, SegmentFile } from './segment.ts';

/** A segment is merged with what comes after it when it is less than so many times as large. */
const RATIO = 2;

/** Whether an allocation was refused: the only RangeError that the engine's own code raises. */
function isRefused(error: unknown): boolean {
  return error instanceof RangeError && !(error instanceof NeardupError);
}

/** Segments being rewritten, and what was removed since that began. */
interface Rewriting {
  readonly segments: readonly Segment[];
  readonly removals: ((segment: Segment) => void)[];
}

export class Store {
  private head: Entries;
  /** Largest first. */
  private segments: readonly Segment[] = [];
  /** The head's size from which on it is made a segment; grows while memory for that is refused. */
  private headLimit: number;
  private rewriting: Rewriting | undefined;

  constructor(
    readonly kinds: IndexColumns,
    private readonly maxDistance: number,
    private readonly headEntries: number,
  ) {
    this.head = new Entries(kinds, 0);
    this.headLimit = headEntries;
  }

  /** What is held now; changes with the store. */
  get parts(): Parts {
    return new Parts(this.head, this.segments);
  }

  get isMerging(): boolean {
    return this.rewriting !== undefined;
  }

  /** Makes room for `more` entries to be pushed. */
  reserve(more: number): void {
    this.head.reserve(more);
  }

  /** Adds entry `i` of `from`; there must be room. */
  push(from: Rows, i: number): void {
    this.head.push(from, i);
    if (this.head.size < this.headLimit) return;
    try {
      this.mergeHead(undefined, 0);
    } catch (error) {
      if (!isRefused(error)) throw error;
      this.headLimit = 2 * this.head.size;
    }
  }

  /** Adds the `count` entries of a batch. */
  add(batch: Rows, count: number): void {
    if (this.head.size + count >= this.headEntries) {
      this.mergeHead(batch, count);
    } else {
      this.head.reserve(count);
      this.head.append(batch, count);
    }
  }

  /** Adds entries as a segment of its own. */
  *addSegment(entries: Entries): Steps<void> {
    if (entries.size > 0) this.replace([], yield* buildSegment(entries, this.maxDistance));
  }

  /** Adds the entries of a file: to the head where they are few, else as a segment of its own. */
  addFile(entries: Entries, file: SegmentFile): void {
    if (entries.size < this.headEntries) {
      this.add(entries.rows, entries.size);
      return;
    }
    const segment = runSteps(buildSegment(entries, this.maxDistance));
    segment.keepAs(file, 0);
    this.replace([], segment);
  }

  /** Makes one segment of the segments that are small beside it, the head, and the entries of a batch. */
  private mergeHead(batch: Rows | undefined, count: number): void {
    const old = this.smallSegments(this.head.size + count);
    let total = this.head.size + count;
    for (const segment of old) total += segment.size;
    if (total > 0) {
      const entries = new Entries(this.kinds, total);
      for (const segment of old) runSteps(segment.copyTo(entries));
      entries.append(this.head.rows, this.head.size);
      if (batch !== undefined) entries.append(batch, count);
      this.replace(old, runSteps(buildSegment(entries, this.maxDistance)));
    }
    this.head.clear();
    this.headLimit = this.headEntries;
  }

  /** The last segments that are to be merged with `total` entries; with none, the last one is among them. */
  private smallSegments(total: number): readonly Segment[] {
    const free = this.segments.filter((segment) => !this.rewriting?.segments.includes(segment));
    let kept = free.length;
    while (kept > 0 && (total === 0 || (free[kept - 1] as Segment).size < RATIO * total)) {
      total += (free[--kept] as Segment).size;
    }
    return free.slice(kept);
  }

  private replace(old: readonly Segment[], segment: Segment): void {
    const segments = this.segments.filter((each) => !old.includes(each));
    if (segment.size > 0) segments.push(segment);
    this.segments = segments.sort((a, b) => b.size - a.size);
  }

  /** Merges segments, not while others are rewritten, until each is at least RATIO times as large as those after. */
  *mergeSteps(): Steps<void> {
    while (this.rewriting === undefined) {
      const small = this.smallSegments(0);
      if (small.length < 2) return;
      yield* this.rewrite(small);
    }
  }

  /** Makes one segment of all that is held. */
  *compactSteps(): Steps<void> {
    if (this.head.size > 0) {
      const entries = this.head.copy();
      const segment = runSteps(buildSegment(entries, this.maxDistance));
      this.head.clear();
      this.replace([], segment);
    }
    const isOne = this.segments.length <= 1 && this.segments.every(({ removed }) => removed.count === 0);
    if (!isOne) yield* this.rewrite(this.segments);
  }

  /** Makes one segment of some. Only one rewriting may go on. */
  private *rewrite(segments: readonly Segment[]): Steps<void> {
    const rewriting: Rewriting = { segments, removals: [] };
    this.rewriting = rewriting;
    try {
      let total = 0;
      for (const segment of segments) total += segment.size;
      const entries = new Entries(this.kinds, total);
      for (const segment of segments) yield* segment.copyTo(entries);
      const built = yield* buildSegment(entries, this.maxDistance);
      if (rewriting.removals.length > 0) built.removed.reserve();
      for (const remove of rewriting.removals) remove(built);
      this.replace(segments, built);
    } finally {
      this.rewriting = undefined;
    }
  }

  /** Removes the entries of each fingerprint and id; how many there were. All of them, or throws and removes none. */
  remove(lanes: Uint32Array, ids: Float64Array): Float64Array {
    const counts = new Float64Array(ids.length);
    for (const segment of this.segments) segment.removed.reserve();
    if (this.rewriting !== undefined) {
      const [theirs, theirIds] = [lanes.slice(), ids.slice()];
      this.rewriting.removals.push((segment) => {
        for (let i = 0; i < theirIds.length; i++) {
          segment.remove(theirs[2 * i] as number, theirs[2 * i + 1] as number, theirIds[i] as number);
        }
      });
    }
    for (let i = 0; i < ids.length; i++) {
      const low = lanes[2 * i] as number;
      const high = lanes[2 * i + 1] as number;
      const id = ids[i] as number;
      let count = this.head.remove(low, high, id);
      for (const segment of this.segments) count += segment.remove(low, high, id);
      counts[i] = count;
    }
    this.tidy();
    return counts;
  }

  /** Removes the entries whose time is before `time`; how many. */
  removeBefore(time: number): number {
    for (const segment of this.segments) segment.removed.reserve();
    this.rewriting?.removals.push((segment) => segment.removeBefore(time));
    let count = this.head.removeBefore(time);
    for (const segment of this.segments) count += segment.removeBefore(time);
    this.tidy();
    return count;
  }

  /** Rewrites segments of which more than a quarter is removed, if memory allows. */
  private tidy(): void {
    if (this.rewriting !== undefined) return;
    for (const segment of this.segments) {
      if (4 * segment.removed.count <= segment.slots) continue;
      try {
        runSteps(this.rewrite([segment]));
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
    }
  }
}
