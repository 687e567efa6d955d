/**
 * How often each feature hash occurs in one text: open addressing, linear probing, doubled at half full; O(1)
 * expected. Memory is kept for the next text. The twin of native/core/fingerprint/frequency_table.
 */
import type { Frequencies } from '../../engine.ts';

/** Occurrences are counted up to here and no further: beyond, numbers are not exact in both engines. */
export const MAX_OCCURRENCES = 2 ** 53;

const SMALLEST = 512;
const KEPT = 1 << 16;
/** A table under 1 / SPARSE full gives its memory back. */
const SPARSE = 64;

export class FrequencyTable {
  // Entry i is hashes[2 i] (low), hashes[2 i + 1] (high), times[i]; times 0 marks a free entry.
  private hashes = new Uint32Array(2 * SMALLEST);
  private times = new Float64Array(SMALLEST);
  private mask = SMALLEST - 1;
  private used = 0;

  /** Distinct hashes held. */
  get size(): number {
    return this.used;
  }

  add(low: number, high: number, times: number): void {
    const { hashes, mask } = this;
    let i = low & mask;
    while (this.times[i] !== 0) {
      if (hashes[2 * i] === low && hashes[2 * i + 1] === high) {
        this.times[i] = Math.min(this.times[i] + times, MAX_OCCURRENCES);
        return;
      }
      i = (i + 1) & mask;
    }
    hashes[2 * i] = low;
    hashes[2 * i + 1] = high;
    this.times[i] = times;
    if (++this.used > mask / 2) this.grow();
  }

  /** How often a hash occurs. */
  get(low: number, high: number): number {
    const { hashes, mask } = this;
    for (let i = low & mask; this.times[i] !== 0; i = (i + 1) & mask) {
      if (hashes[2 * i] === low && hashes[2 * i + 1] === high) return this.times[i];
    }
    return 0;
  }

  /** Calls body(low, high, times) for each distinct hash, in no particular order. */
  forEach(body: (low: number, high: number, times: number) => void): void {
    for (let i = 0; i <= this.mask; i++) {
      if (this.times[i] !== 0) body(this.hashes[2 * i], this.hashes[2 * i + 1], this.times[i]);
    }
  }

  /** The distinct hashes, ascending, and how often each occurs. */
  entries(): Frequencies {
    const hashes = new BigUint64Array(this.used);
    const lanes = new Uint32Array(hashes.buffer);
    let i = 0;
    this.forEach((low, high) => {
      lanes[i++] = low;
      lanes[i++] = high;
    });
    hashes.sort();
    const times = new Float64Array(hashes.length);
    for (i = 0; i < times.length; i++) times[i] = this.get(lanes[2 * i], lanes[2 * i + 1]);
    return { hashes, times };
  }

  clear(): void {
    // A table that is far larger than its text would cost every small text after it a pass over all of it.
    if (this.times.length > KEPT || (this.times.length > SMALLEST && this.used < this.times.length / SPARSE))
      this.allocate(SMALLEST);
    else this.times.fill(0);
    this.used = 0;
  }

  private grow(): void {
    const { hashes, times } = this;
    this.allocate(2 * times.length);
    this.used = 0;
    for (let i = 0; i < times.length; i++) {
      if (times[i] !== 0) this.add(hashes[2 * i], hashes[2 * i + 1], times[i]);
    }
  }

  private allocate(size: number): void {
    this.hashes = new Uint32Array(2 * size);
    this.times = new Float64Array(size);
    this.mask = size - 1;
  }
}
