/**
 * Checksums of groups of MinHash minima: the XXH3-64 of the little-endian bytes of each run of `rows` minima.
 * The twin of native/core/fingerprint/signature.
 */
import { xxh3 } from './xxh3.ts';

/** One checksum for each `rows` minima; their number is a multiple of `rows`. */
export function checksums(minima: BigUint64Array, rows: number): BigUint64Array {
  const sums = new BigUint64Array(minima.length / rows);
  const lanes = new Uint32Array(sums.buffer);
  const view = new DataView(minima.buffer, minima.byteOffset, minima.byteLength);
  for (let i = 0; i < sums.length; i++) xxh3(view, 8 * rows * i, 8 * rows, 0, 0, lanes, 2 * i);
  return sums;
}
