/**
 * The log of a URL set's directory: the keys added since the last run, in the order of the calls.
 *
 * A record is: count (4 bytes), check of the count (4 bytes: the low half of the XXH3-64 of the record's
 * position, 8 bytes, and the count, 4 bytes), XXH3-64 of the keys (8 bytes), the keys (8 bytes each).
 * Little-endian. A record cut off at the end of the file, or zeros from a record on to the end of the file,
 * are what a crash leaves of a call that had not returned: they are dropped. Anything else is corrupt.
 */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import type { Engine } from '../engine.ts';
import { readFully, writeFully } from '../storage/atomic-file.ts';
import { corrupt } from '../storage/corrupt.ts';
import type { FileToSync } from '../storage/steps.ts';

const RECORD_HEADER = 16;
/** Keys of one record at most. */
const MAX_KEYS = 2 ** 20;

function checkOfCount(position: number, count: number, engine: Engine): number {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64LE(BigInt(position));
  bytes.writeUInt32LE(count, 8);
  return Number(engine.hashBytes(bytes, 0n) & 0xffffffffn);
}

/** A log open for appending. */
export class KeyLog {
  readonly #file: number;
  readonly #engine: Engine;
  readonly #sync: boolean;
  #length: number;

  /** Continues the log at `path` (made when missing) after its first `length` bytes. */
  constructor(path: string, length: number, sync: boolean, engine: Engine) {
    this.#file = openSync(path, length === 0 ? 'w' : 'r+');
    this.#engine = engine;
    this.#sync = sync;
    this.#length = length;
    ftruncateSync(this.#file, length);
  }

  /** Appends keys; returns when they are with the system or, under sync, on the disk. */
  append(keys: BigUint64Array): void {
    for (let first = 0; first < keys.length; first += MAX_KEYS) {
      const part = keys.subarray(first, first + MAX_KEYS);
      const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
      const record = Buffer.alloc(RECORD_HEADER + bytes.length);
      record.writeUInt32LE(part.length, 0);
      record.writeUInt32LE(checkOfCount(this.#length, part.length, this.#engine), 4);
      record.writeBigUInt64LE(this.#engine.hashBytes(bytes, 0n), 8);
      record.set(bytes, RECORD_HEADER);
      writeFully(this.#file, record, this.#length);
      this.#length += record.length;
    }
    if (this.#sync) this.flush();
  }

  /** Makes everything appended durable. */
  flush(): void {
    fdatasyncSync(this.#file);
  }

  /** The file, for flushing it elsewhere. */
  get unsynced(): FileToSync {
    return { file: this.#file };
  }

  close(): void {
    closeSync(this.#file);
  }
}

function isZeroFrom(file: number, position: number): boolean {
  const buffer = Buffer.alloc(65536);
  for (let at = position; ; at += buffer.length) {
    const length = readFully(file, buffer, at);
    if (buffer.subarray(0, length).some((byte) => byte !== 0)) return false;
    if (length < buffer.length) return true;
  }
}

/**
 * Gives the keys of each record to `onKeys`; returns the length of the whole records. A missing log
 * has length 0. Throws ERR_NEARDUP_CORRUPT.
 */
export function readLog(path: string, engine: Engine, onKeys: (keys: BigUint64Array) => void): number {
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size;
    const header = Buffer.alloc(RECORD_HEADER);
    let at = 0;
    while (at + RECORD_HEADER <= size && readFully(file, header, at) === RECORD_HEADER) {
      const count = header.readUInt32LE(0);
      const section = `record at byte ${at}`;
      if (checkOfCount(at, count, engine) !== header.readUInt32LE(4) || count === 0 || count > MAX_KEYS) {
        if (isZeroFrom(file, at)) break;
        throw corrupt(path, section, 'its header is not what was written');
      }
      if (at + RECORD_HEADER + 8 * count > size) break;
      const keys = new BigUint64Array(count);
      const bytes = new Uint8Array(keys.buffer);
      readFully(file, bytes, at + RECORD_HEADER);
      if (engine.hashBytes(bytes, 0n) !== header.readBigUInt64LE(8)) {
        throw corrupt(path, section, 'its checksum differs');
      }
      onKeys(keys);
      at += RECORD_HEADER + bytes.length;
    }
    return at;
  } finally {
    closeSync(file);
  }
}
