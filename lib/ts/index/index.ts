/**
 * The in-memory index of the TypeScript engine: the verbs over a store. Exact at every moment. Jobs and cursors
 * work on what was held when they were made; they are cut into slices with turns of the event loop between them.
 * What is not cut: the sorting of one query's matches.
 */
import type {
  AddIfNewResult,
  BatchMatches,
  Checkpoint,
  Cursor,
  EngineIndex,
  EntryBatch,
  IndexOptions,
  IndexStats,
  Job,
  Loader,
  PairBatch,
  QueryBatch,
  Search,
  SegmentPayload,
} from '../../engine.ts';
import { NO_COLUMNS } from '../../engine-index.ts';
import { makeError } from '../../errors.ts';
import { lanesOf } from '../base/bits.ts';
import { guardMemory } from '../base/memory.ts';
import { Meter, type SlicedJob, startJob } from '../base/sliced-job.ts';
import type { Steps } from '../base/steps.ts';
import { checkpointOf } from '../storage/checkpoint.ts';
import { loadSegment } from '../storage/read-segment.ts';
import { buildUnits } from './build.ts';
import { type Rows, rowsOf } from './columns.ts';
import { type Batches, StepsCursor } from './cursor.ts';
import { Entries } from './entries.ts';
import { entryBatches } from './entry-batches.ts';
import { BatchBuilder, MAX_MATCHES, Matches } from './matches.ts';
import { joinBatches, pairBatches } from './pairs.ts';
import type { Parts } from './parts.ts';
import { Query } from './query.ts';
import { Store } from './store.ts';

/** Entries of the head when it becomes a segment. */
const HEAD_ENTRIES = 1024;

export class TsIndex implements EngineIndex {
  private store: Store;
  private readonly matches = new Matches();
  private readonly maxDistance: number;
  private readonly maxMatches: number;
  /** Jobs and cursors under way. */
  private readonly underWay = new Set<{ cancel(): void } | { close(): void }>();
  /** Settles when the merges that were begun have ended. */
  private merges: Promise<unknown> = Promise.resolve();

  constructor(options: IndexOptions) {
    const { maxDistance, columns = NO_COLUMNS, headEntries = HEAD_ENTRIES } = options;
    this.maxDistance = maxDistance;
    this.maxMatches = options.maxMatches ?? MAX_MATCHES;
    this.store = new Store(columns, maxDistance, headEntries);
  }

  get size(): number {
    return this.store.parts.size;
  }

  addBatch(entries: EntryBatch): void {
    guardMemory(() => this.store.add(rowsOf(entries), entries.ids.length));
  }

  addBatchAsync(entries: EntryBatch): Job<true> {
    return guardMemory(() => {
      const count = entries.ids.length;
      const copy = new Entries(this.store.kinds, count);
      copy.append(rowsOf(entries), count);
      return this.addEntries(copy);
    });
  }

  addIfNewBatch(entries: EntryBatch, distance: number, secondDistance?: number): AddIfNewResult {
    return guardMemory(() => {
      const { store, matches } = this;
      const rows = rowsOf(entries);
      const count = entries.ids.length;
      const result = {
        added: new Uint8Array(count),
        nearestIds: new Float64Array(count).fill(-1),
        nearestDistances: new Uint8Array(count),
      };
      // All the memory that adding needs is there before the first entry is added.
      store.reserve(count);
      const query = queryFor({ distance, limit: 1, ...(secondDistance !== undefined && { secondDistance }) });
      const secondFingerprints = secondDistance === undefined ? undefined : rows.secondFingerprints;
      for (let i = 0; i < count; i++) {
        query.at(rows.lanes, i);
        query.like(rows.tags, secondFingerprints, i);
        store.parts.find(query, 1, matches);
        if (matches.count > 0) {
          result.nearestIds[i] = matches.ids[0] as number;
          result.nearestDistances[i] = matches.distances[0] as number;
        } else {
          result.added[i] = 1;
          store.push(rows, i);
        }
      }
      return result;
    });
  }

