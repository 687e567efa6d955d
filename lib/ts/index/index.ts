/**
 * The in-memory index of the TypeScript engine: a head of fresh entries that is scanned, and immutable
 * segments, each at least RATIO times as large as the next. A full head becomes a segment together with
 * the smaller ones before it, so that adding n entries one at a time costs O(n log n) and a query reads
 * O(log n) segments. Exact at every moment. When memory is refused, everything held stays held.
 */
import type { AddIfNewResult, BatchMatches, EngineIndex, IndexOptions } from '../../engine.ts';
import { NeardupError } from '../../errors.ts';
import { lanesOf, popcount64 } from '../base/bits.ts';
import { guardMemory } from '../base/memory.ts';
import { Entries } from './entries.ts';
import { BatchBuilder, MAX_MATCHES, Matches } from './matches.ts';
import { Segment } from './segment.ts';

/** Entries of the head when it becomes a segment. */
const HEAD_ENTRIES = 1024;
const RATIO = 2;

export class TsIndex implements EngineIndex {
  private head = new Entries(0);
  private segments: Segment[] = [];
  private readonly matches = new Matches();
  private readonly maxDistance: number;
  private readonly headEntries: number;
  private readonly maxMatches: number;
  /** The head's size from which on it is made a segment; grows while memory for that is refused. */
  private headLimit: number;

  constructor(options: IndexOptions) {
    this.maxDistance = options.maxDistance;
    this.headEntries = options.headEntries ?? HEAD_ENTRIES;
    this.headLimit = this.headEntries;
    this.maxMatches = options.maxMatches ?? MAX_MATCHES;
  }

  get size(): number {
    let size = this.head.size;
    for (const segment of this.segments) size += segment.size;
    return size;
  }

  addBatch(fingerprints: BigUint64Array, ids: Float64Array): void {
    guardMemory(() => {
      const lanes = lanesOf(fingerprints);
      if (this.head.size + ids.length >= this.headEntries) {
        this.compactHead(lanes, ids);
      } else {
        this.head.reserve(ids.length);
        this.head.append(lanes, ids);
      }
    });
  }

  addIfNewBatch(fingerprints: BigUint64Array, ids: Float64Array, maxDistance: number): AddIfNewResult {
    return guardMemory(() => {
      const lanes = lanesOf(fingerprints);
      const result = {
        added: new Uint8Array(ids.length),
        nearestIds: new Float64Array(ids.length).fill(-1),
        nearestDistances: new Uint8Array(ids.length),
      };
      // All the memory that adding needs is there before the first entry is added.
      this.head.reserve(ids.length);
      for (let i = 0; i < ids.length; i++) {
        const low = lanes[2 * i] as number;
        const high = lanes[2 * i + 1] as number;
        this.find(low, high, maxDistance, 1);
        if (this.matches.count > 0) {
          result.nearestIds[i] = this.matches.ids[0] as number;
          result.nearestDistances[i] = this.matches.distances[0] as number;
        } else {
          result.added[i] = 1;
          this.head.push(low, high, ids[i] as number);
          if (this.head.size >= this.headLimit) this.tryCompactHead();
        }
      }
      return result;
    });
  }

  queryBatch(fingerprints: BigUint64Array, maxDistance: number, limit: number): BatchMatches {
    return guardMemory(() => {
      const lanes = lanesOf(fingerprints);
      const batch = new BatchBuilder(fingerprints.length, this.maxMatches);
      for (let i = 0; i < lanes.length; i += 2) {
        this.find(lanes[i] as number, lanes[i + 1] as number, maxDistance, limit);
        batch.append(this.matches);
      }
      return batch.result();
    });
  }

  close(): void {
    this.head = new Entries(0);
    this.segments = [];
  }

  /** Leaves the first `limit` matches of a fingerprint in `this.matches`. */
  private find(low: number, high: number, distance: number, limit: number): void {
    const { head, matches } = this;
    matches.begin(limit);
    const { lanes, ids } = head;
    for (let i = 0; i < ids.length; i++) {
      const d = popcount64((lanes[2 * i] as number) ^ low, (lanes[2 * i + 1] as number) ^ high);
      if (d <= distance) matches.offer(d, ids[i] as number);
    }
    for (const segment of this.segments) segment.query(low, high, distance, matches);
    matches.finish();
  }

  /** Makes one segment of the segments that are small beside it, the head, and more entries. */
  private compactHead(lanes: Uint32Array, ids: Float64Array): void {
    let total = this.head.size + ids.length;
    let kept = this.segments.length;
    while (kept > 0 && (this.segments[kept - 1] as Segment).size < RATIO * total) {
      total += (this.segments[--kept] as Segment).size;
    }
    const entries = new Entries(total);
    for (const segment of this.segments.slice(kept)) segment.copyTo(entries);
    entries.append(this.head.lanes, this.head.ids);
    entries.append(lanes, ids);
    const segment = Segment.build(entries, this.maxDistance);
    this.segments = [...this.segments.slice(0, kept), segment];
    this.head.clear();
    this.headLimit = this.headEntries;
  }

  /** As above; where memory is refused, the head stays as it is and grows on. */
  private tryCompactHead(): void {
    try {
      this.compactHead(new Uint32Array(0), new Float64Array(0));
    } catch (error) {
      if (!(error instanceof RangeError) || error instanceof NeardupError) throw error;
      this.headLimit = 2 * this.head.size;
    }
  }
}
