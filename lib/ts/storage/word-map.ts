/**
 * Fingerprints to the words of a table, and back: native/core/index/word_map.h says how words are made. The order of a
 * segment's bits is part of it.
 */
import { BitMoves } from './bit-moves.ts';
import { BlockValues } from './block-values.ts';

/** Bits low to low + width - 1. */
export interface KeyRange {
  readonly low: number;
  readonly width: number;
}

/** How a table orders the bits. */
export interface WordOrder {
  /** At most 32 bits together, disjoint. */
  readonly key: readonly KeyRange[];
  /** Kinds of the codes at the start of the key. */
  readonly codes: readonly number[];
  /** Whether a bit that is not in the key stands behind the others. */
  isLast(bit: number): boolean;
}

/** A code within a word, whose key part is in the high lane. */
interface PlacedCode {
  readonly code: BlockValues;
  readonly bucketShift: number;
  readonly syndromeShift: number;
  /** From the bits of a value to the fingerprint, and back. */
  readonly moves: BitMoves;
  readonly back: BitMoves;
}

/** The bits of an ordered fingerprint, from the highest bit of the permuted word down. */
function permutation({ key, isLast }: WordOrder): number[] {
  const bits: number[] = [];
  for (const { low, width } of key) {
    for (let i = width - 1; i >= 0; i--) bits.push(low + i);
  }
  const others = Array.from({ length: 64 }, (_, i) => 63 - i).filter((bit) => !bits.includes(bit));
  return [...bits, ...others.filter((bit) => !isLast(bit)), ...others.filter(isLast)];
}

/** Where each of 64 places comes from. */
function inverse(to: readonly (number | undefined)[]): (number | undefined)[] {
  return Array.from({ length: 64 }, (_, place) => {
    const from = to.indexOf(place);
    return from < 0 ? undefined : from;
  });
}

export class WordMap {
  /** The fingerprint that was decoded last, or the word that was encoded last. */
  low = 0;
  high = 0;
  private readonly moves: BitMoves;
  private readonly back: BitMoves;
  private readonly codes: PlacedCode[] = [];

  /** `order[i]` is the fingerprint's bit that comes to bit 63 - i before the table's order; undefined: all stay. */
  constructor(table: WordOrder, order: Uint8Array | undefined) {
    const permuted = permutation(table);
    const fingerprintBit = (bit: number): number => {
      const ordered = permuted[63 - bit] as number;
      return order === undefined ? ordered : (order[63 - ordered] as number);
    };
    const keyBits = table.key.reduce((sum, { width }) => sum + width, 0);
    const codes = table.codes.map((kind) => new BlockValues(kind));
    const sum = (part: 'length' | 'information' | 'check') =>
      codes.reduce((all, code) => all + code[part], 0);
    const plain = keyBits - sum('length');
    const rest = 64 - keyBits;
    const to: (number | undefined)[] = new Array(64).fill(undefined);
    for (let bit = 0; bit < rest; bit++) to[bit] = fingerprintBit(bit);
    for (let bit = 0; bit < plain; bit++) to[rest + sum('check') + bit] = fingerprintBit(rest + bit);
    this.moves = new BitMoves(to);
    this.back = new BitMoves(inverse(to));
    let value = 64;
    let bucket = 64;
    let syndrome = rest + sum('check');
    for (const code of codes) {
      value -= code.length;
      bucket -= code.information;
      syndrome -= code.check;
      const first = value;
      const places = Array.from({ length: 32 }, (_, i) =>
        i < code.length ? fingerprintBit(first + i) : undefined,
      );
      this.codes.push({
        code,
        bucketShift: bucket - 32,
        syndromeShift: syndrome - 32,
        moves: new BitMoves(places),
        back: new BitMoves(inverse(places)),
      });
    }
  }

  /** Leaves in `low` and `high` the word of the fingerprint that has these lanes; they may be negative. */
  encode(low: number, high: number): void {
    this.low = this.back.low(low, high);
    this.high = this.back.high(low, high);
    for (const { code, bucketShift, syndromeShift, back } of this.codes) {
      const value = back.low(low, high);
      const syndrome = code.syndromeOf(value);
      this.high |= (code.bucket(value, syndrome) << bucketShift) | (syndrome << syndromeShift);
    }
  }

  /** Leaves in `low` and `high` the fingerprint whose word has these lanes; they may be negative. */
  decode(low: number, high: number): void {
    this.low = this.moves.low(low, high);
    this.high = this.moves.high(low, high);
    for (const { code, bucketShift, syndromeShift, moves } of this.codes) {
      const bucket = (high >>> bucketShift) & ((1 << code.information) - 1);
      const syndrome = (high >>> syndromeShift) & ((1 << code.check) - 1);
      const value = code.value(bucket, syndrome);
      this.low |= moves.low32(value);
      this.high |= moves.high32(value);
    }
  }
}
