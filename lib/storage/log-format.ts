/**
 * The bytes of a log (docs/format.md, "Logs"): a header that says which log of which index it is, then records. A
 * record is a word with its kind and length, a check of that word, columns, their CRC-32 and an end mark. Checks are
 * seeded with the log and the record's position: a record that stands anywhere else does not count.
 */
import type { EntryBatch, IndexColumns } from '../engine.ts';
import { NO_COLUMNS } from '../engine-index.ts';
import { makeError } from '../errors.ts';
import { corrupt } from './corrupt.ts';
import { crc32 } from './crc32.ts';

/** What a log begins with. */
export const LOG_MAGIC = Buffer.from('NEARDUPL');
const VERSION = 1;
const BYTE_ORDER = 0x01020304;
const CHECK_AT = 60;

/** Bytes of a log's header. */
export const LOG_HEADER = 64;
/** Bytes before a record's columns, and after them. */
export const RECORD_HEAD = 8;
export const RECORD_TAIL = 8;
/** Entries of one record at most; a change of more is several records, of which only the last does not `continue`. */
export const RECORD_ENTRIES = 65_536;

/** In the first word: bits 0 to 27 length of the columns in words, 28 to 30 kind, 31 whether the change continues. */
export const WORDS_MASK = 0x0fff_ffff;
export const KIND_SHIFT = 28;
export const KIND_MASK = 7;
export const CONTINUES = 0x8000_0000;
/** Its last byte is not zero: where the end of a file reads as zeros, a record that was not written ends. */
export const END_MARK = 0x454e_4452;

export const ADD = 1;
export const REMOVE = 2;
export const REMOVE_BEFORE = 3;
export type ChangeKind = typeof ADD | typeof REMOVE | typeof REMOVE_BEFORE;

/** Which log of which index. */
export interface LogIdentity {
  /** 32 hex digits. */
  readonly index: string;
  readonly number: number;
  readonly columns: IndexColumns;
}

/** Bytes of an entry in a record. */
export function entryBytes({ time, tag, second }: IndexColumns): number {
  return 16 + (time ? 8 : 0) + (tag ? 4 : 0) + (second ? 8 : 0);
}

/** Bytes of the columns of so many entries, filled up to whole words. */
export function columnBytes(count: number, columns: IndexColumns): number {
  return Math.ceil((count * entryBytes(columns)) / 8) * 8;
}

export function columnBits({ time, tag, second }: IndexColumns): number {
  return (time ? 1 : 0) + (tag ? 2 : 0) + (second ? 4 : 0);
}

/** The header of a log. */
export function logHeader({ index, number, columns }: LogIdentity): Buffer {
  const header = Buffer.alloc(LOG_HEADER);
  header.set(LOG_MAGIC);
  header.writeUInt32LE(VERSION, 8);
  header.writeUInt32LE(BYTE_ORDER, 12);
  header.write(index, 16, 'hex');
  header.writeBigUInt64LE(BigInt(number), 32);
  header.writeUInt32LE(columnBits(columns), 40);
  header.writeUInt32LE(crc32(header, 0, CHECK_AT, 0), CHECK_AT);
  return header;
}

/** What a log's header says; throws ERR_NEARDUP_CORRUPT or, for another version, ERR_NEARDUP_UNSUPPORTED. */
export function parseLogHeader(path: string, header: Buffer): LogIdentity {
  if (
    !header.subarray(0, LOG_MAGIC.length).equals(LOG_MAGIC) ||
    crc32(header, 0, CHECK_AT, 0) !== saltOf(header)
  ) {
    throw corrupt(path, 'header', 'it is not what was written');
  }
  const version = header.readUInt32LE(8);
  if (version !== VERSION || header.readUInt32LE(12) !== BYTE_ORDER) {
    throw makeError(
      'ERR_NEARDUP_UNSUPPORTED',
      `${path} is a log of version ${version}; this release reads ${VERSION}`,
    );
  }
  const bits = header.readUInt32LE(40);
  return {
    index: header.toString('hex', 16, 32),
    number: Number(header.readBigUInt64LE(32)),
    columns: { time: (bits & 1) !== 0, tag: (bits & 2) !== 0, second: (bits & 4) !== 0 },
  };
}

