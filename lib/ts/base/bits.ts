/** Bit operations on 32-bit lanes. A 64-bit value is two lanes, low and high. */

/** One bits of a 32-bit lane. */
export function popcount32(x: number): number {
  x -= (x >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** One bits of the 64-bit value with these lanes. */
export function popcount64(low: number, high: number): number {
  low -= (low >>> 1) & 0x55555555;
  high -= (high >>> 1) & 0x55555555;
  low = (low & 0x33333333) + ((low >>> 2) & 0x33333333);
  high = (high & 0x33333333) + ((high >>> 2) & 0x33333333);
  // Nibbles of both lanes together: at most 8 each; bytes at most 16.
  const sum = low + high;
  return Math.imul((sum & 0x0f0f0f0f) + ((sum >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
}

/** The lanes of 64-bit values: value i stands at 2i (low) and 2i + 1 (high). A view, not a copy. */
export function lanesOf(values: BigUint64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
}

/** Hamming distance of value i of some lanes and value j of others. */
export function distance64(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  return popcount64(
    (a[2 * i] as number) ^ (b[2 * j] as number),
    (a[2 * i + 1] as number) ^ (b[2 * j + 1] as number),
  );
}
