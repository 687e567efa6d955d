/**
 * The file format of segments, URL sets and Bloom filters (docs/format.md, "Checked files"): a header that says what
 * the file is, a payload, and a checksum of every part, so that no changed byte goes unnoticed. Little-endian.
 *
 *     0   8  magic "NEARDUPF"
 *     8   4  format version, 1
 *    12   4  byte-order mark 0x01020304
 *    16   4  header length H: where the payload starts
 *    20   4  metadata length
 *    24   8  payload length P
 *    32   8  XXH3-64 of the header's H bytes with these eight as zero
 *    40      metadata, JSON in UTF-8, then zeros up to H
 *     H   P  payload
 *   H+P      one XXH3-64 for each 1 MiB block of the payload, then the XXH3-64 of those
 */
import fs from 'node:fs';
import type { Engine } from '../engine.ts';
import { makeError } from '../errors.ts';
import { readFully, replaceFile, writeFully } from './atomic-file.ts';
import { corrupt } from './corrupt.ts';
import { digestOf } from './digest.ts';
import { openRegular } from './regular-file.ts';
import type { Steps } from './steps.ts';
import { WindowWriter } from './window-writer.ts';

const MAGIC = 'NEARDUPF';
const VERSION = 1;
const BYTE_ORDER = 0x01020304;
const FIXED = 40;
const CHECKSUM_AT = 32;
const MAX_HEADER = 2 ** 24;

/** Bytes of payload that one checksum covers. */
export const BLOCK = 2 ** 20;

/** What a file says about itself. */
export type Metadata = Readonly<Record<string, unknown>> & { readonly kind: string };

function headerBytes(metadata: Metadata, headerLength: number, payload: number, engine: Engine): Uint8Array {
  const text = Buffer.from(JSON.stringify(metadata));
  // Room for any metadata, in whole units of what was asked for.
  const length = Math.ceil((FIXED + text.length) / headerLength) * headerLength;
  const header = Buffer.alloc(length);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(VERSION, 8);
  header.writeUInt32LE(BYTE_ORDER, 12);
  header.writeUInt32LE(length, 16);
  header.writeUInt32LE(text.length, 20);
  header.writeBigUInt64LE(BigInt(payload), 24);
  header.set(text, FIXED);
  header.writeBigUInt64LE(engine.hashBytes(header, 0n), CHECKSUM_AT);
  return header;
}

/**
 * Puts a file at `path`, atomically and durably. The chunks of the payload may have any length.
 * `headerLength` is what the payload's offset is a multiple of.
 */
export function* writeCheckedFile(
  path: string,
  metadata: Metadata,
  headerLength: number,
  chunks: Iterable<Uint8Array>,
  engine: Engine,
): Steps<void> {
  yield* replaceFile(path, function* (file) {
    const start = headerBytes(metadata, headerLength, 0, engine).length;
    const writer = new WindowWriter(file, start);
    const block = Buffer.alloc(BLOCK);
    const checksums: bigint[] = [];
    let filled = 0;
    let length = 0;
    const writeBlock = () => {
      const bytes = block.subarray(0, filled);
      checksums.push(engine.hashBytes(bytes, 0n));
      writer.write(bytes);
      length += filled;
      filled = 0;
    };
    for (const chunk of chunks) {
      for (let done = 0; done < chunk.length; ) {
        const part = chunk.subarray(done, done + BLOCK - filled);
        block.set(part, filled);
        filled += part.length;
        done += part.length;
        if (filled < BLOCK) continue;
        writeBlock();
        yield;
      }
    }
    if (filled > 0) writeBlock();
    const table = Buffer.alloc(8 * (checksums.length + 1));
    for (const [i, checksum] of checksums.entries()) table.writeBigUInt64LE(checksum, 8 * i);
    const sums = table.subarray(0, 8 * checksums.length);
    table.writeBigUInt64LE(engine.hashBytes(sums, 0n), sums.length);
    writer.write(table);
    writer.flush();
    writeFully(file, headerBytes(metadata, headerLength, length, engine), 0);
  });
}

/** An open file whose header and checksum table are right. Each block of the payload is checked when it is first read. */
export class CheckedFile {
  readonly path: string;
  readonly metadata: Metadata;
  readonly payloadOffset: number;
  readonly payloadLength: number;
  readonly #engine: Engine;
  readonly #file: number;
  readonly #table: Buffer;
  readonly #headerChecksum: Buffer;
  /** 1 for each block that was read and found right. */
  readonly #isChecked: Uint8Array;

