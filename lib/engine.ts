/**
 * What both engines offer: native (C++ behind Node-API) and js (TypeScript). Calls take and give typed
 * arrays and trust their arguments: the facade has checked them. The same call gives the same result
 * on both engines, to the bit and in the same order.
 */

/** Which engine does the work. */
export type Backend = 'native' | 'js';

/** How a text becomes features. */
export interface FeatureOptions {
  /** `words`: n-grams of `min` to `max` tokens; `chars`: runs of `min` to `max` code points. */
  readonly unit: 'words' | 'chars';
  readonly min: number;
  readonly max: number;
  /** What a feature that occurs tf times weighs: 1, tf or 1 + ln tf. */
  readonly weight: 'set' | 'count' | 'log';
  /** Tokens of `words` that are left out before n-grams are made: folded, as `tokens` gives them. */
  readonly stopWords?: readonly string[];
}

/** What the vote of the features over 64 bits says. */
export interface VoteResult {
  /** Undefined when there are no features. */
  readonly fingerprint: bigint | undefined;
  /** Features counted, repetitions included. */
  readonly features: number;
  /** Their weight together. */
  readonly weight: number;
  /** For each bit, lowest first: weight for it less weight against it. The bit is 1 where that is over 0. */
  readonly margins: Float64Array;
}

/** Makes fingerprints of texts by one set of feature options. Texts are strings or UTF-8 bytes. */
export interface Fingerprinter {
  /** The fingerprint of a text, or undefined when it has no features. */
  fingerprint(text: string | Uint8Array): bigint | undefined;
  /** Fingerprints of many texts, in order, with the number of features of each; 0 of both: no fingerprint. */
  fingerprintBatch(texts: readonly (string | Uint8Array)[]): FingerprintBatch;
  describe(text: string | Uint8Array): VoteResult;
  /** The distinct features of a text. For fingerprinters of the weights `set` and `log`: `count` keeps no features. */
  frequencies(text: string | Uint8Array): Frequencies;
  /** The tokens of a text that n-grams of words are made of, stop words left out. */
  tokens(text: string | Uint8Array): string[];
  createHasher(): Hasher;
}

/** The distinct features of a text. */
export interface Frequencies {
  /** Ascending. */
  readonly hashes: BigUint64Array;
  /** How often each occurs. */
  readonly times: Float64Array;
}

/** Result of fingerprintBatch: entry i is that of text i. */
export interface FingerprintBatch {
  readonly fingerprints: BigUint64Array;
  readonly features: Float64Array;
}

/** Fingerprints of a batch in the making. */
export interface FingerprintJob {
  /** One batch for each fingerprinter, in order; undefined where `cancel` was called before the end. */
  readonly result: Promise<readonly FingerprintBatch[] | undefined>;
  /** Asks the work to end soon. */
  cancel(): void;
}

/** Takes a text in chunks cut anywhere, also inside a code point. */
export interface Hasher {
  /** Throws ERR_NEARDUP_CLOSED after digest or merge. */
  update(chunk: string | Uint8Array): void;
  /** Ends the text. May be called again. */
  digest(): VoteResult;
  /** Ends both texts and adds the other's features to this one's: no n-gram spans the two. Same options, same engine. */
  merge(other: Hasher): void;
}

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
  readonly seconds?: BigUint64Array;
}

/**
 * Fingerprints to look for. With tags: for query i only entries of tags[i]; with seconds (and the search's
 * secondDistance): only entries whose second fingerprint is within that of seconds[i].
 */
export interface QueryBatch {
  readonly fingerprints: BigUint64Array;
  readonly tags?: Uint32Array;
  readonly seconds?: BigUint64Array;
}

