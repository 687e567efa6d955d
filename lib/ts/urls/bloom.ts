/**
 * The bits of a Bloom filter. What it is is written in native/core/urls/bloom.h, its twin; the same keys
 * set the same bits.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { BloomShape, EngineBloom } from '../../engine.ts';
import { makeError } from '../../errors.ts';
import { popcount32 } from '../base/bits.ts';
import { guardMemory } from '../base/memory.ts';
import { lanes, mix64 } from './lanes.ts';

const BLOCK_BITS = 512;
/** The bits are held in pieces of this many bytes, each far below the longest typed array. */
const PIECE = 2 ** 28;
const SECOND_LOW = 0x7f4a7c15;
const SECOND_HIGH = 0x9e3779b9;
const TWO_32 = 2 ** 32;

/** The place, 0 to places - 1, that a hash falls on. */
function placeOf(low: number, high: number, places: number): number {
  const fraction = ((high >>> 0) * 2 ** 21 + (low >>> 11)) * 2 ** -53;
  return Math.min(Math.floor(fraction * places), places - 1);
}

class Bloom implements EngineBloom {
  readonly #shape: BloomShape;
  readonly #bytes: number;
  #pieces: Uint8Array[] = [];
  /** The bit positions of the key at hand. */
  readonly #positions: Float64Array;

  constructor(shape: BloomShape) {
    this.#shape = shape;
    this.#bytes = Math.ceil(shape.bits / 64) * 8;
    this.#positions = new Float64Array(shape.hashes);
    const refused = () =>
      makeError('ERR_NEARDUP_OUT_OF_MEMORY', `out of memory: ${this.#bytes} bytes of filter`);
    // Zeroed pages cost nothing until written, so the system would promise more than it has.
    if (this.#bytes > totalmem()) throw refused();
    try {
      for (let at = 0; at < this.#bytes; at += PIECE) {
        this.#pieces.push(new Uint8Array(Math.min(PIECE, this.#bytes - at)));
      }
    } catch {
      this.#pieces = [];
      throw refused();
    }
  }

  addBatch(keys: BigUint64Array): Uint8Array {
    return guardMemory(() => {
      const words = new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);
      const added = new Uint8Array(keys.length);
      const positions = this.#positions;
      for (let i = 0; i < keys.length; i++) {
        this.#place(words[2 * i], words[2 * i + 1]);
        let isNew = 0;
        for (let j = 0; j < positions.length; j++) {
          const byte = Math.floor(positions[j] / 8);
          const piece = this.#pieces[Math.floor(byte / PIECE)];
          const bit = 1 << (positions[j] % 8);
          if ((piece[byte % PIECE] & bit) === 0) isNew = 1;
          piece[byte % PIECE] |= bit;
        }
        added[i] = isNew;
      }
      return added;
    });
  }

  hasBatch(keys: BigUint64Array): Uint8Array {
    return guardMemory(() => {
      const words = new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);
      const found = new Uint8Array(keys.length);
      for (let i = 0; i < keys.length; i++) {
        this.#place(words[2 * i], words[2 * i + 1]);
        found[i] = this.#hasPositions() ? 1 : 0;
      }
      return found;
    });
  }

  countOnes(): number {
    let ones = 0;
    for (const piece of this.#pieces) {
      const words = new Uint32Array(piece.buffer);
      for (let i = 0; i < words.length; i++) ones += popcount32(words[i]);
    }
    return ones;
  }

  read(offset: number, out: Uint8Array): void {
    this.#eachPiece(offset, out, (piece, part) => part.set(piece));
  }

  or(offset: number, bytes: Uint8Array): void {
    this.#eachPiece(offset, bytes, (piece, part) => {
      for (let i = 0; i < part.length; i++) piece[i] |= part[i];
    });
  }

  close(): void {
    this.#pieces = [];
  }

  /** Fills the bits from a file. */
  load(path: string, offset: number): void {
    const file = openSync(path, 'r');
    try {
      let at = offset;
      for (const piece of this.#pieces) {
        for (let filled = 0; filled < piece.length; ) {
          const length = readSync(file, piece, filled, piece.length - filled, at);
          if (length === 0) {
            throw makeError(
              'ERR_NEARDUP_UNSUPPORTED',
              `cannot map ${path}: missing, or shorter than its header says`,
            );
          }
          filled += length;
          at += length;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  #hasPositions(): boolean {
    for (let j = 0; j < this.#positions.length; j++) {
      const byte = Math.floor(this.#positions[j] / 8);
      const bit = 1 << (this.#positions[j] % 8);
      if ((this.#pieces[Math.floor(byte / PIECE)][byte % PIECE] & bit) === 0) return false;
    }
    return true;
  }

  #eachPiece(offset: number, bytes: Uint8Array, visit: (piece: Uint8Array, part: Uint8Array) => void): void {
    for (let done = 0; done < bytes.length; ) {
      const at = (offset + done) % PIECE;
      const piece = this.#pieces[Math.floor((offset + done) / PIECE)];
      const length = Math.min(bytes.length - done, piece.length - at);
      visit(piece.subarray(at, at + length), bytes.subarray(done, done + length));
      done += length;
    }
  }

  /** Computes the bit positions of a key. */
  #place(low: number, high: number): void {
    mix64(low ^ SECOND_LOW, high ^ SECOND_HIGH);
    if (this.#shape.blocked)
      this.#placeInBlock(placeOf(low, high, this.#shape.bits / BLOCK_BITS) * BLOCK_BITS);
    else this.#placeAnywhere(low, high);
  }

  #placeAnywhere(keyLow: number, keyHigh: number): void {
    let low = keyLow;
    let high = keyHigh;
    let stepLow = (lanes.low | 1) >>> 0;
    let stepHigh = lanes.high >>> 0;
    for (let i = 0; i < this.#positions.length; i++) {
      this.#positions[i] = placeOf(low, high, this.#shape.bits);
      const sum = low + stepLow;
      low = sum >>> 0;
      high = (high + stepHigh + (sum >= TWO_32 ? 1 : 0)) >>> 0;
      const step = stepLow + i + 1;
      stepLow = step >>> 0;
      if (step >= TWO_32) stepHigh = (stepHigh + 1) >>> 0;
    }
  }

  /** Seven positions of nine bits from each hash; the first hash stands in `lanes`. */
  #placeInBlock(base: number): void {
    for (let i = 0; i < this.#positions.length; i++) {
      const shift = 9 * (i % 7);
      if (shift === 0 && i > 0) {
        const low = (lanes.low >>> 0) + SECOND_LOW;
        mix64(low >>> 0, (lanes.high + SECOND_HIGH + (low >= TWO_32 ? 1 : 0)) >>> 0);
      }
      const { low, high } = lanes;
      const bits =
        shift >= 32 ? high >>> (shift - 32) : shift === 0 ? low : (low >>> shift) | (high << (32 - shift));
      this.#positions[i] = base + (bits & (BLOCK_BITS - 1));
    }
  }
}

/** An empty filter. */
export function createBloom(shape: BloomShape): EngineBloom {
  return new Bloom(shape);
}

/** The filter whose bits stand at `offset` of a file; this engine reads them at once. */
export function mapBloom(shape: BloomShape, path: string, offset: number): EngineBloom {
  const bloom = new Bloom(shape);
  bloom.load(path, offset);
  return bloom;
}
