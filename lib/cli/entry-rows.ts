/**
 * Entries as plain binary rows, for other programs and for moving an index. Little-endian:
 *
 *     0  8  magic "NEARDUPE"
 *     8  4  version, 1
 *    12  4  columns: 1 time + 2 tag + 4 second fingerprint
 *    16  8  rows
 *    24  4  M, bytes of the next field
 *    28  M  JSON: {"maxDistance": 0 to 16, "recipe": canonical text or null}
 *           rows: fingerprint (8), id (8), then those that there are of time (8), tag (4), second fingerprint (8)
 *           CRC-32 of all bytes before it (4)
 */
import { crc32 } from 'node:zlib';
import type { EntryBatch, IndexColumns } from '../engine.ts';
import { type LoadBatch, MAX_PLANNED } from '../index/options.ts';
import { MAX_ID } from '../validate.ts';
import { Failure } from './failure.ts';

const MAGIC = 'NEARDUPE';
const VERSION = 1;
/** Bytes that tell an export. */
export const MAGIC_BYTES = MAGIC.length;
/** With the length of the rest of the header. */
const FIXED_HEADER = 28;
/** Far more than a recipe's text takes. */
const MAX_ORIGIN = 2 ** 24;
const CHECKSUM = 4;
const TWO_32 = 2 ** 32;

function maskOf({ time, tag, second }: IndexColumns): number {
  return (time ? 1 : 0) + (tag ? 2 : 0) + (second ? 4 : 0);
}

function columnsOf(mask: number): IndexColumns {
  return { time: (mask & 1) !== 0, tag: (mask & 2) !== 0, second: (mask & 4) !== 0 };
}

function rowBytes({ time, tag, second }: IndexColumns): number {
  return 16 + (time ? 8 : 0) + (tag ? 4 : 0) + (second ? 8 : 0);
}

/** What the entries of an export were held as. */
export interface ExportOrigin {
  readonly maxDistance: number;
  /** Canonical text of the recipe of the fingerprints; null where it is not known. */
  readonly recipe: string | null;
}

/** Makes the bytes of an export, in pieces. */
export class RowWriter {
  readonly #columns: IndexColumns;
  #checksum = 0;

  constructor(columns: IndexColumns) {
    this.#columns = columns;
  }

