/** What an index must hold after changes: counts by number of entry, and brute force for what is near. */
import { type Change, entryOf } from './index-work.mjs';

const MAX_DISTANCE = 3;

function popcount(x: number): number {
  let v = x - ((x >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

interface Known {
  readonly low: number;
  readonly high: number;
  readonly time: number;
}

const known: Known[] = [];

function lookUp(n: number): Known {
  const found = known[n];
  if (found !== undefined) return found;
  const { fingerprint, time } = entryOf(n);
  const entry = { low: Number(fingerprint & 0xffffffffn) | 0, high: Number(fingerprint >> 32n) | 0, time };
  known[n] = entry;
  return entry;
}

export class Model {
  /** How many copies of entry n are held. */
  readonly copies = new Map<number, number>();

  copy(): Model {
    const copy = new Model();
    for (const [n, count] of this.copies) copy.copies.set(n, count);
    return copy;
  }

  apply({ kind, numbers = [], time = 0 }: Change): void {
    if (kind === 'removeBefore') {
      for (const n of this.copies.keys()) if (lookUp(n).time < time) this.copies.delete(n);
    } else if (kind === 'remove' || kind === 'removeBatch') {
      for (const n of numbers) this.copies.delete(n);
    } else if (kind === 'addIfNew' || kind === 'addIfNewBatch') {
      for (const n of numbers) if (!this.#hasNear(n)) this.#add(n);
    } else {
      for (const n of numbers) this.#add(n);
    }
  }

  /** Numbers of the entries held, ascending, each as often as it is held. */
  numbers(): number[] {
    const numbers: number[] = [];
    for (const [n, count] of this.copies) for (let i = 0; i < count; i++) numbers.push(n);
    return numbers.sort((a, b) => a - b);
  }

  #add(n: number): void {
    this.copies.set(n, (this.copies.get(n) ?? 0) + 1);
  }

  #hasNear(n: number): boolean {
    const { low, high } = lookUp(n);
    for (const other of this.copies.keys()) {
      const entry = lookUp(other);
      if (popcount(entry.low ^ low) + popcount(entry.high ^ high) <= MAX_DISTANCE) return true;
    }
    return false;
  }
}
