/**
 * A segment file of which parts are lost: blocks of the payload are read where their own checksum is right, whatever
 * header and other checksums are.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Engine, SegmentPayload } from '../engine.ts';
import { readFully } from './atomic-file.ts';
import { BLOCK } from './checked-file.ts';
import { corrupt } from './corrupt.ts';
import { closingOnError, openRegular } from './regular-file.ts';

/** Where the payload of a segment begins: headers that are longer (by their recipe) are not looked for. */
const PAYLOAD = 4096;

export class DamagedFile implements SegmentPayload {
  readonly name: string;
  readonly path: string;
  readonly offset = PAYLOAD;
  readonly length: number;
  readonly checksums: BigUint64Array;
  readonly #file: number;
  readonly #engine: Engine;

  /** `bytes`: how long the file was. */
  constructor(directory: string, name: string, bytes: number, engine: Engine) {
    this.name = name;
    this.path = join(directory, name);
    this.#engine = engine;
    // Payload, a checksum for each block of it, and one of these: together what follows the header.
    const blocks = Math.max(0, Math.ceil((bytes - PAYLOAD - 8) / (BLOCK + 8)));
    this.length = Math.max(0, bytes - PAYLOAD - 8 * (blocks + 1));
    this.checksums = new BigUint64Array(blocks);
    const sums = new Uint8Array(this.checksums.buffer);
    this.#file = openRegular(this.path);
    // What is beyond the end of the file stays zero, and is the checksum of nothing.
    closingOnError(this.#file, () => readFully(this.#file, sums, PAYLOAD + this.length));
  }

  read(offset: number, out: Uint8Array): void {
    if (!(offset + out.length <= this.length)) throw corrupt(this.path, 'payload', 'it ends early');
    const block = Buffer.alloc(BLOCK);
    for (let done = 0; done < out.length; ) {
      const i = Math.floor((offset + done) / BLOCK);
      const bytes = this.#readBlock(i, block);
      const from = offset + done - i * BLOCK;
      const part = bytes.subarray(from, from + out.length - done);
      out.set(part, done);
      done += part.length;
    }
  }

  close(): void {
    fs.closeSync(this.#file);
  }

  #readBlock(i: number, buffer: Buffer): Buffer {
    const bytes = buffer.subarray(0, Math.min(BLOCK, this.length - i * BLOCK));
    const length = readFully(this.#file, bytes, PAYLOAD + i * BLOCK);
    if (length === bytes.length && this.#engine.hashBytes(bytes, 0n) === this.checksums[i]) return bytes;
    throw corrupt(this.path, `payload block ${i}`, 'its checksum differs');
  }
}
