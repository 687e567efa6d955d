/**
 * The callers' ids of kept documents, by slot (a small integer that the index stores instead). Outside the
 * JavaScript heap: 8 bytes for a number; 8 and its characters (1 byte each in Latin-1, else 2) for a string,
 * where a Map or an array of strings takes 50 to 100 and makes every garbage collection longer.
 */
import type { DocumentId } from './decision.ts';

const SLOTS = 1 << 14;
const POOL_BYTES = 1 << 20;

/** A string's place is its pool's number × 2^32 + the offset there. */
const POOL_STEP = 2 ** 32;

/** True where a string needs two bytes for a character. */
const isWide = (text: string) => /[^\0-\xff]/.test(text);

/** Appends and looks up ids. Slots are given by the caller, ascending. */
export class KeptIds {
  /** 8 bytes for each slot: a number >= 0 is the id itself; -1 - p says that a string is at place p. */
  readonly #values: Float64Array[] = [];
  /** Strings: a header (length × 2 + wide) as a 32-bit integer, then the characters. */
  readonly #pools: Buffer[] = [];
  #poolUsed = 0;

  /** Makes room for the slots below `slots` and for new strings of `bytes`, so that set() cannot fail. */
  reserve(slots: number, bytes: number): void {
    while (this.#values.length * SLOTS < slots) this.#values.push(new Float64Array(SLOTS));
    const free = (this.#pools.at(-1)?.length ?? 0) - this.#poolUsed;
    if (bytes <= free) return;
    this.#pools.push(Buffer.allocUnsafeSlow(Math.max(bytes, POOL_BYTES)));
    this.#poolUsed = 0;
  }

  /** What an id takes of the bytes that reserve() is asked for. */
  static bytesOf(id: DocumentId): number {
    return typeof id === 'number' ? 0 : 4 + (isWide(id) ? 2 : 1) * id.length;
  }

  /** Remembers the id of `slot`. Room must be reserved. */
  set(slot: number, id: DocumentId): void {
    const value = typeof id === 'number' ? id : -1 - this.#store(id);
    (this.#values[Math.floor(slot / SLOTS)] as Float64Array)[slot % SLOTS] = value;
  }

  /** The id that set() gave `slot`. */
  get(slot: number): DocumentId {
    const value = (this.#values[Math.floor(slot / SLOTS)] as Float64Array)[slot % SLOTS] as number;
    return value >= 0 ? value : this.#load(-1 - value);
  }

  #store(text: string): number {
    const wide = isWide(text);
    const pool = this.#pools[this.#pools.length - 1] as Buffer;
    const start = this.#poolUsed;
    pool.writeUInt32LE(text.length * 2 + (wide ? 1 : 0), start);
    pool.write(text, start + 4, wide ? 'utf16le' : 'latin1');
    this.#poolUsed += KeptIds.bytesOf(text);
    return (this.#pools.length - 1) * POOL_STEP + start;
  }

  #load(at: number): string {
    const pool = this.#pools[Math.floor(at / POOL_STEP)] as Buffer;
    const start = (at % POOL_STEP) + 4;
    const header = pool.readUInt32LE(start - 4);
    const wide = header % 2 === 1;
    const length = header >>> 1;
    return pool.toString(wide ? 'utf16le' : 'latin1', start, start + (wide ? 2 : 1) * length);
  }
}