/** What counts as a match. */
export interface Search {
  /** 0 to 64. Over the index's maxDistance: every entry is compared. */
  readonly distance: number;
  /** 1 to Infinity: the nearest matches (distance, then id) of each query; filters count first. */
  readonly limit: number;
  /** 0 to 64; in queries, with seconds. */
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
export interface EngineIndex {
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

/** An exact set of 64-bit keys that are spread evenly over the 64 bits. */
export interface EngineKeySet {
  /** Keys held. */
  size(): number;
  /** Bytes allocated. */
  memoryBytes(): number;
  /** Adds in order; 1 where the key was not held before (keys earlier in the batch included), else 0. */
  addBatch(keys: BigUint64Array): Uint8Array;
  /** 1 where the key is held, else 0. */
  hasBatch(keys: BigUint64Array): Uint8Array;
  /** Fills `out` with the smallest keys from `from` on, ascending; returns how many there were. */
  readSorted(from: bigint, out: BigUint64Array): number;
  /** Gives the memory back; no call may follow. */
  close(): void;
}

/** Size and kind of a Bloom filter. */
export interface BloomShape {
  /** m, up to 2 ** 53; a multiple of 512 where blocked. */
  readonly bits: number;
  /** k, 1 to 64. */
  readonly hashes: number;
  /** Whether the bits of a key lie within one block of 512. */
  readonly blocked: boolean;
}

/** The bits of a Bloom filter over 64-bit keys that are spread evenly. */
export interface EngineBloom {
  /** Adds in order; 1 where the key set a bit, so was not held before, else 0. */
  addBatch(keys: BigUint64Array): Uint8Array;
  /** 1 where all bits of the key are set, else 0. */
  hasBatch(keys: BigUint64Array): Uint8Array;
  /** Bits set. */
  countOnes(): number;
  /** Copies the bytes from `offset` on; bit i is bit i % 8 of byte i / 8. There are 8 * ceil(m / 64) bytes. */
  read(offset: number, out: Uint8Array): void;
  /** Sets the bits that are set in `bytes`, from byte `offset` on. */
  or(offset: number, bytes: Uint8Array): void;
  /** Gives the memory back; no call may follow. */
  close(): void;
}

/** One engine. */
export interface Engine {
  readonly backend: Backend;
  /** The instruction set of the hot loops: `scalar`, `avx2`, `avx512`, `neon`, or `js`. */
  readonly kernel: string;
  /** XXH3-64 of the bytes. */
  hashBytes(bytes: Uint8Array, seed: bigint): bigint;
  createFingerprinter(options: FeatureOptions): Fingerprinter;
  /**
   * Fingerprints of the same texts by each of the fingerprinters, which are of this engine. The texts are
   * copied before the call returns. Native: hashed on another thread. js: on this one, in slices of at most 10 ms
   * with a turn of the event loop between them.
   */
  fingerprintBatchAsync(
    fingerprinters: readonly Fingerprinter[],
    texts: readonly (string | Uint8Array)[],
  ): FingerprintJob;
  /** XXH3-64 with seed 0 of the UTF-8 of each string, a lone surrogate read as U+FFFD. */
  hashStrings(features: readonly string[]): BigUint64Array;
  /**
   * The vote of feature hashes, each with a weight (1 when not given). Weights are finite, >= 0, and rounded to
   * the nearest 1/65536, halves up; ERR_NEARDUP_OUT_OF_RANGE where they sum to over 2^37.
   */
  accumulate(hashes: BigUint64Array, weights?: Float64Array): VoteResult;
  /** The smallest element of a set of hashes under each of `count` permutations; all ones for an empty set. */
  minHash(set: BigUint64Array, seed: bigint, count: number): BigUint64Array;
  /** XXH3-64 of the little-endian bytes of each run of `rows` minima, whose number is a multiple of `rows`. */
  checksums(minima: BigUint64Array, rows: number): BigUint64Array;
  /** Hamming distances of each code to the query. */
  distances(codes: BigUint64Array, query: bigint): Uint8Array;
  createIndex(options: IndexOptions): EngineIndex;
  /**
   * Designs that are exact for maxDistance: the fastest, the smallest, the published ones for 3, a scan. Those that
   * fit come first, in the order of their times. Numbers agree between engines but for rounding.
   */
  listPlans(request: PlanRequest): PlannedDesign[];
  /** Measures this machine, in about 0.3 s. js: undefined, as the costs are those of the native engine's tables. */
  measureCosts(): MachineCosts | undefined;
  /** Empty, with room for `expected` keys (0); sorted keys are added fast only to a set made for as many. */
  createKeySet(expected?: number): EngineKeySet;
  createBloom(shape: BloomShape): EngineBloom;
  /** The bits that stand at `offset` (a multiple of 65536) of a file. Changes stay in memory. */
  mapBloom(shape: BloomShape, path: string, offset: number): EngineBloom;
}
