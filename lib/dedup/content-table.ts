/**
 * Exact content: finds the kept document with the same text by a 128-bit digest of it. Outside the
 * JavaScript heap: 20 bytes for an entry and 8 to 16 of hash table; beyond a Map's limit of 2^24.
 * A lookup reads one entry, rarely two.
 */
import crypto from 'node:crypto';
import { makeError } from '../errors.ts';

/** 32-bit words of a digest. */
const WORDS = 4;
/** Words of an entry: the digest and the slot. */
const STRIDE = WORDS + 1;
const CHUNK = 1 << 14;
/** Three quarters of the largest table whose mask is a positive 32-bit integer. */
const MAX_ENTRIES = 3 * 2 ** 29;

/** The first 128 bits of SHA-256 of a text. */
export type Digest = Uint32Array;

/** One call where Node has it (20.12): a third of the time of a hash object for short texts. */
const sha256: (data: string | Uint8Array) => string =
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('sha256', data, 'binary')
    : (data) => crypto.createHash('sha256').update(data).digest('binary');

/**
 * The digest of a text, or of its UTF-8 bytes: the same for both. A string with lone surrogates, which has
 * no UTF-8, is taken by its UTF-16 code units.
 */
export function digestOf(text: string | Uint8Array): Digest {
  const hash = sha256(typeof text !== 'string' || text.isWellFormed() ? text : codeUnits(text));
  const digest = new Uint32Array(WORDS);
  for (let i = 0; i < 4 * WORDS; i++) {
    digest[i >> 2] = (digest[i >> 2] as number) | (hash.charCodeAt(i) << (8 * (i & 3)));
  }
  return digest;
}

/** UTF-16 after a byte 0xff, which UTF-8 never has. */
function codeUnits(text: string): Uint8Array {
  return Buffer.concat([Buffer.of(0xff), Buffer.from(text, 'utf16le')]);
}

/** Digest to slot. Open addressing with linear probing; at most half full after growing, 3/4 before. */
export class ContentTable {
  #count = 0;
  readonly #chunks: Uint32Array[] = [];
  /** Entry numbers from 1 on; 0 is free. A power of two. */
  #buckets = new Uint32Array(1 << 10);

  /** The slot of the entry with this digest; undefined when there is none. */
  find(digest: Digest): number | undefined {
    const mask = this.#buckets.length - 1;
    for (let at = (digest[0] as number) & mask; ; at = (at + 1) & mask) {
      const entry = this.#buckets[at] as number;
      if (entry === 0) return undefined;
      const chunk = this.#chunks[Math.floor((entry - 1) / CHUNK)] as Uint32Array;
      const base = ((entry - 1) % CHUNK) * STRIDE;
      let word = 0;
      while (word < WORDS && chunk[base + word] === digest[word]) word++;
      if (word === WORDS) return chunk[base + WORDS];
    }
  }

  /** Adds a digest that is not there. `slot` is below 2^32; room must be reserved. */
  add(digest: Digest, slot: number): void {
    const chunk = this.#chunks[Math.floor(this.#count / CHUNK)] as Uint32Array;
    const base = (this.#count % CHUNK) * STRIDE;
    chunk.set(digest, base);
    chunk[base + WORDS] = slot;
    this.#count++;
    this.#place(digest[0] as number, this.#count);
  }

  /** Makes room for `entries` more, so that add() cannot fail. */
  reserve(entries: number): void {
    const wanted = this.#count + entries;
    if (wanted > MAX_ENTRIES) {
      throw makeError('ERR_NEARDUP_UNSUPPORTED', `at most ${MAX_ENTRIES} documents can be kept`);
    }
    while (this.#chunks.length * CHUNK < wanted) this.#chunks.push(new Uint32Array(CHUNK * STRIDE));
    if (wanted * 4 <= this.#buckets.length * 3) return;
    let size = this.#buckets.length;
    while (size < wanted * 2) size *= 2;
    this.#buckets = new Uint32Array(size);
    for (let entry = 1; entry <= this.#count; entry++) {
      const chunk = this.#chunks[Math.floor((entry - 1) / CHUNK)] as Uint32Array;
      this.#place(chunk[((entry - 1) % CHUNK) * STRIDE] as number, entry);
    }
  }

  #place(hash: number, entry: number): void {
    const mask = this.#buckets.length - 1;
    let at = hash & mask;
    while (this.#buckets[at] !== 0) at = (at + 1) & mask;
    this.#buckets[at] = entry;
  }
}
