/**
 * 64-bit arithmetic on two 32-bit lanes, for loops where a bigint would cost too much. A result's lanes are
 * left in `lanes`, to be read before the next call. Twin: native/core/urls/mix.h.
 */

/** The lanes of the last result; always from 0 to 2^32 - 1 once read with `>>> 0`. */
export const lanes = { low: 0, high: 0 };

/** The upper 32 bits of the product of two 32-bit values. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const cross = aLow * bHigh + (middle & 0xffff);
  return (aHigh * bHigh + Math.floor(middle / 65536) + (cross >>> 16)) | 0;
}

function multiply(low: number, high: number, byLow: number, byHigh: number): void {
  lanes.high = (multiplyHigh(low, byLow) + Math.imul(low, byHigh) + Math.imul(high, byLow)) | 0;
  lanes.low = Math.imul(low, byLow);
}

/** fmix64 of MurmurHash3, a bijection. */
export function mix64(low: number, high: number): void {
  multiply(low ^ (high >>> 1), high, 0xed558ccd, 0xff51afd7);
  multiply(lanes.low ^ (lanes.high >>> 1), lanes.high, 0x1a85ec53, 0xc4ceb9fe);
  lanes.low ^= lanes.high >>> 1;
}