  /** Throws ERR_NEARDUP_CORRUPT, naming file and section, or ERR_NEARDUP_UNSUPPORTED for another kind of file. */
  constructor(path: string, kind: string, engine: Engine) {
    this.path = path;
    this.#engine = engine;
    this.#file = openRegular(path);
    try {
      const size = fs.fstatSync(this.#file).size;
      const header = this.#readHeader(size);
      this.#headerChecksum = Buffer.alloc(8);
      readFully(this.#file, this.#headerChecksum, CHECKSUM_AT);
      this.payloadOffset = header.length;
      this.payloadLength = Number(header.readBigUInt64LE(24));
      this.metadata = this.#readMetadata(header, kind);
      this.#table = this.#readTable(size);
      this.#isChecked = new Uint8Array(this.#table.length / 8 - 1);
    } catch (error) {
      fs.closeSync(this.#file);
      throw error;
    }
  }

  /** XXH3-64 of each block of the payload. */
  get checksums(): BigUint64Array {
    const words = this.#table.length / 8 - 1;
    return BigUint64Array.from({ length: words }, (_, i) => this.#table.readBigUInt64LE(8 * i));
  }

  /** 16 hex digits that tell this file from every other one: of the checksums of its header and of its payload. */
  get digest(): string {
    const sums = Buffer.concat([this.#headerChecksum, this.#table.subarray(-8)]);
    return digestOf(sums, this.#engine);
  }

  /** The payload, block by block, each checked before it is given. The buffer is used again. */
  *blocks(): Generator<Buffer> {
    const buffer = Buffer.alloc(Math.min(BLOCK, this.payloadLength));
    const count = Math.ceil(this.payloadLength / BLOCK);
    for (let i = 0; i < count; i++) yield this.#readBlock(i, buffer);
  }

  /** Reads payload bytes, after a check of those blocks that no call has read before. */
  read(offset: number, out: Uint8Array): void {
    if (!(offset + out.length <= this.payloadLength)) throw corrupt(this.path, 'payload', 'it ends early');
    const last = Math.floor((offset + out.length - 1) / BLOCK);
    for (let i = Math.floor(offset / BLOCK); i <= last; i++) {
      if (this.#isChecked[i] === 0) this.#readBlock(i, Buffer.allocUnsafe(BLOCK));
    }
    this.#readPayload(offset, out);
  }

  close(): void {
    fs.closeSync(this.#file);
  }

  #readPayload(offset: number, out: Uint8Array): void {
    if (readFully(this.#file, out, this.payloadOffset + offset) !== out.length) {
      throw corrupt(this.path, 'payload', 'it ends early');
    }
  }

  #readBlock(i: number, buffer: Buffer): Buffer {
    const at = i * BLOCK;
    const block = buffer.subarray(0, Math.min(BLOCK, this.payloadLength - at));
    this.#readPayload(at, block);
    if (this.#engine.hashBytes(block, 0n) !== this.#table.readBigUInt64LE(8 * i)) {
      const section = `payload block ${i} (${block.length} bytes from ${at})`;
      throw corrupt(this.path, section, 'its checksum differs');
    }
    this.#isChecked[i] = 1;
    return block;
  }

  #readHeader(size: number): Buffer {
    const fixed = Buffer.alloc(FIXED);
    const isOurs = readFully(this.#file, fixed, 0) === FIXED && fixed.toString('latin1', 0, 8) === MAGIC;
    if (!isOurs) throw corrupt(this.path, 'header', 'not a neardup file');
    const length = fixed.readUInt32LE(16);
    if (length < FIXED || length > Math.min(size, MAX_HEADER)) {
      throw corrupt(this.path, 'header', 'impossible length');
    }
    const header = Buffer.alloc(length);
    readFully(this.#file, header, 0);
    const checksum = header.readBigUInt64LE(CHECKSUM_AT);
    header.fill(0, CHECKSUM_AT, CHECKSUM_AT + 8);
    if (this.#engine.hashBytes(header, 0n) !== checksum) {
      throw corrupt(this.path, 'header', 'its checksum differs');
    }
    const version = header.readUInt32LE(8);
    if (version !== VERSION || header.readUInt32LE(12) !== BYTE_ORDER) {
      throw makeError(
        'ERR_NEARDUP_UNSUPPORTED',
        `${this.path} has version ${version} of the format; this release reads ${VERSION}`,
      );
    }
    return header;
  }

  #readMetadata(header: Buffer, kind: string): Metadata {
    let metadata: Metadata;
    try {
      metadata = JSON.parse(header.toString('utf8', FIXED, FIXED + header.readUInt32LE(20)));
    } catch {
      throw corrupt(this.path, 'header', 'its metadata is not JSON');
    }
    if (metadata?.kind !== kind) {
      throw makeError('ERR_NEARDUP_UNSUPPORTED', `${this.path} holds a ${metadata?.kind}, not a ${kind}`);
    }
    return metadata;
  }

  #readTable(size: number): Buffer {
    const count = Math.ceil(this.payloadLength / BLOCK);
    const length = 8 * (count + 1);
    if (size !== this.payloadOffset + this.payloadLength + length) {
      throw corrupt(this.path, 'length', `${size} bytes are not what the header says`);
    }
    const table = Buffer.alloc(length);
    readFully(this.#file, table, this.payloadOffset + this.payloadLength);
    const sums = table.subarray(0, 8 * count);
    if (this.#engine.hashBytes(sums, 0n) !== table.readBigUInt64LE(8 * count)) {
      throw corrupt(this.path, 'checksum table', 'its checksum differs');
    }
    return table;
  }
}
