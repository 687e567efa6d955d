/**
 * Perfect codes that bring keys together that differ in one bit, as far as planning needs to know them:
 * native/core/index/block_code.h makes and uses them, and says how.
 */

export interface BlockCode {
  /** Bits of a value. */
  readonly length: number;
  /** Bits of a bucket number. */
  readonly information: number;
  /** Other buckets with values within one bit of a value, on average over the 2^(length - information) syndromes. */
  readonly meanNeighbours: number;
}

export const HAMMING_7: BlockCode = { length: 7, information: 4, meanNeighbours: 21 / 8 };
export const HAMMING_15: BlockCode = { length: 15, information: 11, meanNeighbours: 105 / 16 };
export const HAMMING_31: BlockCode = { length: 31, information: 26, meanNeighbours: 465 / 32 };
export const GOLAY_23: BlockCode = { length: 23, information: 12, meanNeighbours: 8855 / 2048 };
