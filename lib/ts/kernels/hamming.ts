/** Scan of 64-bit codes by Hamming distance. The twin of native/kernels/hamming. */
import { lanesOf, popcount64 } from '../base/bits.ts';

/** out[i] is the number of bits, 0 to 64, in which codes[i] and the query differ. */
export function distances(codes: BigUint64Array, query: bigint): Uint8Array {
  const lanes = lanesOf(codes);
  const low = Number(query & 0xffff_ffffn) | 0;
  const high = Number(query >> 32n) | 0;
  const out = new Uint8Array(codes.length);
  for (let i = 0; i < out.length; i++) out[i] = popcount64(lanes[2 * i] ^ low, lanes[2 * i + 1] ^ high);
  return out;
}
