/**
 * An exact index of 64-bit fingerprints: which entries are within k bits of this one? In memory; the engine
 * in use does the work. Not shared between threads: each worker has its own.
 */
import { currentEngine } from '../backend.ts';
import type { AddIfNewResult, BatchMatches, EngineIndex } from '../engine.ts';
import { makeError } from '../errors.ts';
import {
  checkFingerprint,
  checkFingerprints,
  checkId,
  checkIds,
  checkInteger,
  checkOptions,
  MAX_ID,
  outOfRange,
  wrongType,
} from '../validate.ts';

/** Largest distance, in bits, that an index can be made for. */
const MAX_DISTANCE = 8;
const DEFAULT_DISTANCE = 3;

/** How an index is made. */
export interface HammingIndexOptions {
  /** The largest distance, in bits, that queries will ask for: 0 to 8; 3 when not given. */
  readonly maxDistance?: number | undefined;
}

/** How far to look. */
export interface NearestOptions {
  /** Distance in bits, 0 to the index's maxDistance; the index's when not given. */
  readonly maxDistance?: number | undefined;
}

/** How far to look, and how many answers to give. */
export interface QueryOptions extends NearestOptions {
  /** The most matches of one fingerprint, the nearest ones: 1 to 2^53 - 1; all when not given. */
  readonly limit?: number | undefined;
}

/** A held entry near the fingerprint asked for. */
export interface Match {
  readonly id: number;
  /** Hamming distance in bits. */
  readonly distance: number;
}

/** What addIfNew did: added the entry, or found something near it. */
export type AddResult = { readonly added: true } | { readonly added: false; readonly match: Match };

/**
 * Holds (fingerprint, id) entries. The same id may be added with several fingerprints, and an entry more than
 * once: `size` counts them all, and a query reports each id once, with its smallest distance. Matches are
 * sorted by distance, then id; equal fingerprints match at distance 0.
 *
 * Every method throws a NeardupError: ERR_NEARDUP_INVALID_TYPE or ERR_NEARDUP_OUT_OF_RANGE for arguments,
 * ERR_NEARDUP_CLOSED after close(), ERR_NEARDUP_OUT_OF_MEMORY when memory is refused. A call refused for its
 * arguments adds nothing; a batch that ran out of memory may have added entries before it did. Whatever was
 * stored stays, and the index stays usable.
 */
export class HammingIndex {
  readonly #maxDistance: number;
  readonly #one = new BigUint64Array(1);
  readonly #oneId = new Float64Array(1);
  #engine: EngineIndex | undefined;

  /** Options: `maxDistance`, 0 to 8 bits (3 when not given). */
  constructor(options?: HammingIndexOptions) {
    const { maxDistance } = checkOptions('options', options);
    this.#maxDistance =
      maxDistance === undefined
        ? DEFAULT_DISTANCE
        : checkInteger('options.maxDistance', maxDistance, 0, MAX_DISTANCE);
    this.#engine = currentEngine().createIndex({ maxDistance: this.#maxDistance });
  }

  /** Entries held, copies included; 0 after close(). */
  get size(): number {
    return HammingIndex.#receiver(this).#engine?.size ?? 0;
  }

  /** The largest distance of a query, in bits. */
  get maxDistance(): number {
    return HammingIndex.#receiver(this).#maxDistance;
  }

  /** True after close(). */
  get closed(): boolean {
    return HammingIndex.#receiver(this).#engine === undefined;
  }

  /** Adds one entry: a fingerprint, 0n to 2n ** 64n - 1n, and an id, 0 to 2^53 - 1. */
  add(fingerprint: bigint, id: number): void {
    const self = HammingIndex.#receiver(this);
    self.#setOne(fingerprint, id);
    self.#open().addBatch(self.#one, self.#oneId);
  }

  /** Adds many entries: ids[i] belongs to fingerprints[i]. All are checked before any is added. */
  addBatch(fingerprints: BigUint64Array, ids: readonly number[] | Float64Array | Uint32Array): void {
    const self = HammingIndex.#receiver(this);
    const entries = checkEntries(fingerprints, ids);
    self.#open().addBatch(entries.fingerprints, entries.ids);
  }

