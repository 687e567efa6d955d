/** The options of HammingIndex and its methods, checked. */
import type { IndexColumns, IndexOptions, Search } from '../engine.ts';
import {
  checkCallback,
  checkInteger,
  checkNamedOptions,
  checkSignal,
  MAX_ID,
  outOfRange,
  wrongType,
} from '../validate.ts';
import { type BatchColumns, checkTime, type EntryColumns, type Integers, requireColumn } from './columns.ts';

/** Largest distance, in bits, that an index can be planned for. */
export const MAX_PLANNED = 16;
export const DEFAULT_PLANNED = 3;
/** Largest distance there is. */
const MAX_DISTANCE = 64;
/** A fingerprint alone is 8 bytes. */
const LEAST_BYTES = 8;

/** How an index is made. */
export interface HammingIndexOptions {
  /** The largest distance, in bits, that searches are planned for: 0 to 16; 3 when not given. */
  readonly maxDistance?: number | undefined;
  /**
   * What memory buys: `compact` (when not given) few bytes, `fast` many tables, or a number of bytes for each entry,
   * 8 or greater, to stay within where that can be done. The TypeScript engine has one way for all.
   */
  readonly memory?: 'compact' | 'fast' | number | undefined;
  /** Whether entries have a time. */
  readonly times?: boolean | undefined;
  /** Whether entries have a tag. */
  readonly tags?: boolean | undefined;
  /** Whether entries have a second fingerprint. */
  readonly secondFingerprints?: boolean | undefined;
}

/** Entries for `load`: ids[i] and element i of each column belong to fingerprints[i]. */
export interface LoadBatch extends BatchColumns {
  readonly fingerprints: BigUint64Array;
  readonly ids: Integers;
}

/** How far to look. */
export interface NearestOptions {
  /** Distance in bits, 0 to the index's maxDistance; the index's when not given. */
  readonly maxDistance?: number | undefined;
  /** Distance in bits, 0 to 64, within which the second fingerprints must be as well. */
  readonly secondDistance?: number | undefined;
}

/** How far to look, and how many answers to give. */
export interface SearchOptions extends NearestOptions {
  /** The most matches of one fingerprint, the nearest ones: 1 to 2^53 - 1; all when not given. */
  readonly limit?: number | undefined;
  /** Only entries of this time and later. */
  readonly since?: number | undefined;
  /** Allows a maxDistance above the index's, up to 64, at which every entry is compared. */
  readonly scan?: boolean | undefined;
}

/** Options of `query`. */
export interface QueryOptions extends SearchOptions {
  /** Only entries of this tag. */
  readonly tag?: number | undefined;
  /** The second fingerprint; with secondDistance. */
  readonly secondFingerprint?: bigint | undefined;
}

/** Options of `queryBatch`. */
export interface QueryBatchOptions extends SearchOptions {
  /** For each fingerprint: only entries of this tag. */
  readonly tags?: Integers | undefined;
  /** For each fingerprint its second one; with secondDistance. */
  readonly secondFingerprints?: BigUint64Array | undefined;
}

