/**
 * What both engines offer: native (C++ behind Node-API) and js (TypeScript). Calls take and give typed
 * arrays and trust their arguments: the facade has checked them. The same call gives the same result
 * on both engines, to the bit and in the same order.
 */

import type { EngineIndex, IndexOptions, MachineCosts, PlannedDesign, PlanRequest } from './engine-index.ts';
import type { FileLocker, SegmentChecker } from './engine-storage.ts';

export type * from './engine-index.ts';
export type * from './engine-storage.ts';

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
export interface Engine extends SegmentChecker, FileLocker {
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
