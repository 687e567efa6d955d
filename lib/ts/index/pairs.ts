/** Pairs of entries, by entry in the order of (fingerprint, id): within one collection, and across two. */
import type { PairBatch, Search } from '../../engine.ts';
import { radixSort } from '../base/radix.ts';
import { copyOf, inStrides, type Steps } from '../base/steps.ts';
import { buildSegment } from './build.ts';
import type { Columns } from './columns.ts';
import { BATCH_ITEMS, type Batches } from './cursor.ts';
import { Entries } from './entries.ts';
import { Matches } from './matches.ts';
import { Parts } from './parts.ts';
import { Query } from './query.ts';
import type { Segment } from './segment.ts';
import { sortEntries } from './sorted.ts';

/** All entries of the parts in one list. */
export function* gatherEntries({ head, segments, size }: Parts): Steps<Entries> {
  const entries = new Entries(head.kinds, size);
  for (const segment of segments) yield* segment.copyTo(entries);
  entries.append(head.rows, head.size);
  return entries;
}

/** Pairs on their way into batches. */
class PairBuffer {
  private firstIds = new Float64Array(BATCH_ITEMS);
  private secondIds = new Float64Array(BATCH_ITEMS);
  private distances = new Uint8Array(BATCH_ITEMS);
  private count = 0;

  /** The pairs of `id` with its matches; yields the batches that are full. */
  *add(id: number, { ids, distances, count }: Matches): Batches<PairBatch> {
    for (let i = 0; i < count; i++) {
      this.firstIds[this.count] = id;
      this.secondIds[this.count] = ids[i] as number;
      this.distances[this.count++] = distances[i] as number;
      if (this.count === BATCH_ITEMS) yield this.take();
    }
  }

  /** The rest. */
  *end(): Batches<PairBatch> {
    if (this.count > 0) yield this.take();
  }

  private take(): PairBatch {
    const { count } = this;
    this.count = 0;
    return {
      firstIds: this.firstIds.slice(0, count),
      secondIds: this.secondIds.slice(0, count),
      distances: this.distances.slice(0, count),
    };
  }
}

/** The conditions of a search on tags and second fingerprints, taken from the columns of entries. */
class Conditions {
  readonly query = new Query();
  readonly matches = new Matches();
  private readonly tags: Uint32Array | undefined;
  private readonly secondFingerprints: Uint32Array | undefined;

  constructor(
    private readonly parts: Parts,
    private readonly search: Search,
    { tags, secondFingerprints }: Columns,
    byTag: boolean,
  ) {
    this.query.distance = search.distance;
    this.query.secondDistance = search.secondDistance ?? Number.POSITIVE_INFINITY;
    this.tags = byTag ? tags : undefined;
    this.secondFingerprints = search.secondDistance === undefined ? undefined : secondFingerprints;
  }

  /**
   * Leaves in `matches` what matches one of `count` entries, of one fingerprint and id; `at(i)` is where the i-th
   * of them stands in the columns.
   */
  *find(count: number, at: (i: number) => number): Steps<void> {
    const { query, matches, parts, tags, secondFingerprints } = this;
    const { limit } = this.search;
    query.like(tags, secondFingerprints, at(0));
    yield* parts.findSteps(query, limit, matches);
    if (tags === undefined && secondFingerprints === undefined) return;
    for (let i = 1; i < count; i++) {
      if (this.isSame(at(i - 1), at(i))) continue;
      query.like(tags, secondFingerprints, at(i));
      yield* parts.findMoreSteps(query, matches);
    }
  }

  private isSame(a: number, b: number): boolean {
    const { tags, secondFingerprints } = this;
    if (tags !== undefined && tags[a] !== tags[b]) return false;
    return (
      secondFingerprints === undefined ||
      (secondFingerprints[2 * a] === secondFingerprints[2 * b] &&
        secondFingerprints[2 * a + 1] === secondFingerprints[2 * b + 1])
    );
  }
}

/** Each row's number in the order of fingerprints, and the other way round. */
function* rank({ lanes, rows }: Segment): Steps<{ ranks: Uint32Array; byRank: Uint32Array }> {
  const { order: byRank } = yield* radixSort(yield* copyOf(lanes, lanes.length));
  const ranks = new Uint32Array(rows);
  yield* inStrides(rows, (from, to) => {
    for (let i = from; i < to; i++) ranks[byRank[i] as number] = i;
  });
  return { ranks, byRank };
}

/** The segment that holds all entries and nothing else, if there is one. */
function onlySegment({ head, segments }: Parts): Segment | undefined {
  const [first, ...others] = segments;
  return head.size === 0 && others.length === 0 && first?.removed.count === 0 ? first : undefined;
}

/** Pairs of the entries of the parts. */
export function* pairBatches(parts: Parts, search: Search, maxDistance: number): Batches<PairBatch> {
  const segment = onlySegment(parts) ?? (yield* buildSegment(yield* gatherEntries(parts), maxDistance));
  const { ranks, byRank } = yield* rank(segment);
  const { lanes, columns } = segment;
  const one = new Parts(new Entries(parts.head.kinds, 0), [segment]);
  const conditions = new Conditions(one, search, columns, true);
  const { query, matches } = conditions;
  const pairs = new PairBuffer();
  for (const row of byRank) {
    query.at(lanes, row);
    const end = segment.start(row + 1);
    let next = segment.start(row);
    while (next < end) {
      const slot = next;
      const id = columns.ids[slot] as number;
      while (next < end && columns.ids[next] === id) next++;
      query.after = { id, row, slot: next, ranks };
      yield* conditions.find(next - slot, (i) => slot + i);
      yield* pairs.add(id, matches);
      yield 1;
    }
  }
  yield* pairs.end();
}

/** Pairs of the entries of the parts with those of others; only of one tag where `byTag`. */
export function* joinBatches(
  parts: Parts,
  others: Parts,
  search: Search,
  byTag: boolean,
): Batches<PairBatch> {
  const { lanes, order, columns, groups } = yield* sortEntries(yield* gatherEntries(parts));
  const conditions = new Conditions(others, search, columns, byTag);
  const { query, matches } = conditions;
  const pairs = new PairBuffer();
  const at = (i: number) => order[i] as number;
  for (let group = 0; group + 1 < groups.length; group++) {
    let next = groups[group] as number;
    const end = groups[group + 1] as number;
    query.at(lanes, next);
    while (next < end) {
      const first = next;
      const id = columns.ids[at(first)] as number;
      while (next < end && columns.ids[at(next)] === id) next++;
      yield* conditions.find(next - first, (i) => at(first + i));
      yield* pairs.add(id, matches);
      yield 1;
    }
  }
  yield* pairs.end();
}
