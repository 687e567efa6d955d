/**
 * Reads a log record by record, in large pieces and without making anything for a record. A record that is cut off
 * by the end of the file, or zeros from within it to the end, is what a crash leaves of a call that had not
 * returned: the log ends before it, `torn`. Anything else that is not what was written is ERR_NEARDUP_CORRUPT.
 */
import fs from 'node:fs';
import { NO_COLUMNS } from '../engine-index.ts';
import { readFully } from './atomic-file.ts';
import { corrupt } from './corrupt.ts';
import { crc32 } from './crc32.ts';
import {
  ADD,
  type ChangeKind,
  CONTINUES,
  columnBits,
  columnBytes,
  END_MARK,
  entryBytes,
  KIND_MASK,
  KIND_SHIFT,
  LOG_HEADER,
  type LogIdentity,
  logHeader,
  parseLogHeader,
  RECORD_ENTRIES,
  RECORD_HEAD,
  RECORD_TAIL,
  REMOVE,
  REMOVE_BEFORE,
  saltOf,
  seedOf,
  WORDS_MASK,
} from './log-format.ts';
import { openRegular } from './regular-file.ts';

/** Bytes read at once; the longest record is shorter. */
const PIECE = 4 * 2 ** 20;

export class LogReader {
  readonly path: string;
  readonly identity: LogIdentity;
  /** Bytes that the file had when it was opened. */
  readonly size: number;
  /** Where the next record begins. */
  position = LOG_HEADER;
  /** Why the log ends before the file does, once `next` gave false. */
  torn: string | undefined;

  /** The record that `next` came to: where it begins, and what it is. */
  start = 0;
  kind: ChangeKind = ADD;
  /** Whether the change goes on in the next record. */
  continues = false;
  /** Entries. */
  count = 0;
  /** Where its columns begin in `words` and `longs`, in bytes. */
  at = 0;
  readonly words: Uint32Array;
  readonly longs: BigUint64Array;

  readonly #file: number;
  readonly #salt: number;
  readonly #bytes: Buffer;
  /** Which bytes of the file stand in the buffer. */
  #from = 0;
  #end = 0;

  /**
   * Opens a log, or its first `length` bytes; throws ERR_NEARDUP_CORRUPT where its header is not right, unless an
   * `identity` says what it should be: records are then read as those of that log, whatever the header is.
   */
  constructor(path: string, length = Number.POSITIVE_INFINITY, identity?: LogIdentity) {
    this.path = path;
    this.#file = openRegular(path);
    try {
      this.size = Math.min(length, fs.fstatSync(this.#file).size);
      const buffer = new ArrayBuffer(Math.min(PIECE, Math.ceil(this.size / 8) * 8));
      this.#bytes = Buffer.from(buffer);
      this.words = new Uint32Array(buffer);
      this.longs = new BigUint64Array(buffer);
      const header = identity === undefined ? Buffer.alloc(LOG_HEADER) : logHeader(identity);
      if (identity === undefined && readFully(this.#file, header, 0) < LOG_HEADER)
        throw corrupt(path, 'header', 'it ends early');
      this.identity = parseLogHeader(path, header);
      this.#salt = saltOf(header);
    } catch (error) {
      fs.closeSync(this.#file);
      throw error;
    }
  }

  /** Throws where it is not the log that it should be. */
  expect({ index, number, columns }: LogIdentity): void {
    const { identity } = this;
    const isRight =
      identity.index === index &&
      identity.number === number &&
      columnBits(identity.columns) === columnBits(columns);
    if (!isRight) throw corrupt(this.path, 'header', 'it is the log of something else');
  }

  /** Goes to the next record; false at the end of the whole ones. */
  next(): boolean {
    const { position } = this;
    if (position >= this.size) return false;
    if (position + RECORD_HEAD > this.size) return this.#endTorn('a record is cut off');
    if (!this.#load(RECORD_HEAD)) return this.#endTorn('it became shorter while it was read');
    const at = position - this.#from;
    const head = this.words[at / 4] as number;
    const seed = seedOf(this.#salt, position);
    if (crc32(this.#bytes, at, at + 4, seed) !== this.words[at / 4 + 1]) {
      if (this.#isZeroFrom(position + RECORD_HEAD)) return this.#endTorn('zeros stand in place of a record');
      throw this.#wrong('its head is not what was written');
    }
    const length = 8 * (head & WORDS_MASK);
    if (RECORD_HEAD + length + RECORD_TAIL > PIECE) throw this.#wrong('its length is not one of a record');
    const end = position + RECORD_HEAD + length + RECORD_TAIL;
    if (end > this.size) return this.#endTorn('a record is cut off');
    if (!this.#load(end - position)) return this.#endTorn('it became shorter while it was read');
    this.#check(seed, length, end);
    if (this.torn !== undefined) return false;
    this.#describe(head, length);
    this.start = position;
    this.position = end;
    return true;
  }

  /** The eight bytes before a position, in hex. */
  tailAt(position: number): string {
    const tail = Buffer.alloc(RECORD_TAIL);
    readFully(this.#file, tail, position - RECORD_TAIL);
    return tail.toString('hex');
  }

  close(): void {
    fs.closeSync(this.#file);
  }

  /** Checks columns and end mark of the record. */
  #check(seed: number, length: number, end: number): void {
    this.at = this.position - this.#from + RECORD_HEAD;
    const tail = (this.at + length) / 4;
    const isWhole = this.words[tail + 1] === END_MARK;
    if (isWhole && crc32(this.#bytes, this.at, this.at + length, seed) === this.words[tail]) return;
    if (this.#isZeroFrom(end - 1)) this.#endTorn('a record ends in zeros');
    else throw this.#wrong('its checksum differs');
  }

  #describe(head: number, length: number): void {
    const kind = (head >>> KIND_SHIFT) & KIND_MASK;
    const columns = kind === ADD ? this.identity.columns : NO_COLUMNS;
    this.count = kind === REMOVE_BEFORE ? 1 : Math.floor(length / entryBytes(columns));
    this.continues = (head & CONTINUES) !== 0;
    const wanted = kind === REMOVE_BEFORE ? 8 : columnBytes(this.count, columns);
    const isKnown = kind === ADD || kind === REMOVE || kind === REMOVE_BEFORE;
    if (!isKnown || length !== wanted || this.count === 0 || this.count > RECORD_ENTRIES) {
      throw this.#wrong('it is of no known kind');
    }
    this.kind = kind as ChangeKind;
  }

  #wrong(what: string): Error {
    return corrupt(this.path, `record at byte ${this.position}`, what);
  }

  #endTorn(why: string): false {
    this.torn = why;
    return false;
  }

  /** Gets bytes of the file from `position` on into the buffer; false where there are no more so many. */
  #load(length: number): boolean {
    if (this.position >= this.#from && this.position + length <= this.#end) return true;
    this.#from = this.position;
    const count = Math.min(this.#bytes.length, this.size - this.#from);
    const read = readFully(this.#file, this.#bytes.subarray(0, count), this.#from);
    this.#end = this.#from + read;
    return read >= length;
  }

  #isZeroFrom(position: number): boolean {
    const buffer = Buffer.alloc(65_536);
    for (let at = position; at < this.size; at += buffer.length) {
      const length = readFully(this.#file, buffer.subarray(0, this.size - at), at);
      if (buffer.subarray(0, length).some((byte) => byte !== 0)) return false;
      if (length < buffer.length) break;
    }
    return true;
  }
}
