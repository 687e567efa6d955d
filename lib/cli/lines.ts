/**
 * Splits a stream of bytes into lines without decoding them: whole lines of a chunk come out as one block,
 * so that work and writes are made per block. Memory: one chunk and the longest line that goes over several
 * chunks, at most `maxLine`.
 */
import { constants } from 'node:buffer';

const NEWLINE = 0x0a;

/** Whole lines that lie one after the other in `bytes`. Line i ends (newline included) at `ends[i]`. */
export interface LineBlock {
  readonly bytes: Buffer;
  readonly ends: readonly number[];
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /**
   * The bytes are a piece of one line longer than `maxLine`, which comes out in several such blocks of the
   * same number; `first` and `last` mark where it begins and ends. `ends` is empty.
   */
  readonly oversized?: { readonly first: boolean; readonly last: boolean };
}

/** Push bytes in, take blocks of lines out. */
export class LineSplitter {
  readonly #maxLine: number;
  #line = 1;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Inside an oversized line, of which a first piece was given. */
  #oversized = false;

  /** `maxLine`: bytes; by default what fits a JavaScript string (about 512 MiB). */
  constructor(maxLine: number = constants.MAX_STRING_LENGTH) {
    this.#maxLine = maxLine;
  }

  /** The lines that `chunk` completes. */
  *push(chunk: Buffer): Generator<LineBlock> {
    let start = 0;
    const first = chunk.indexOf(NEWLINE);
    if (this.#oversized || this.#restBytes + (first < 0 ? chunk.length : first) > this.#maxLine) {
      start = first < 0 ? chunk.length : first + 1;
      yield this.#oversizedPiece(chunk.subarray(0, start), first >= 0);
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > start) {
      this.#rest.push(chunk.subarray(start, end));
      yield this.#block(this.#takeRest());
    }
    if (chunk.length > Math.max(start, end)) {
      this.#rest.push(chunk.subarray(Math.max(start, end)));
      this.#restBytes += chunk.length - Math.max(start, end);
    }
  }

  /** The last line, where the input does not end with a newline. */
  *end(): Generator<LineBlock> {
    if (this.#oversized) yield this.#oversizedPiece(Buffer.alloc(0), true);
    else if (this.#restBytes > 0) yield this.#block(this.#takeRest());
  }

  #takeRest(): Buffer {
    const [only] = this.#rest;
    const bytes = this.#rest.length === 1 && only !== undefined ? only : Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    return bytes;
  }

  #block(bytes: Buffer): LineBlock {
    const ends: number[] = [];
    let at = 0;
    while (at < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, at);
      at = newline < 0 ? bytes.length : newline + 1;
      ends.push(at);
    }
    const firstLine = this.#line;
    this.#line += ends.length;
    return { bytes, ends, firstLine };
  }

  #oversizedPiece(bytes: Buffer, last: boolean): LineBlock {
    const first = !this.#oversized;
    this.#rest.push(bytes);
    const block = { bytes: this.#takeRest(), ends: [], firstLine: this.#line, oversized: { first, last } };
    this.#oversized = !last;
    if (last) this.#line++;
    return block;
  }
}