/** Options of work that takes a while. */
export interface AsyncOptions {
  /** Ends the work: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called from time to time with the share done, 0 to 1, and at the end with 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

export interface QueryBatchAsyncOptions extends QueryBatchOptions, AsyncOptions {}
export interface AddBatchAsyncOptions extends BatchColumns, AsyncOptions {}
export interface AddIfNewOptions extends EntryColumns, NearestOptions {}
export interface AddIfNewBatchOptions extends BatchColumns, NearestOptions {}

/** Options of `pairs` and `join`. */
export interface PairsOptions extends NearestOptions, AsyncOptions {
  /** The most pairs of one entry, the nearest ones: 1 to 2^53 - 1; all when not given. */
  readonly limit?: number | undefined;
}

export const ENTRY_NAMES = ['time', 'tag', 'secondFingerprint'] as const;
export const BATCH_NAMES = ['times', 'tags', 'secondFingerprints'] as const;
export const NEAREST_NAMES = ['maxDistance', 'secondDistance'] as const;
export const ASYNC_NAMES = ['signal', 'onProgress'] as const;
export const PAIRS_NAMES = [...NEAREST_NAMES, 'limit', ...ASYNC_NAMES] as const;
const SEARCH_NAMES = [...NEAREST_NAMES, 'limit', 'since', 'scan'] as const;
export const QUERY_NAMES = [...SEARCH_NAMES, 'tag', 'secondFingerprint'] as const;
export const QUERY_BATCH_NAMES = [...SEARCH_NAMES, 'tags', 'secondFingerprints'] as const;
export const INDEX_NAMES = ['maxDistance', 'memory', 'times', 'tags', 'secondFingerprints'] as const;

/** A boolean; false when not given. */
export function checkFlag(name: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean') wrongType(name, 'a boolean', value);
  return value ?? false;
}

/** Bytes for each entry, as an engine takes them. */
export function checkMemory(value: unknown): number {
  if (value === undefined || value === 'compact') return 0;
  if (value === 'fast') return Number.POSITIVE_INFINITY;
  const expected = `'compact', 'fast' or a number of bytes`;
  if (typeof value === 'string') outOfRange('options.memory', expected, value);
  if (typeof value !== 'number') wrongType('options.memory', expected, value);
  if (!(value >= LEAST_BYTES && value < Number.POSITIVE_INFINITY)) {
    outOfRange('options.memory', `finite and ${LEAST_BYTES} or greater`, value);
  }
  return value;
}

/** How the engine is to make the index. */
export function checkIndexOptions(
  options: HammingIndexOptions | undefined,
): IndexOptions & { columns: IndexColumns } {
  const { maxDistance, memory, times, tags, secondFingerprints } = checkNamedOptions(
    'options',
    options,
    INDEX_NAMES,
  );
  return {
    maxDistance:
      maxDistance === undefined
        ? DEFAULT_PLANNED
        : checkInteger('options.maxDistance', maxDistance, 0, MAX_PLANNED),
    bytesPerEntry: checkMemory(memory),
    columns: {
      time: checkFlag('options.times', times),
      tag: checkFlag('options.tags', tags),
      second: checkFlag('options.secondFingerprints', secondFingerprints),
    },
  };
}

/** Of an index, what searches are checked against. */
export interface Searched {
  readonly maxDistance: number;
  readonly columns: IndexColumns;
}

/** The distance, limit and conditions of a search. `hasSecond`: whether second fingerprints are given. */
export function checkSearch(
  { maxDistance: planned, columns }: Searched,
  { maxDistance, secondDistance, limit, since, scan }: SearchOptions,
  hasSecond: boolean,
): Search {
  if (secondDistance !== undefined) {
    requireColumn(columns, 'second', 'secondDistance');
    if (!hasSecond) outOfRange('options.secondDistance', 'given with second fingerprints', secondDistance);
  }
  if (since !== undefined) requireColumn(columns, 'time', 'since');
  const most = checkFlag('options.scan', scan) ? MAX_DISTANCE : planned;
  return {
    distance: maxDistance === undefined ? planned : checkInteger('options.maxDistance', maxDistance, 0, most),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : checkInteger('options.limit', limit, 1, MAX_ID),
    ...(secondDistance !== undefined && {
      secondDistance: checkInteger('options.secondDistance', secondDistance, 0, MAX_DISTANCE),
    }),
    ...(since !== undefined && { since: checkTime('options.since', since) }),
  };
}

/** As checkSearch, for queries: what has a second fingerprint needs a distance for it. */
export function checkQuerySearch(index: Searched, options: SearchOptions, second: unknown): Search {
  if (second !== undefined && options.secondDistance === undefined) {
    wrongType('options.secondDistance', 'a number, as second fingerprints are given', undefined);
  }
  return checkSearch(index, options, second !== undefined);
}

/** The signal and the callback. */
export function checkAsync({ signal, onProgress }: AsyncOptions): AsyncOptions {
  return {
    signal: checkSignal('options.signal', signal),
    onProgress: checkCallback('options.onProgress', onProgress),
  };
}
