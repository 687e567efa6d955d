/**
 * Set measures over sorted sets of 64-bit hashes. One pass over both, linear time, no memory. The values are
 * read as two 32-bit lanes: comparing bigints would cost fifty times as much.
 */
import { checkFingerprints, outOfRange } from '../validate.ts';

function lanesOf(set: BigUint64Array): Uint32Array {
  return new Uint32Array(set.buffer, set.byteOffset, 2 * set.length);
}

/** A set: a BigUint64Array in strictly ascending order, as `shingles` gives. */
export function checkSet(name: string, value: unknown): BigUint64Array {
  const set = checkFingerprints(name, value);
  const lanes = lanesOf(set);
  for (let i = 2; i < lanes.length; i += 2) {
    const high = lanes[i + 1]!;
    const before = lanes[i - 1]!;
    if (high > before || (high === before && lanes[i]! > lanes[i - 2]!)) continue;
    outOfRange(
      name,
      'in ascending order without repetitions',
      `value ${i / 2} is not over the one before it`,
    );
  }
  return set;
}

/** Calls body(i, j) for each pair of places at which two sets hold the same value, in ascending order. */
export function forEachCommon(
  a: BigUint64Array,
  b: BigUint64Array,
  body: (i: number, j: number) => void,
): void {
  const x = lanesOf(a);
  const y = lanesOf(b);
  let i = 0;
  let j = 0;
  while (i < x.length && j < y.length) {
    const high = x[i + 1]! - y[j + 1]!;
    const order = high !== 0 ? high : x[i]! - y[j]!;
    if (order === 0) body(i / 2, j / 2);
    if (order <= 0) i += 2;
    if (order >= 0) j += 2;
  }
}

function countCommon(a: BigUint64Array, b: BigUint64Array): number {
  let count = 0;
  forEachCommon(a, b, () => {
    count++;
  });
  return count;
}

/**
 * Jaccard similarity: what two sets have in common, as a share of what either has; 0 to 1. Two empty sets
 * have 0: documents without features are not near-duplicates of anything.
 */
export function jaccard(first: BigUint64Array, second: BigUint64Array): number {
  const [a, b] = [checkSet('a', first), checkSet('b', second)];
  const common = countCommon(a, b);
  const either = a.length + b.length - common;
  return either === 0 ? 0 : common / either;
}

/** Containment: the share of `a` that is also in `b`; 0 to 1, and 0 for an empty `a`. */
export function containment(first: BigUint64Array, second: BigUint64Array): number {
  const [a, b] = [checkSet('a', first), checkSet('b', second)];
  const common = countCommon(a, b);
  return a.length === 0 ? 0 : common / a.length;
}
