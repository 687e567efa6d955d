/**
 * MinHash: a short signature of a set of shingles from which the Jaccard similarity of two sets is estimated
 * (Broder 1997), and its b-bit form (Li and König 2010), which keeps b bits of each minimum. Signatures are
 * the same on both engines and in every version: native/core/fingerprint/minhash.h says how they are made.
 */
import { types } from 'node:util';
import { currentEngine } from '../backend.ts';
import {
  checkFingerprint,
  checkFingerprints,
  checkInteger,
  checkOptions,
  outOfRange,
  wrongType,
} from '../validate.ts';
import { checkSet } from './sorted-sets.ts';

/** Most permutations of a signature. */
export const MAX_PERMUTATIONS = 65_536;

/** Options of MinHasher. */
export interface MinHasherOptions {
  /** Minima of a signature, 1 to 65 536; 128 by default. The error shrinks with the square root of it. */
  readonly permutations?: number;
  /** Chooses the permutations; 0n by default. Only signatures of the same seed can be compared. */
  readonly seed?: bigint;
}

/** Makes MinHash signatures. */
export class MinHasher {
  readonly permutations: number;
  readonly seed: bigint;

  constructor(options?: MinHasherOptions) {
    const { permutations = 128, seed = 0n } = checkOptions('options', options, ['permutations', 'seed']);
    this.permutations = checkInteger('permutations', permutations, 1, MAX_PERMUTATIONS);
    this.seed = checkFingerprint('seed', seed);
  }

  /** The signature of a set as `shingles` gives it, or undefined for an empty set. O(size * permutations). */
  sign(set: BigUint64Array): BigUint64Array | undefined {
    const checked = checkSet('set', set);
    return checked.length === 0 ? undefined : currentEngine().minHash(checked, this.seed, this.permutations);
  }
}

function checkSignatures(first: unknown, second: unknown): [BigUint64Array, BigUint64Array] {
  const [a, b] = [checkFingerprints('a', first), checkFingerprints('b', second)];
  if (a.length !== b.length || a.length === 0) {
    outOfRange('b.length', `${a.length}, as long as a, and not 0`, b.length);
  }
  return [a, b];
}

/** The Jaccard similarity of two sets, estimated from their signatures: the share of minima that agree. */
export function estimateJaccard(first: BigUint64Array, second: BigUint64Array): number {
  const [a, b] = checkSignatures(first, second);
  let agreeing = 0;
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) agreeing++;
  return agreeing / a.length;
}

const WIDTHS: readonly unknown[] = [1, 2, 4, 8, 16];

function checkBits(bits: unknown): number {
  return WIDTHS.includes(bits) ? (bits as number) : outOfRange('bits', '1, 2, 4, 8 or 16', bits);
}

/** The lowest `bits` (1, 2, 4, 8 or 16) of each minimum, packed from the lowest bit of the first byte upwards. */
export function packMinHash(minima: BigUint64Array, bits: number): Uint8Array {
  const signature = checkFingerprints('minima', minima);
  checkBits(bits);
  const packed = new Uint8Array(Math.ceil((signature.length * bits) / 8));
  const lanes = new Uint32Array(signature.buffer, signature.byteOffset, 2 * signature.length);
  for (let i = 0; i < signature.length; i++) {
    const low = lanes[2 * i]! & (2 ** bits - 1);
    const at = i * bits;
    packed[at >> 3]! |= low << (at & 7);
    if (bits === 16) packed[(at >> 3) + 1] = low >> 8;
  }
  return packed;
}

/**
 * The Jaccard similarity of two sets, estimated from packed signatures of `permutations` minima. Chance
 * agreement (1 in 2^bits) is taken out, so that sets far apart may come out a little below 0.
 */
export function estimateJaccardPacked(
  a: Uint8Array,
  b: Uint8Array,
  options: { readonly permutations: number; readonly bits: number },
): number {
  const { permutations, bits } = checkOptions('options', options, ['permutations', 'bits']);
  checkInteger('permutations', permutations, 1, MAX_PERMUTATIONS);
  const length = Math.ceil((permutations * checkBits(bits)) / 8);
  for (const [name, value] of Object.entries({ a, b })) {
    if (!types.isUint8Array(value)) wrongType(name, 'a Uint8Array', value);
    if (value.length !== length) outOfRange(`${name}.length`, `${length}`, value.length);
  }
  let agreeing = 0;
  for (let i = 0; i < permutations; i++) {
    const at = i * bits;
    const byte = at >> 3;
    let difference = (a[byte]! ^ b[byte]!) >> (at & 7);
    if (bits === 16) difference |= a[byte + 1]! ^ b[byte + 1]!;
    if ((difference & (2 ** Math.min(bits, 8) - 1)) === 0) agreeing++;
  }
  const chance = 2 ** -bits;
  return (agreeing / permutations - chance) / (1 - chance);
}

/**
 * The standard error (one standard deviation) of the estimate for sets of similarity `jaccard`, from
 * `permutations` minima of which `bits` bits are kept; leave `bits` out for whole minima.
 */
export function standardError(jaccard: number, permutations: number, bits?: number): number {
  if (typeof jaccard !== 'number') wrongType('jaccard', 'a number', jaccard);
  if (!(jaccard >= 0 && jaccard <= 1)) outOfRange('jaccard', 'from 0 to 1', jaccard);
  checkInteger('permutations', permutations, 1, MAX_PERMUTATIONS);
  const chance = bits === undefined ? 0 : 2 ** -checkBits(bits);
  const agreement = chance + (1 - chance) * jaccard;
  return Math.sqrt((agreement * (1 - agreement)) / permutations) / (1 - chance);
}
