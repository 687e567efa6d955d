/**
 * Second fingerprints of kept documents by slot: 8 bytes each, outside the JavaScript heap. Two documents are
 * verified as near when these, too, lie within the distance.
 */
import { popcount64 } from '../ts/base/bits.ts';

const SLOTS = 1 << 14;

/** The two lanes of a fingerprint, low first. */
export type Lanes = readonly [number, number];

export class SecondFingerprints {
  readonly #chunks: Uint32Array[] = [];

  /** Makes room for the slots below `slots`, so that set() cannot fail. */
  reserve(slots: number): void {
    while (this.#chunks.length * SLOTS < slots) this.#chunks.push(new Uint32Array(2 * SLOTS));
  }

  /** Room must be reserved. */
  set(slot: number, lanes: Lanes): void {
    const chunk = this.#chunks[Math.floor(slot / SLOTS)] as Uint32Array;
    chunk.set(lanes, 2 * (slot % SLOTS));
  }

  /** Hamming distance in bits to the one of `slot`. */
  distance(slot: number, lanes: Lanes): number {
    const chunk = this.#chunks[Math.floor(slot / SLOTS)] as Uint32Array;
    const at = 2 * (slot % SLOTS);
    return popcount64((chunk[at] as number) ^ lanes[0], (chunk[at + 1] as number) ^ lanes[1]);
  }
}
