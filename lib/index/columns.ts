/**
 * The columns of entries beside fingerprint and id: checked against those that the index was made with. Arrays are
 * copied, or are views that are taken last, when no code of the caller's can run any more.
 */
import type { EntryBatch, IndexColumns, QueryBatch } from '../engine.ts';
import { makeError } from '../errors.ts';
import {
  checkFingerprint,
  checkFingerprints,
  checkIds,
  checkInteger,
  checkIntegers,
  MAX_ID,
  outOfRange,
} from '../validate.ts';

const MAX_TAG = 0xffff_ffff;

/** Integers of a column, one for each fingerprint. */
export type Integers = readonly number[] | Float64Array | Uint32Array;

/** The columns of one entry: exactly those that the index was made with. */
export interface EntryColumns {
  /** An integer from 0 to 2^53 - 1, in any unit: Date.now(), a day, a number of a crawl. */
  readonly time?: number | undefined;
  /** An integer from 0 to 2^32 - 1: what the entry belongs to, such as a site or a language. */
  readonly tag?: number | undefined;
  /** A second fingerprint, 0n to 2n ** 64n - 1n. */
  readonly secondFingerprint?: bigint | undefined;
}

/** The columns of many entries, one element for each. */
export interface BatchColumns {
  readonly times?: Integers | undefined;
  readonly tags?: Integers | undefined;
  readonly secondFingerprints?: BigUint64Array | undefined;
}

/** Each column: its option of the index, and what it is called for one entry and for many. */
const COLUMNS = [
  { kind: 'time', option: 'times', one: 'time', many: 'times' },
  { kind: 'tag', option: 'tags', one: 'tag', many: 'tags' },
  { kind: 'second', option: 'secondFingerprints', one: 'secondFingerprint', many: 'secondFingerprints' },
] as const;

/** Refuses what uses a column that the index was not made with. */
export function requireColumn(kinds: IndexColumns, kind: keyof IndexColumns, name: string): void {
  if (kinds[kind]) return;
  const option = COLUMNS.find((column) => column.kind === kind)?.option;
  throw makeError('ERR_NEARDUP_OUT_OF_RANGE', `options.${name} needs an index made with {${option}: true}`);
}

/** Refuses columns that the index does not have, and none where it has one. */
function checkPresence(kinds: IndexColumns, given: EntryColumns | BatchColumns, form: 'one' | 'many'): void {
  for (const column of COLUMNS) {
    const name = column[form];
    const isGiven = given[name as keyof typeof given] !== undefined;
    if (isGiven) requireColumn(kinds, column.kind, name);
    else if (kinds[column.kind]) {
      throw makeError(
        'ERR_NEARDUP_INVALID_TYPE',
        `options.${name} is missing: the index was made with {${column.option}: true}`,
      );
    }
  }
}

export const checkTime = (name: string, value: unknown): number => checkInteger(name, value, 0, MAX_ID);
export const checkTag = (name: string, value: unknown): number => checkInteger(name, value, 0, MAX_TAG);

/** The columns of one entry, checked: each is there where the index has it. */
export function checkColumns(
  kinds: IndexColumns,
  { time, tag, secondFingerprint }: EntryColumns,
): EntryColumns {
  checkPresence(kinds, { time, tag, secondFingerprint }, 'one');
  return {
    time: kinds.time ? checkTime('options.time', time) : undefined,
    tag: kinds.tag ? checkTag('options.tag', tag) : undefined,
    secondFingerprint: kinds.second
      ? checkFingerprint('options.secondFingerprint', secondFingerprint)
      : undefined,
  };
}

/** Views of two arrays of 64-bit values, of which the first is as long as it was and the second as long. */
function viewsOf(
  fingerprints: unknown,
  secondFingerprints: unknown,
  length: number,
): { fingerprints: BigUint64Array; secondFingerprints?: BigUint64Array } {
  const first = checkFingerprints('fingerprints', fingerprints);
  if (first.length !== length) outOfRange('fingerprints.length', `${length}, as it was`, first.length);
  if (secondFingerprints === undefined) return { fingerprints: first };
  const second = checkFingerprints('options.secondFingerprints', secondFingerprints);
  if (second.length !== length) {
    outOfRange('options.secondFingerprints.length', `${length}, one for each fingerprint`, second.length);
  }
  return { fingerprints: first, secondFingerprints: second };
}

/** A batch of entries, checked. */
export function checkEntries(
  kinds: IndexColumns,
  fingerprints: unknown,
  ids: unknown,
  { times, tags, secondFingerprints }: BatchColumns,
): EntryBatch {
  checkPresence(kinds, { times, tags, secondFingerprints }, 'many');
  const { length } = checkFingerprints('fingerprints', fingerprints);
  const batch = {
    ids: checkIds('ids', ids, length),
    ...(kinds.time && { times: checkIntegers('options.times', times, length, MAX_ID) }),
    ...(kinds.tag && { tags: Uint32Array.from(checkIntegers('options.tags', tags, length, MAX_TAG)) }),
  };
  // Last, as reading an array may have run code that detached or resized the others.
  return { ...batch, ...viewsOf(fingerprints, secondFingerprints, length) };
}

/** A batch of queries, checked. */
export function checkQueries(
  kinds: IndexColumns,
  fingerprints: unknown,
  { tags, secondFingerprints }: Pick<BatchColumns, 'tags' | 'secondFingerprints'>,
): QueryBatch {
  if (tags !== undefined) requireColumn(kinds, 'tag', 'tags');
  if (secondFingerprints !== undefined) requireColumn(kinds, 'second', 'secondFingerprints');
  const { length } = checkFingerprints('fingerprints', fingerprints);
  const batch = tags !== undefined && {
    tags: Uint32Array.from(checkIntegers('options.tags', tags, length, MAX_TAG)),
  };
  return { ...batch, ...viewsOf(fingerprints, secondFingerprints, length) };
}

/** A batch with room for one entry with these columns. */
export function batchOfOne({ time, tag, second }: IndexColumns): EntryBatch {
  return {
    fingerprints: new BigUint64Array(1),
    ids: new Float64Array(1),
    ...(time && { times: new Float64Array(1) }),
    ...(tag && { tags: new Uint32Array(1) }),
    ...(second && { secondFingerprints: new BigUint64Array(1) }),
  };
}

/** Puts an entry, which is checked, into a batch of one. */
export function setEntry(batch: EntryBatch, fingerprint: bigint, id: number, columns: EntryColumns): void {
  const { fingerprints, ids, times, tags, secondFingerprints } = batch;
  fingerprints[0] = fingerprint;
  ids[0] = id;
  if (times !== undefined) times[0] = columns.time as number;
  if (tags !== undefined) tags[0] = columns.tag as number;
  if (secondFingerprints !== undefined) secondFingerprints[0] = columns.secondFingerprint as bigint;
}