  /** The entries within maxDistance bits of a fingerprint, sorted by distance, then id. */
  query(fingerprint: bigint, options?: QueryOptions): Match[] {
    const self = HammingIndex.#receiver(this);
    const value = checkFingerprint('fingerprint', fingerprint);
    const { distance, limit } = self.#queryOptions(options);
    const index = self.#open();
    self.#one[0] = value;
    const { ids, distances } = index.queryBatch(self.#one, distance, limit);
    return Array.from(ids, (id, i) => ({ id, distance: distances[i] as number }));
  }

  /** Queries for many fingerprints at once; the limit holds for each of them. */
  queryBatch(fingerprints: BigUint64Array, options?: QueryOptions): BatchMatches {
    const self = HammingIndex.#receiver(this);
    const { distance, limit } = self.#queryOptions(options);
    const values = checkFingerprints('fingerprints', fingerprints);
    return self.#open().queryBatch(values, distance, limit);
  }

  /** Adds an entry unless something held is within maxDistance bits of it; then gives the nearest (smallest id). */
  addIfNew(fingerprint: bigint, id: number, options?: NearestOptions): AddResult {
    const self = HammingIndex.#receiver(this);
    const { distance } = self.#queryOptions(options);
    self.#setOne(fingerprint, id);
    const result = self.#open().addIfNewBatch(self.#one, self.#oneId, distance);
    if (result.added[0] === 1) return { added: true };
    const match = { id: result.nearestIds[0] as number, distance: result.nearestDistances[0] as number };
    return { added: false, match };
  }

  /**
   * As addIfNew for each entry in turn: entry i is compared with what was held before the call and with the
   * entries of the batch before it that were added.
   */
  addIfNewBatch(
    fingerprints: BigUint64Array,
    ids: readonly number[] | Float64Array | Uint32Array,
    options?: NearestOptions,
  ): AddIfNewResult {
    const self = HammingIndex.#receiver(this);
    const { distance } = self.#queryOptions(options);
    const entries = checkEntries(fingerprints, ids);
    return self.#open().addIfNewBatch(entries.fingerprints, entries.ids, distance);
  }

  /** Gives the memory back. Closing again does nothing. */
  close(): void {
    const self = HammingIndex.#receiver(this);
    const engine = self.#engine;
    self.#engine = undefined;
    engine?.close();
  }

  /** close(), for `using`. */
  [Symbol.dispose](): void {
    HammingIndex.prototype.close.call(this);
  }

  /** Called after arguments are read, as reading them may run code that closes the index. */
  #open(): EngineIndex {
    if (this.#engine === undefined) throw makeError('ERR_NEARDUP_CLOSED', 'the index is closed');
    return this.#engine;
  }

  #setOne(fingerprint: unknown, id: unknown): void {
    const value = checkFingerprint('fingerprint', fingerprint);
    this.#oneId[0] = checkId('id', id);
    this.#one[0] = value;
  }

  #queryOptions(options: QueryOptions | undefined): { distance: number; limit: number } {
    const { maxDistance, limit } = checkOptions('options', options);
    return {
      distance:
        maxDistance === undefined
          ? this.#maxDistance
          : checkInteger('options.maxDistance', maxDistance, 0, this.#maxDistance),
      limit: limit === undefined ? Number.POSITIVE_INFINITY : checkInteger('options.limit', limit, 1, MAX_ID),
    };
  }

  /** The index that a method was called on; refuses any other `this`. */
  static #receiver(value: unknown): HammingIndex {
    if (typeof value === 'object' && value !== null && #engine in value) return value;
    return wrongType('this', 'a HammingIndex', value);
  }
}

function checkEntries(
  fingerprints: unknown,
  ids: unknown,
): { fingerprints: BigUint64Array; ids: Float64Array } {
  const { length } = checkFingerprints('fingerprints', fingerprints);
  const checkedIds = checkIds('ids', ids, length);
  // Once more: reading the ids may have run code that detached or resized the fingerprints.
  const checked = checkFingerprints('fingerprints', fingerprints);
  if (checked.length !== length) outOfRange('fingerprints.length', `${length}, as it was`, checked.length);
  return { fingerprints: checked, ids: checkedIds };
}
