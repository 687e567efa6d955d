/**
 * What both engines offer of the index and its planning; the rest, and what holds for all calls, is in engine.ts.
 */

import type { StoredIndex } from './engine-storage.ts';

/** Answers of a batch: the matches of query i stand at offsets[i] to offsets[i + 1] - 1. */
export interface BatchMatches {
  /** One more entry than there are queries. */
  readonly offsets: Float64Array;
  /** Ids, by distance, then id, within each query. */
  readonly ids: Float64Array;
  /** Hamming distances in bits, beside the ids. */
  readonly distances: Uint8Array;
}

/** What became of each entry of an addIfNewBatch. */
export interface AddIfNewResult {
  /** 1 where the entry was added, 0 where something was near. */
  readonly added: Uint8Array;
  /** The nearest id already held (smallest distance, then smallest id); -1 where added. */
  readonly nearestIds: Float64Array;
  /** Its distance in bits; 0 where added. */
  readonly nearestDistances: Uint8Array;
}

/** Which columns entries have beside fingerprint and id. */
export interface IndexColumns {
  readonly time: boolean;
  readonly tag: boolean;
  readonly second: boolean;
}

/** Of entries that are a fingerprint and an id alone. */
export const NO_COLUMNS: IndexColumns = { time: false, tag: false, second: false };

/** How an index is made. */
export interface IndexOptions {
  /** Largest distance that queries are planned for, 0 to 16. */
  readonly maxDistance: number;
  /** None when not given. */
  readonly columns?: IndexColumns;
  /**
   * Bytes for each entry that segments are planned for: 0 as few as is sensible, Infinity as fast as is sensible.
   * js: not used.
   */
  readonly bytesPerEntry?: number;
  /** Fresh entries held before they are sorted; and the most matches of one batch. Tests make them small. */
  readonly headEntries?: number;
  readonly maxMatches?: number;
}

/** Entries, column by column, all of one length; exactly the columns that the index has. */
export interface EntryBatch {
  readonly fingerprints: BigUint64Array;
  /** 0 to 2^53 - 1. */
  readonly ids: Float64Array;
  /** Integers, 0 to 2^53 - 1. */
  readonly times?: Float64Array;
  readonly tags?: Uint32Array;
  readonly secondFingerprints?: BigUint64Array;
}

/**
 * Fingerprints to look for. With tags: for query i only entries of tags[i]; with secondFingerprints (and the search's
 * secondDistance): only entries whose second fingerprint is within that of secondFingerprints[i].
 */
export interface QueryBatch {
  readonly fingerprints: BigUint64Array;
  readonly tags?: Uint32Array;
  readonly secondFingerprints?: BigUint64Array;
}

/** What counts as a match. */
export interface Search {
  /** 0 to 64. Over the index's maxDistance: every entry is compared. */
  readonly distance: number;
  /** 1 to Infinity: the nearest matches (distance, then id) of each query; filters count first. */
  readonly limit: number;
  /** 0 to 64; in queries, with secondFingerprints. */
  readonly secondDistance?: number;
  /** Only entries of this time and later. Queries only: pairs and join do not look at times. */
  readonly since?: number;
}

/** Work that goes on off the thread (native) or in slices with turns of the event loop between them (js). */
export interface Job<T> {
  /** undefined where `cancel` was called before the end. Rejects with a NeardupError. */
  readonly result: Promise<T | undefined>;
  cancel(): void;
  /** Share done, 0 to 1; of a cursor's job: of all that the cursor goes through. */
  progress(): number;
}

/** Pairs of ids: firstIds[i], secondIds[i], distances[i]. */
export interface PairBatch {
  readonly firstIds: Float64Array;
  readonly secondIds: Float64Array;
  /** Hamming distances in bits. */
  readonly distances: Uint8Array;
}

/** Gives what was held at the moment when it was made, batch by batch, in order. One next() at a time. */
export interface Cursor<T> {
  /** The next batch, some ten thousand items or fewer, never empty; undefined at the end (and after cancel). */
  next(): Job<T | undefined>;
  /** Gives the memory back. Work under way ends as if cancelled. */
  close(): void;
}

/** One segment of an index. */
export interface SegmentStats {
  /** Removed ones not counted. */
  readonly entries: number;
  readonly removed: number;
  /** Distinct ones; until the segment is rewritten, also those of which every entry was removed. */
  readonly fingerprints: number;
  readonly bytes: number;
  /** Bytes of the file that is read in place, in addition; 0: it is in memory. */
  readonly mappedBytes: number;
  /** 0: every fingerprint is compared. */
  readonly tables: number;
  /** The most fingerprints that a probe of a table compares, about; 0 without tables. */
  readonly longestBucket: number;
}

/** What an index is made of. */
export interface IndexStats {
  readonly entries: number;
  /** Bytes of all that is held; not what merges and jobs under way work in. */
  readonly bytes: number;
  /** Bytes of files that are read in place, in addition. */
  readonly mappedBytes: number;
  /** Entries not yet in a segment. */
  readonly headEntries: number;
  /** Largest (most entries) first. */
  readonly segments: readonly SegmentStats[];
  /** Whether segments are being merged. */
  readonly merging: boolean;
}

/** Collects entries, batch by batch, that an index is to hold all at once. */
export interface Loader {
  add(entries: EntryBatch): void;
  /** All entries are held from the moment when the job is done. No call but close may follow. */
  finish(): Job<true>;
  /** Gives the memory back of what was not finished. */
  close(): void;
}

