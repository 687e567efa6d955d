/** Sorting of numbered items by integer keys, with turns of the event loop between parts of it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AsyncOptions } from './options.ts';

const SLICE_MS = 8;
const STRIDE = 1 << 14;
const RADIX = 1 << 16;

/** Loops over many items that leave the event loop a turn at least every 10 ms and end when the signal says so. */
export class Pace {
  private end = performance.now() + SLICE_MS;

  constructor(private readonly signal: AsyncOptions['signal']) {}

  /** A turn of the event loop, where one is due. */
  async rest(): Promise<void> {
    if (performance.now() < this.end) return;
    await nextTurn();
    this.signal?.throwIfAborted();
    this.end = performance.now() + SLICE_MS;
  }

  /** `body(i)` for 0 to count - 1. */
  async each(count: number, body: (i: number) => void): Promise<void> {
    for (let from = 0; from < count; from += STRIDE) {
      const to = Math.min(count, from + STRIDE);
      for (let i = from; i < to; i++) body(i);
      await this.rest();
    }
  }
}

/** The number of an item that it is sorted by: an integer from 0 to 2^53 - 1. */
export type Key = (item: number) => number;

/** Digit `d` (16 bits) of an integer of up to 53 bits. */
function digitOf(value: number, d: number): number {
  const lane = d < 2 ? value : Math.floor(value / 2 ** 32);
  return (lane >>> (16 * (d & 1))) & 0xffff;
}

/** Items in the order of a key, those of one key as they were. Radix sort: O(n) for each digit that differs. */
export async function sortBy(pace: Pace, items: Uint32Array, key: Key): Promise<Uint32Array> {
  let source = items;
  let target: Uint32Array | undefined;
  for (let d = 0; d < 4; d++) {
    const counts = new Uint32Array(RADIX + 1);
    const from = source;
    await pace.each(from.length, (i) => {
      counts[digitOf(key(from[i] as number), d) + 1]++;
    });
    if (counts.includes(from.length)) continue;
    for (let digit = 1; digit < RADIX; digit++) counts[digit] += counts[digit - 1] as number;
    const to: Uint32Array = target ?? new Uint32Array(items.length);
    await pace.each(from.length, (i) => {
      const item = from[i] as number;
      to[counts[digitOf(key(item), d)]++] = item;
    });
    // The caller's own array is not written to.
    target = from === items ? undefined : from;
    source = to;
  }
  return source;
}

/** 0 to count - 1. */
export function numbered(count: number): Uint32Array {
  const items = new Uint32Array(count);
  for (let i = 0; i < count; i++) items[i] = i;
  return items;
}