  header(rows: number, { maxDistance, recipe }: ExportOrigin): Buffer {
    const origin = Buffer.from(JSON.stringify({ maxDistance, recipe }));
    const bytes = Buffer.alloc(FIXED_HEADER);
    bytes.write(MAGIC, 'latin1');
    bytes.writeUInt32LE(VERSION, 8);
    bytes.writeUInt32LE(maskOf(this.#columns), 12);
    bytes.writeBigUInt64LE(BigInt(rows), 16);
    bytes.writeUInt32LE(origin.length, 24);
    return this.#summed(Buffer.concat([bytes, origin]));
  }

  rows({ fingerprints, ids, times, tags, secondFingerprints }: EntryBatch): Buffer {
    const size = rowBytes(this.#columns);
    const bytes = Buffer.alloc(size * ids.length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const putInteger = (at: number, value: number) => {
      view.setUint32(at, value % TWO_32, true);
      view.setUint32(at + 4, value / TWO_32, true);
    };
    for (let i = 0, at = 0; i < ids.length; i++) {
      view.setBigUint64(at, fingerprints[i] as bigint, true);
      putInteger(at + 8, ids[i] as number);
      at += 16;
      if (times !== undefined) {
        putInteger(at, times[i] as number);
        at += 8;
      }
      if (tags !== undefined) {
        view.setUint32(at, tags[i] as number, true);
        at += 4;
      }
      if (secondFingerprints !== undefined) {
        view.setBigUint64(at, secondFingerprints[i] as bigint, true);
        at += 8;
      }
    }
    return this.#summed(bytes);
  }

  end(): Buffer {
    const bytes = Buffer.alloc(CHECKSUM);
    bytes.writeUInt32LE(this.#checksum);
    return bytes;
  }

  #summed(bytes: Buffer): Buffer {
    this.#checksum = crc32(bytes, this.#checksum);
    return bytes;
  }
}

/** Whether an input begins as an export does. */
export function isRows(head: Buffer): boolean {
  return head.toString('latin1', 0, MAGIC.length) === MAGIC;
}

function originOf(text: string): ExportOrigin | undefined {
  try {
    const { maxDistance, recipe } = JSON.parse(text);
    const isDistance = Number.isInteger(maxDistance) && maxDistance >= 0 && maxDistance <= MAX_PLANNED;
    if (isDistance && (recipe === null || typeof recipe === 'string')) return { maxDistance, recipe };
  } catch {
    // not JSON
  }
  return undefined;
}

function decode(
  bytes: Buffer,
  count: number,
  columns: IndexColumns,
  fail: (what: string) => never,
): LoadBatch {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const fingerprints = new BigUint64Array(count);
  const ids = new Float64Array(count);
  const times = columns.time ? new Float64Array(count) : undefined;
  const tags = columns.tag ? new Uint32Array(count) : undefined;
  const secondFingerprints = columns.second ? new BigUint64Array(count) : undefined;
  const integer = (at: number, what: string): number => {
    const value = view.getUint32(at, true) + TWO_32 * view.getUint32(at + 4, true);
    return value <= MAX_ID ? value : fail(`${what} is above 2^53 - 1`);
  };
  for (let i = 0, at = 0; i < count; i++) {
    fingerprints[i] = view.getBigUint64(at, true);
    ids[i] = integer(at + 8, 'an id');
    at += 16;
    if (times !== undefined) {
      times[i] = integer(at, 'a time');
      at += 8;
    }
    if (tags !== undefined) {
      tags[i] = view.getUint32(at, true);
      at += 4;
    }
    if (secondFingerprints !== undefined) {
      secondFingerprints[i] = view.getBigUint64(at, true);
      at += 8;
    }
  }
  return { fingerprints, ids, times, tags, secondFingerprints };
}

/** Reads an export as it comes. */
export class RowReader {
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);
  #checksum = 0;
  #left = -1;
  /** Once `push` has been given the whole header. */
  columns: IndexColumns = columnsOf(0);
  origin: ExportOrigin | undefined;

  /** `name` is of the input, for messages. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The rows that a chunk completes. Throws a Failure for what is no export. */
  push(chunk: Buffer): LoadBatch | undefined {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#left < 0) {
      const length = this.#headerLength(bytes);
      if (bytes.length < length) {
        this.#rest = bytes;
        return undefined;
      }
      this.#readHeader(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
    const size = rowBytes(this.columns);
    const count = Math.min(this.#left, Math.floor(bytes.length / size));
    const rows = bytes.subarray(0, count * size);
    this.#checksum = crc32(rows, this.#checksum);
    this.#left -= count;
    this.#rest = bytes.subarray(rows.length);
    if (this.#left === 0 && this.#rest.length > CHECKSUM) this.#fail('there is something after its last row');
    return count === 0 ? undefined : decode(rows, count, this.columns, (what) => this.#fail(what));
  }

  /** Checks that all rows came, as they were written. */
  end(): void {
    if (this.#left !== 0 || this.#rest.length !== CHECKSUM) this.#fail('it ends early');
    if (this.#rest.readUInt32LE() !== this.#checksum) this.#fail('its checksum differs');
  }

  #headerLength(bytes: Buffer): number {
    if (bytes.length < FIXED_HEADER) return FIXED_HEADER;
    const version = bytes.readUInt32LE(8);
    if (version !== VERSION) this.#fail(`its version is ${version}; this release reads ${VERSION}`);
    const length = bytes.readUInt32LE(24);
    return length <= MAX_ORIGIN ? FIXED_HEADER + length : this.#fail('its header is damaged');
  }

  #readHeader(bytes: Buffer): void {
    const mask = bytes.readUInt32LE(12);
    const origin = originOf(bytes.toString('utf8', FIXED_HEADER));
    if (mask > 7 || origin === undefined) this.#fail('its header is damaged');
    this.columns = columnsOf(mask);
    this.origin = origin;
    this.#left = Number(bytes.readBigUInt64LE(16));
    this.#checksum = crc32(bytes, 0);
  }

  #fail(what: string): never {
    throw new Failure(`${this.#name} is not a whole export: ${what}`);
  }
}
