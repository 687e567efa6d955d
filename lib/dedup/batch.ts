/** The documents of one batch that are kept, before they are stored with the others. */
import { HammingIndex } from '../index/hamming-index.ts';
import type { Print } from './comparison.ts';
import type { Digest } from './content-table.ts';
import type { DedupDocument } from './decision.ts';

/** What is known of a document before anything is decided. */
export interface Reading {
  readonly document: DedupDocument;
  readonly digest: Digest;
  /** The slot of the stored document with the same text. */
  readonly twin: number | undefined;
  /** `empty` and `short` texts are compared with none. */
  readonly print: Print | 'short' | 'empty';
}

const keyOf = (digest: Digest): string => digest.join();

export class Batch {
  /** Kept so far; the slot of entry i is firstSlot + i. */
  readonly kept: Reading[] = [];
  readonly #firstSlot: number;
  readonly #maxDistance: number;
  readonly #slots = new Map<string, number>();
  #index: HammingIndex | undefined;

  constructor(firstSlot: number, maxDistance: number) {
    this.#firstSlot = firstSlot;
    this.#maxDistance = maxDistance;
  }

  /** The kept ones by fingerprint, under their slots; undefined when there are none. */
  get index(): HammingIndex | undefined {
    return this.#index;
  }

  /** The slot of the kept one with this text. */
  find(digest: Digest): number | undefined {
    return this.#slots.size === 0 ? undefined : this.#slots.get(keyOf(digest));
  }

  /** What was kept under a slot. */
  at(slot: number): Reading {
    return this.kept[slot - this.#firstSlot] as Reading;
  }

  /** Keeps a document and gives its slot. The last one of a batch is not looked for again. */
  keep(reading: Reading, isLast: boolean): number {
    const slot = this.#firstSlot + this.kept.length;
    this.kept.push(reading);
    if (isLast) return slot;
    this.#slots.set(keyOf(reading.digest), slot);
    if (typeof reading.print === 'object') {
      this.#index ??= new HammingIndex({ maxDistance: this.#maxDistance });
      this.#index.add(reading.print.fingerprint, slot);
    }
    return slot;
  }

  close(): void {
    this.#index?.close();
  }
}