  loader(): Loader {
    const { store } = this;
    let entries: Entries | undefined = new Entries(store.kinds, 0);
    const open = (): Entries => {
      if (entries === undefined) throw makeError('ERR_NEARDUP_CLOSED', 'the loader is closed');
      return entries;
    };
    return {
      add: (batch) =>
        guardMemory(() => {
          const count = batch.ids.length;
          open().reserve(count);
          open().append(rowsOf(batch), count);
        }),
      finish: () => {
        const loaded = open();
        entries = undefined;
        return this.addEntries(loaded);
      },
      close: () => {
        entries = undefined;
      },
    };
  }

  /** Adds them as a segment. */
  private addEntries(entries: Entries): Job<true> {
    const { store } = this;
    const add = function* (): Steps<true> {
      yield* store.addSegment(entries);
      return true;
    };
    const job = this.start(add(), buildUnits(entries.size));
    job.result.then(
      () => this.mergeBehind(store),
      () => {},
    );
    return job;
  }

  addIfNewOne(fingerprint: BigUint64Array, id: number, distance: number): Float64Array | undefined {
    const batch = { fingerprints: fingerprint.subarray(0, 1), ids: Float64Array.of(id) };
    const { added, nearestIds, nearestDistances } = this.addIfNewBatch(batch, distance);
    if (added[0] === 1) return undefined;
    return Float64Array.of(nearestIds[0] as number, nearestDistances[0] as number);
  }

  queryOne(fingerprint: BigUint64Array, distance: number, limit: number): Float64Array | undefined {
    const query = { fingerprints: fingerprint.subarray(0, 1) };
    const { ids, distances } = this.queryBatch(query, { distance, limit });
    if (ids.length === 0) return undefined;
    const list = new Float64Array(2 * ids.length);
    for (let i = 0; i < ids.length; i++) {
      list[2 * i] = ids[i] as number;
      list[2 * i + 1] = distances[i] as number;
    }
    return list;
  }

  queryBatch(queries: QueryBatch, search: Search): BatchMatches {
    return guardMemory(() => {
      const { matches } = this;
      const { parts } = this.store;
      const { lanes, tags, secondFingerprints } = lanesOfQueries(queries);
      const query = queryFor(search);
      const count = queries.fingerprints.length;
      const batch = new BatchBuilder(count, this.maxMatches);
      for (let i = 0; i < count; i++) {
        query.at(lanes, i);
        query.like(tags, secondFingerprints, i);
        parts.find(query, search.limit, matches);
        batch.append(matches);
      }
      return batch.result();
    });
  }

  queryBatchAsync(queries: QueryBatch, search: Search): Job<BatchMatches> {
    return guardMemory(() => {
      const { fingerprints, tags, secondFingerprints } = queries;
      const copy = {
        fingerprints: fingerprints.slice(),
        ...(tags && { tags: tags.slice() }),
        ...(secondFingerprints && { secondFingerprints: secondFingerprints.slice() }),
      };
      const steps = querySteps(this.store.parts.freeze(), copy, search, this.maxMatches);
      return this.start(steps, fingerprints.length);
    });
  }

  removeBatch(fingerprints: BigUint64Array, ids: Float64Array): Float64Array {
    return guardMemory(() => this.store.remove(lanesOf(fingerprints), ids));
  }

  removeBefore(time: number): number {
    return guardMemory(() => this.store.removeBefore(time));
  }

  compact(): Job<true> {
    const { store } = this;
    const compact = function* (): Steps<true> {
      yield* store.compactSteps();
      return true;
    };
    return this.startMerge(compact(), buildUnits(this.size));
  }

  pairs(search: Search): Cursor<PairBatch> {
    return guardMemory(() => {
      const parts = this.store.parts.freeze();
      const batches = pairBatches(parts, search, this.maxDistance);
      return this.open(batches, buildUnits(parts.size));
    });
  }

  join(other: EngineIndex, search: Search): Cursor<PairBatch> {
    return guardMemory(() => {
      const { store, underWay } = other as TsIndex;
      const parts = this.store.parts.freeze();
      const byTag = store.kinds.tag && this.store.kinds.tag;
      const batches = joinBatches(parts, store.parts.freeze(), search, byTag);
      return this.open(batches, buildUnits(parts.size), underWay);
    });
  }