/** An index of (fingerprint, id) entries with columns, exact at every distance. */
export interface EngineIndex extends StoredIndex {
  /** Entries held: copies counted, removed ones not. */
  readonly size: number;
  /** Adds all entries, or throws and adds none. */
  addBatch(entries: EntryBatch): void;
  /** The arrays are copied before it returns. All entries are held from the moment when the job is done. */
  addBatchAsync(entries: EntryBatch): Job<true>;
  /** For loads so large that entries and result do not fit the memory side by side: what is built is given back. */
  loader(): Loader;
  /**
   * In order, entry i is added if nothing held (entries 0..i-1 of the batch included) matches it: within
   * `distance`, of the same tag where the index has tags, and, where secondDistance is given, with a second
   * fingerprint within that.
   */
  addIfNewBatch(entries: EntryBatch, distance: number, secondDistance?: number): AddIfNewResult;
  /**
   * addIfNewBatch of the first fingerprint with this id, in an index without columns. Undefined where added, else
   * the nearest id and its distance.
   */
  addIfNewOne(fingerprint: BigUint64Array, id: number, distance: number): Float64Array | undefined;
  queryBatch(queries: QueryBatch, search: Search): BatchMatches;
  /** queryBatch of the first fingerprint: id and distance of each match in turn; undefined where there is none. */
  queryOne(fingerprint: BigUint64Array, distance: number, limit: number): Float64Array | undefined;
  /** Answers from what is held when it is called. The arrays are copied before it returns. */
  queryBatchAsync(queries: QueryBatch, search: Search): Job<BatchMatches>;
  /**
   * Removes every copy of entry i: all entries of its fingerprint and id, whatever their columns. How many there
   * were, for each.
   */
  removeBatch(fingerprints: BigUint64Array, ids: Float64Array): Float64Array;
  /** Removes the entries whose time is before `time`; how many. Only with times. */
  removeBefore(time: number): number;
  /** Makes one segment of all that is held, without what was removed. */
  compact(): Job<true>;
  /**
   * Pairs of held entries within `distance`: each entry, in the order of (fingerprint, id), with those after it
   * in that order, sorted by distance, then id (each id once, at its smallest distance; never the entry's own
   * id), cut at `limit`. Of an index with tags: only pairs of one tag; with secondDistance: only pairs whose
   * second fingerprints are within it. Entries of one fingerprint and id count once: they are in a pair where
   * one of them is.
   */
  pairs(search: Search): Cursor<PairBatch>;
  /**
   * Each entry, in the order of (fingerprint, id), with the matches that the other index (same engine) has: a
   * query for each, of its own tag where both have tags, by its own second fingerprint where secondDistance is
   * given (then both have them). Entries of one fingerprint and id count once, with the matches of them all.
   */
  join(other: EngineIndex, search: Search): Cursor<PairBatch>;
  /** All entries in the order of (fingerprint, id, time, tag, second), copies included. */
  entries(): Cursor<EntryBatch>;
  stats(): IndexStats;
  /** Gives the memory back; no call may follow. Work under way ends as if cancelled, that of cursors included. */
  close(): void;
}

/**
 * What a machine takes for the steps of a query, in nanoseconds; cacheBytes in bytes. native/core/index/machine_costs.h
 * says what each is.
 */
export interface MachineCosts {
  readonly cachedLine: number;
  readonly memoryLine: number;
  readonly cacheBytes: number;
  readonly probe: number;
  readonly table: number;
  readonly run: number;
  readonly compare: number;
  readonly suspect: number;
}

/** What a plan is to be for. */
export interface PlanRequest {
  /** Fingerprints: 1 to 2^40. */
  readonly count: number;
  /** In bits, 0 to 16. */
  readonly maxDistance: number;
  /** Bytes for everything; no bound when not given. */
  readonly memory?: number;
  /** Bits of the greatest id: 1 to 53. */
  readonly idBits: number;
  /** Those of a Zen 3 server when not given. */
  readonly costs?: MachineCosts;
}

/** Bits low to low + width - 1 of a fingerprint; bit 0 is the lowest. */
export interface BitRange {
  readonly low: number;
  readonly width: number;
}

/** A design for an index, with what it is predicted to take and do for evenly spread fingerprints. */
export interface PlannedDesign {
  /** The tables and the blocks of the fingerprint they are made of, such as `3 tables: 2 x exact + 1 flip`; or `scan`. */
  readonly name: string;
  /** Whether it is one of Manku, Jain and Das Sarma (2007). */
  readonly published: boolean;
  /** How many permuted tables; 0: every fingerprint is compared. */
  readonly tables: number;
  /** Bits of the shortest key; 0 without tables. */
  readonly keyBits: number;
  /** For each table, the bits of its key that may differ from the query's. */
  readonly radii: readonly number[];
  /** For each table, the bits that make its key: disjoint ranges, at most 32 bits together. */
  readonly keys: readonly (readonly BitRange[])[];
  /** Memory in all, ids included. */
  readonly bytes: number;
  /** Buckets that a query reads, on average. */
  readonly probes: number;
  /** Fingerprints that share the shortest key with a query, on average; without tables: all. */
  readonly candidates: number;
  /** Time of a query, in batches, on one thread. */
  readonly nanoseconds: number;
  /** Whether `bytes` is within the memory that there is. */
  readonly fits: boolean;
}
