/** Does again what a log says was done. */
import type { EngineIndex, EntryBatch, IndexColumns } from '../engine.ts';
import { NO_COLUMNS } from '../engine-index.ts';
import { corrupt } from './corrupt.ts';
import { ADD, RECORD_ENTRIES, REMOVE_BEFORE } from './log-format.ts';
import type { LogReader } from './log-reader.ts';
import type { Steps } from './steps.ts';

/** What a log's records are applied to. */
export type ReplayTarget = Pick<EngineIndex, 'addBatch' | 'removeBatch' | 'removeBefore'>;

/** Numbers are below 2^53. */
const MAX_HIGH = 2 ** 21;

/** Entries of records of one kind, column by column. */
class Gathered {
  readonly #isAdd: boolean;
  readonly #columns: IndexColumns;
  readonly #capacity: number;
  readonly #fingerprints: BigUint64Array;
  readonly #ids: Float64Array;
  readonly #times: Float64Array;
  readonly #tags: Uint32Array;
  readonly #secondFingerprints: BigUint64Array;
  #count = 0;

  constructor(isAdd: boolean, columns: IndexColumns, capacity: number) {
    this.#isAdd = isAdd;
    this.#columns = isAdd ? columns : NO_COLUMNS;
    this.#capacity = capacity;
    const { time, tag, second } = this.#columns;
    this.#fingerprints = new BigUint64Array(capacity);
    this.#ids = new Float64Array(capacity);
    this.#times = new Float64Array(time ? capacity : 0);
    this.#tags = new Uint32Array(tag ? capacity : 0);
    this.#secondFingerprints = new BigUint64Array(second ? capacity : 0);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  hasRoomFor(count: number): boolean {
    return this.#count + count <= this.#capacity;
  }

  /** Takes the entries of the record that a log stands at. */
  take(log: LogReader): void {
    const { time, tag, second } = this.#columns;
    const { count } = log;
    let at = log.at / 8;
    at = this.#longs(log, at, this.#fingerprints);
    at = this.#numbers(log, at, this.#ids);
    if (time) at = this.#numbers(log, at, this.#times);
    if (second) at = this.#longs(log, at, this.#secondFingerprints);
    if (tag) for (let i = 0; i < count; i++) this.#tags[this.#count + i] = log.words[2 * at + i] as number;
    this.#count += count;
  }

  /** Adds or removes what was taken, and forgets it. */
  apply(index: ReplayTarget): void {
    const { time, tag, second } = this.#columns;
    const count = this.#count;
    const batch: EntryBatch = {
      fingerprints: this.#fingerprints.subarray(0, count),
      ids: this.#ids.subarray(0, count),
      ...(time && { times: this.#times.subarray(0, count) }),
      ...(tag && { tags: this.#tags.subarray(0, count) }),
      ...(second && { secondFingerprints: this.#secondFingerprints.subarray(0, count) }),
    };
    this.#count = 0;
    if (this.#isAdd) index.addBatch(batch);
    else index.removeBatch(batch.fingerprints, batch.ids);
  }

  #longs({ longs, count }: LogReader, start: number, out: BigUint64Array): number {
    for (let i = 0; i < count; i++) out[this.#count + i] = longs[start + i] as bigint;
    return start + count;
  }

  #numbers({ words, count, path, start: record }: LogReader, start: number, out: Float64Array): number {
    for (let i = 0; i < count; i++) {
      const high = words[2 * (start + i) + 1] as number;
      if (high >= MAX_HIGH) throw corrupt(path, `record at byte ${record}`, 'it has a number over 2^53 - 1');
      out[this.#count + i] = high * 2 ** 32 + (words[2 * (start + i)] as number);
    }
    return start + count;
  }
}

/**
 * Applies the records from where the log stands on, in large batches; gives the length of the log as far as it
 * counts: a change of several records counts where the last of them is there. Throws ERR_NEARDUP_CORRUPT at a record
 * that is not what was written, after all before it were applied. Steps of some milliseconds.
 */
export function* replay(log: LogReader, index: ReplayTarget): Steps<number> {
  const { columns } = log.identity;
  const adds = new Gathered(true, columns, RECORD_ENTRIES);
  const removals = new Gathered(false, columns, RECORD_ENTRIES);
  let gathered = adds;
  /** Records of a change that goes on. */
  let parts: Gathered[] = [];
  let kindOfParts = log.kind;
  let length = log.position;
  function* applyGathered(): Steps<void> {
    if (gathered.isEmpty) return;
    gathered.apply(index);
    yield;
  }
  for (;;) {
    try {
      if (!log.next()) break;
    } catch (error) {
      yield* applyGathered();
      throw error;
    }
    const kind = log.kind === ADD ? adds : removals;
    const isPart = log.continues || parts.length > 0;
    if (isPart || kind !== gathered || !gathered.hasRoomFor(log.count)) yield* applyGathered();
    if (isPart) {
      if (log.kind === REMOVE_BEFORE || (parts.length > 0 && log.kind !== kindOfParts)) {
        throw corrupt(log.path, `record at byte ${log.start}`, 'it goes on with a change of another kind');
      }
      kindOfParts = log.kind;
      const part = new Gathered(log.kind === ADD, columns, log.count);
      part.take(log);
      parts.push(part);
    } else if (log.kind === REMOVE_BEFORE) {
      yield* applyGathered();
      index.removeBefore(timeIn(log));
    } else {
      gathered = kind;
      gathered.take(log);
    }
    if (log.continues) continue;
    for (const part of parts) {
      part.apply(index);
      yield;
    }
    parts = [];
    length = log.position;
  }
  yield* applyGathered();
  if (parts.length > 0) log.torn ??= 'a change of several records is not whole';
  return length;
}

/** Of a record that removes by time. */
function timeIn({ identity, path, start, words, at }: LogReader): number {
  const high = words[at / 4 + 1] as number;
  if (!identity.columns.time || high >= MAX_HIGH) {
    throw corrupt(path, `record at byte ${start}`, 'it goes by a time that there cannot be');
  }
  return high * 2 ** 32 + (words[at / 4] as number);
}
