/**
 * Values back from the buckets and syndromes of a perfect code: native/core/index/block_code.h says what they are,
 * docs/format.md how they are made.
 */
import { type BlockCode, GOLAY_23, HAMMING_7, HAMMING_15, HAMMING_31 } from '../index/block-code.ts';

/** By their kinds in files. */
const CODES: readonly BlockCode[] = [HAMMING_7, HAMMING_15, HAMMING_31, GOLAY_23];
export const CODE_KINDS = CODES.length;
/** x^11 + x^9 + x^7 + x^6 + x^5 + x + 1. */
const GOLAY_GENERATOR = 0xae3;

/** The columns of the parity check matrix, by bit of the value. */
function columnsOf({ length, information }: BlockCode): number[] {
  const check = length - information;
  const columns = Array.from({ length: check }, (_, i) => 1 << i);
  if (length === GOLAY_23.length) {
    while (columns.length < length) {
      const next = (columns.at(-1) as number) << 1;
      columns.push(next >> check === 0 ? next : next ^ GOLAY_GENERATOR);
    }
  } else {
    for (let column = 1; column < 1 << check; column++) {
      if ((column & (column - 1)) !== 0) columns.push(column);
    }
  }
  return columns;
}

/** Immutable. */
export class BlockValues {
  /** Bits of a value, of a bucket and of a syndrome. */
  readonly length: number;
  readonly information: number;
  readonly check: number;
  /** syndromes[256 * b + v]: that of a value whose byte b is v, the others 0. */
  private readonly syndromes = new Uint16Array(4 * 256);
  /** Information bits of the lightest error with each syndrome. */
  private readonly leaders: Uint32Array;

  /** `kind`: 0 to CODE_KINDS - 1. */
  constructor(kind: number) {
    const code = CODES[kind] as BlockCode;
    this.length = code.length;
    this.information = code.information;
    this.check = code.length - code.information;
    const columns = columnsOf(code);
    for (const [bit, column] of columns.entries()) {
      for (let value = 0; value < 256; value++) {
        if ((value >> (bit & 7)) & 1) this.syndromes[256 * (bit >> 3) + value] ^= column;
      }
    }
    this.leaders = new Uint32Array(1 << this.check);
    this.findLeaders();
  }

  /** Tries errors by the number of their one bits, until every syndrome has one. */
  private findLeaders(): void {
    const known = new Uint8Array(this.leaders.length);
    known[0] = 1;
    let errors = [0];
    for (let found = 1; found < known.length; ) {
      const heavier: number[] = [];
      for (const error of errors) {
        for (let bit = 32 - Math.clz32(error); bit < this.length; bit++) {
          const next = error | (1 << bit);
          heavier.push(next);
          const syndrome = this.syndromeOf(next);
          if (known[syndrome] === 1) continue;
          known[syndrome] = 1;
          this.leaders[syndrome] = next >>> this.check;
          found++;
        }
      }
      errors = heavier;
    }
  }

  syndromeOf(value: number): number {
    const { syndromes } = this;
    return (
      (syndromes[value & 255] as number) ^
      (syndromes[256 + ((value >>> 8) & 255)] as number) ^
      (syndromes[512 + ((value >>> 16) & 255)] as number) ^
      (syndromes[768 + (value >>> 24)] as number)
    );
  }

  /** The bucket of a value with this syndrome. */
  bucket(value: number, syndrome: number): number {
    return (value >>> this.check) ^ (this.leaders[syndrome] as number);
  }

  /** The value in this bucket with this syndrome. */
  value(bucket: number, syndrome: number): number {
    const high = (bucket ^ (this.leaders[syndrome] as number)) << this.check;
    return high | (this.syndromeOf(high) ^ syndrome);
  }
}
