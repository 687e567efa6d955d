/** Least-significant-digit radix sort of 64-bit values held in lanes. O(n), stable. */
import { inStrides, type Steps } from './steps.ts';

/** Values in ascending order, with where each came from. */
export interface Sorted {
  /** Lanes: value i at 2i (low) and 2i + 1 (high). */
  readonly lanes: Uint32Array;
  /** order[i] is the position that value i had before. */
  readonly order: Uint32Array;
}

/** Adds how often each byte value occurs at each of the 8 byte positions of values `first` to `end` - 1. */
function countBytes(lanes: Uint32Array, first: number, end: number, counts: Uint32Array): void {
  for (let i = 2 * first; i < 2 * end; i += 2) {
    const low = lanes[i] as number;
    const high = lanes[i + 1] as number;
    counts[low & 255]++;
    counts[256 + ((low >>> 8) & 255)]++;
    counts[512 + ((low >>> 16) & 255)]++;
    counts[768 + (low >>> 24)]++;
    counts[1024 + (high & 255)]++;
    counts[1280 + ((high >>> 8) & 255)]++;
    counts[1536 + ((high >>> 16) & 255)]++;
    counts[1792 + (high >>> 24)]++;
  }
}

/** Turns counts into start positions; false when one byte value holds all, so that a pass changes nothing. */
function toStarts(counts: Uint32Array, total: number): boolean {
  let start = 0;
  for (let digit = 0; digit < 256; digit++) {
    const count = counts[digit] as number;
    if (count === total) return false;
    counts[digit] = start;
    start += count;
  }
  return true;
}

/** A pass over values `first` to `end` - 1: puts them where the digit at `shift` of their lane belongs. */
function scatter(
  from: Sorted,
  to: Sorted,
  starts: Uint32Array,
  lane: number,
  shift: number,
  first: number,
  end: number,
): void {
  const { lanes, order } = from;
  const { lanes: lanesTo, order: orderTo } = to;
  for (let i = first; i < end; i++) {
    const digit = ((lanes[2 * i + lane] as number) >>> shift) & 255;
    const at = starts[digit] as number;
    starts[digit] = at + 1;
    lanesTo[2 * at] = lanes[2 * i] as number;
    lanesTo[2 * at + 1] = lanes[2 * i + 1] as number;
    orderTo[at] = order[i] as number;
  }
}

/** Sorts 64-bit values. `lanes` is used as working space and loses its contents. */
export function* radixSort(lanes: Uint32Array): Steps<Sorted> {
  const count = lanes.length / 2;
  const counts = new Uint32Array(8 * 256);
  let from: Sorted = { lanes, order: new Uint32Array(count) };
  let to: Sorted = { lanes: new Uint32Array(lanes.length), order: new Uint32Array(count) };
  const { order } = from;
  yield* inStrides(count, (first, end) => {
    countBytes(lanes, first, end, counts);
    for (let i = first; i < end; i++) order[i] = i;
  });
  for (let byte = 0; byte < 8; byte++) {
    const starts = counts.subarray(256 * byte, 256 * (byte + 1));
    if (!toStarts(starts, count)) continue;
    const [source, target] = [from, to];
    yield* inStrides(count, (first, end) =>
      scatter(source, target, starts, byte >> 2, 8 * (byte & 3), first, end),
    );
    [from, to] = [to, from];
  }
  return from;
}
