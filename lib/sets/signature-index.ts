/**
 * An index of signatures that answers "which share at least m of the n checksums?": document signatures, or
 * the band keys of MinHash signatures. Exact: every such entry is found. One hash table over (place,
 * checksum) in typed arrays, chained, doubled when full: 16 to 40 bytes for each checksum held, 8 to 16 for each id.
 * A query takes time in proportion to the entries that share a checksum with it. One thread.
 */
import { types } from 'node:util';
import { checkId, checkInteger, checkOptions, outOfRange, wrongType } from '../validate.ts';

/** Options of SignatureIndex. */
export interface SignatureIndexOptions {
  /** Checksums of each signature, 1 to 65 536: 4 by default, as a DocumentSigner makes. */
  readonly checksums?: number;
  /** In how many of them two signatures must agree to match: 1 by default. */
  readonly atLeast?: number;
}

/** An id whose signature agrees with that of a query. */
export interface SignatureMatch {
  readonly id: number;
  /** In how many checksums. */
  readonly agreement: number;
}

/** What became of an addIfNew. */
export type SignatureAddResult =
  | { readonly added: true }
  /** `match`: the entry that agrees in most checksums, of those the one with the smallest id. */
  | { readonly added: false; readonly match: SignatureMatch };

const NONE = -1;
const MOST_SLOTS = 2 ** 31 - 1;
const FIRST_ENTRIES = 256;

function mixed(low: number, high: number, place: number): number {
  let x = Math.imul(low ^ Math.imul(place, 0x9e3779b1), 0x85ebca6b) ^ high;
  x = Math.imul(x ^ (x >>> 16), 0xc2b2ae35);
  return x ^ (x >>> 15);
}

export class SignatureIndex {
  readonly checksums: number;
  readonly atLeast: number;
  #size = 0;
  #ids = new Float64Array(FIRST_ENTRIES);
  /** Of slot e * checksums + place: the checksum, low and high. */
  #lanes: Uint32Array<ArrayBuffer>;
  /** The next slot of the same bucket. */
  #next: Int32Array<ArrayBuffer>;
  /** The first slot of each bucket; a power of two of them, at least one for each slot. */
  #heads: Int32Array<ArrayBuffer>;

  constructor(options?: SignatureIndexOptions) {
    const { checksums = 4, atLeast = 1 } = checkOptions('options', options, ['checksums', 'atLeast']);
    this.checksums = checkInteger('checksums', checksums, 1, 65_536);
    this.atLeast = checkInteger('atLeast', atLeast, 1, checksums);
    this.#lanes = new Uint32Array(2 * checksums * FIRST_ENTRIES);
    this.#next = new Int32Array(checksums * FIRST_ENTRIES);
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(checksums * FIRST_ENTRIES))).fill(NONE);
  }

  /** Entries held. */
  get size(): number {
    return this.#size;
  }

  /** Adds an entry. The same signature or id may be added again. */
  add(signature: BigUint64Array, id: number): void {
    this.#insert(this.#read(signature), checkId('id', id));
  }

  /** The ids that match, each once with its best agreement, in descending order of agreement, then by id. */
  query(signature: BigUint64Array, options?: { readonly limit?: number }): SignatureMatch[] {
    const { limit = Number.MAX_SAFE_INTEGER } = checkOptions('options', options, ['limit']);
    checkInteger('limit', limit, 0, Number.MAX_SAFE_INTEGER);
    return this.#matches(this.#read(signature)).slice(0, limit);
  }

  /** Adds an entry if nothing held matches it. */
  addIfNew(signature: BigUint64Array, id: number): SignatureAddResult {
    const lanes = this.#read(signature);
    checkId('id', id);
    const [match] = this.#matches(lanes);
    if (match !== undefined) return { added: false, match };
    this.#insert(lanes, id);
    return { added: true };
  }

  #read(signature: unknown): Uint32Array {
    if (!types.isBigUint64Array(signature)) wrongType('signature', 'a BigUint64Array', signature);
    if (signature.length !== this.checksums)
      outOfRange('signature.length', `${this.checksums}`, signature.length);
    return new Uint32Array(signature.buffer, signature.byteOffset, 2 * signature.length);
  }

  #bucket(lanes: Uint32Array, slot: number, place: number): number {
    return mixed(lanes[2 * slot]!, lanes[2 * slot + 1]!, place) & (this.#heads.length - 1);
  }

  #matches(lanes: Uint32Array): SignatureMatch[] {
    const agreements = new Map<number, number>();
    for (let place = 0; place < this.checksums; place++) {
      let slot = this.#heads[this.#bucket(lanes, place, place)]!;
      for (; slot !== NONE; slot = this.#next[slot]!) {
        if (slot % this.checksums !== place || this.#lanes[2 * slot] !== lanes[2 * place]) continue;
        if (this.#lanes[2 * slot + 1] !== lanes[2 * place + 1]) continue;
        const entry = (slot - place) / this.checksums;
        agreements.set(entry, (agreements.get(entry) ?? 0) + 1);
      }
    }
    const best = new Map<number, number>();
    for (const [entry, agreement] of agreements) {
      const id = this.#ids[entry]!;
      if (agreement >= this.atLeast && agreement > (best.get(id) ?? 0)) best.set(id, agreement);
    }
    const matches = Array.from(best, ([id, agreement]) => ({ id, agreement }));
    return matches.sort((a, b) => b.agreement - a.agreement || a.id - b.id);
  }

  #insert(lanes: Uint32Array, id: number): void {
    if (this.#size === this.#ids.length) this.#grow();
    const entry = this.#size;
    const first = entry * this.checksums;
    this.#lanes.set(lanes, 2 * first);
    this.#ids[entry] = id;
    for (let place = 0; place < this.checksums; place++) this.#link(first + place, place);
    this.#size = entry + 1;
  }

  #link(slot: number, place: number): void {
    const bucket = this.#bucket(this.#lanes, slot, place);
    this.#next[slot] = this.#heads[bucket]!;
    this.#heads[bucket] = slot;
  }

  #grow(): void {
    const entries = 2 * this.#ids.length;
    const slots = entries * this.checksums;
    if (slots > MOST_SLOTS) {
      outOfRange('size', `at most ${MOST_SLOTS} checksums in one index`, slots);
    }
    // All is allocated before anything is replaced: a refused allocation leaves the index as it was.
    const ids = new Float64Array(entries);
    const lanes = new Uint32Array(2 * slots);
    const next = new Int32Array(slots);
    const heads = new Int32Array(2 * this.#heads.length).fill(NONE);
    ids.set(this.#ids);
    lanes.set(this.#lanes);
    this.#ids = ids;
    this.#lanes = lanes;
    this.#next = next;
    this.#heads = heads;
    for (let slot = 0; slot < this.#size * this.checksums; slot++) this.#link(slot, slot % this.checksums);
  }
}