/** What the checks of a log's records are seeded with, beside their position. */
export function saltOf(header: Buffer): number {
  return header.readUInt32LE(CHECK_AT);
}

/** The seed of a record's checks. */
export function seedOf(salt: number, position: number): number {
  return (salt + position / 8) >>> 0;
}

/** Makes records in a buffer of its own, one at a time. */
export class RecordEncoder {
  readonly #columns: IndexColumns;
  readonly #salt: number;
  #bytes = Buffer.alloc(0);
  #words = new Uint32Array(0);
  #longs = new BigUint64Array(0);

  constructor(header: Buffer, columns: IndexColumns) {
    this.#salt = saltOf(header);
    this.#columns = columns;
    this.#reserve(1024);
  }

  /** Where the record stands. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** A record of entries `start` to `end` for a place in the file; how many bytes it has. */
  encode(
    kind: typeof ADD | typeof REMOVE,
    entries: EntryBatch,
    start: number,
    end: number,
    position: number,
  ): number {
    const count = end - start;
    const { time, tag, second } = kind === ADD ? this.#columns : NO_COLUMNS;
    const length = columnBytes(count, kind === ADD ? this.#columns : NO_COLUMNS);
    this.#reserve(RECORD_HEAD + length + RECORD_TAIL);
    let at = RECORD_HEAD;
    at = this.#putLongs(at, entries.fingerprints, start, end);
    at = this.#putNumbers(at, entries.ids, start, end);
    if (time) at = this.#putNumbers(at, entries.times as Float64Array, start, end);
    if (second) at = this.#putLongs(at, entries.secondFingerprints as BigUint64Array, start, end);
    if (tag) {
      const { tags } = entries;
      let word = at / 4;
      for (let i = start; i < end; i++) this.#words[word++] = (tags as Uint32Array)[i] as number;
      if ((count & 1) !== 0) this.#words[word] = 0;
    }
    return this.#finish(kind, length, end < entries.ids.length, position);
  }

  encodeRemoveBefore(time: number, position: number): number {
    this.#putNumber(RECORD_HEAD, time);
    return this.#finish(REMOVE_BEFORE, 8, false, position);
  }

  #finish(kind: ChangeKind, length: number, continues: boolean, position: number): number {
    const seed = seedOf(this.#salt, position);
    const end = RECORD_HEAD + length;
    this.#words[0] = ((length / 8) | (kind << KIND_SHIFT) | (continues ? CONTINUES : 0)) >>> 0;
    this.#words[1] = crc32(this.#bytes, 0, 4, seed);
    this.#words[end / 4] = crc32(this.#bytes, RECORD_HEAD, end, seed);
    this.#words[end / 4 + 1] = END_MARK;
    return end + RECORD_TAIL;
  }

  #putLongs(at: number, values: BigUint64Array, start: number, end: number): number {
    let long = at / 8;
    for (let i = start; i < end; i++) this.#longs[long++] = values[i] as bigint;
    return 8 * long;
  }

  #putNumbers(at: number, values: Float64Array, start: number, end: number): number {
    let place = at;
    for (let i = start; i < end; i++, place += 8) this.#putNumber(place, values[i] as number);
    return place;
  }

  #putNumber(at: number, value: number): void {
    this.#words[at / 4] = value >>> 0;
    this.#words[at / 4 + 1] = (value / 2 ** 32) >>> 0;
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const buffer = new ArrayBuffer(2 ** Math.ceil(Math.log2(length)));
    this.#bytes = Buffer.from(buffer);
    this.#words = new Uint32Array(buffer);
    this.#longs = new BigUint64Array(buffer);
  }
}