  entries(): Cursor<EntryBatch> {
    return guardMemory(() => {
      const parts = this.store.parts.freeze();
      return this.open(entryBatches(parts), buildUnits(parts.size));
    });
  }

  openSegment(file: SegmentPayload, removed?: Uint8Array): void {
    guardMemory(() => {
      const { store } = this;
      const bits = removed?.slice();
      store.addFile(loadSegment(file, store.kinds, bits), { name: file.name, removed: bits });
    });
  }

  checkpoint(): Checkpoint {
    return guardMemory(() => checkpointOf(this.store.parts));
  }

  stats(): IndexStats {
    const { head, segments } = this.store.parts;
    const stats = segments.map((segment) => segment.stats());
    return {
      entries: this.size,
      bytes: stats.reduce((sum, { bytes }) => sum + bytes, head.bytes),
      mappedBytes: 0,
      headEntries: head.size,
      segments: stats.sort((a, b) => b.entries - a.entries),
      merging: this.store.isMerging,
    };
  }

  close(): void {
    for (const each of this.underWay) {
      if ('close' in each) each.close();
      else each.cancel();
    }
    this.store = new Store(this.store.kinds, this.maxDistance, HEAD_ENTRIES);
  }

  private start<T>(steps: Steps<T>, units: number, previous?: Promise<unknown>): SlicedJob<T> {
    const meter = new Meter(units);
    const job: SlicedJob<T> = startJob(
      steps,
      meter,
      () => {
        meter.end();
        this.underWay.delete(job);
      },
      previous,
    );
    this.underWay.add(job);
    return job;
  }

  /** Starts work that rewrites segments: after the work of this kind that was begun before. */
  private startMerge<T>(steps: Steps<T>, units: number): SlicedJob<T> {
    const job = this.start(steps, units, this.merges);
    this.merges = Promise.allSettled([this.merges, job.result]).then(() => undefined);
    return job;
  }

  /** Merges segments that have become small beside others, while other work goes on. */
  private mergeBehind(store: Store): void {
    if (store !== this.store) return;
    this.startMerge(store.mergeSteps(), buildUnits(this.size)).result.catch(() => {
      // Merging makes queries faster; without the memory for it, all stays as it is.
    });
  }

  private open<T extends object>(
    batches: Batches<T>,
    units: number,
    others: TsIndex['underWay'] = this.underWay,
  ): Cursor<T> {
    const cursor = new StepsCursor(batches, units, () => {
      this.underWay.delete(cursor);
      others.delete(cursor);
    });
    this.underWay.add(cursor);
    others.add(cursor);
    return cursor;
  }
}

function lanesOfQueries({
  fingerprints,
  tags,
  secondFingerprints,
}: QueryBatch): Pick<Rows, 'lanes' | 'tags' | 'secondFingerprints'> {
  return {
    lanes: lanesOf(fingerprints),
    tags,
    secondFingerprints: secondFingerprints === undefined ? undefined : lanesOf(secondFingerprints),
  };
}

function queryFor({ distance, secondDistance, since }: Search): Query {
  const query = new Query();
  query.distance = distance;
  query.secondDistance = secondDistance ?? Number.POSITIVE_INFINITY;
  query.since = since ?? 0;
  return query;
}

/** Queries for a batch, in steps. */
function* querySteps(
  parts: Parts,
  queries: QueryBatch,
  search: Search,
  maxMatches: number,
): Steps<BatchMatches> {
  const { lanes, tags, secondFingerprints } = lanesOfQueries(queries);
  const query = queryFor(search);
  const matches = new Matches();
  const batch = new BatchBuilder(queries.fingerprints.length, maxMatches);
  for (let i = 0; i < queries.fingerprints.length; i++) {
    query.at(lanes, i);
    query.like(tags, secondFingerprints, i);
    yield* parts.findSteps(query, search.limit, matches);
    batch.append(matches);
    yield 1;
  }
  return batch.result();
}
