/** The arithmetic of Bloom filters: size for a count and a rate, rate for a size and a count, and back. */
import type { BloomShape } from '../engine.ts';

/** Bits of a block: a cache line. */
export const BLOCK_BITS = 512;
export const MAX_HASHES = 64;

/** m = ceil(-n ln p / (ln 2)^2), k = round(m / n ln 2). */
export function plainShape(count: number, rate: number): BloomShape {
  const bits = Math.ceil((-count * Math.log(rate)) / Math.LN2 ** 2);
  const hashes = Math.min(MAX_HASHES, Math.max(1, Math.round((bits / count) * Math.LN2)));
  return { bits, hashes, blocked: false };
}

/** Share of a filter's bits that `count` keys leave 0. */
function emptyShare({ bits, hashes, blocked }: BloomShape, count: number): number {
  // Of a block, the number of keys in it is a Poisson variable of mean 512 n / m.
  if (blocked) return Math.exp((-count * BLOCK_BITS * (1 - (1 - 1 / BLOCK_BITS) ** hashes)) / bits);
  return Math.exp(count * hashes * Math.log1p(-1 / bits));
}

/** ln n!, by Stirling's series where n is large. */
function logFactorial(n: number): number {
  if (n >= 32) return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n);
  let log = 0;
  for (let i = 2; i <= n; i++) log += Math.log(i);
  return log;
}

/** A block with i keys errs with (1 - (1 - 1/512)^(ik))^k; i is a Poisson variable of mean `load`. */
function blockedRate(load: number, hashes: number): number {
  // A block that full errs always; what lies outside of 12 standard deviations does not count.
  if (load > 1e6) return 1;
  const spread = 12 * Math.sqrt(load) + 20;
  let sum = 0;
  const first = Math.max(0, Math.floor(load - spread));
  for (let i = first; i <= load + spread; i++) {
    const probability = Math.exp(i * Math.log(load) - load - logFactorial(i));
    sum += probability * (1 - (1 - 1 / BLOCK_BITS) ** (i * hashes)) ** hashes;
  }
  return Math.min(1, sum);
}

/** The chance that a key never added is taken for one added, once `count` keys were. */
export function rateOf(shape: BloomShape, count: number): number {
  if (count === 0) return 0;
  if (shape.blocked) return blockedRate((count * BLOCK_BITS) / shape.bits, shape.hashes);
  return (1 - emptyShare(shape, count)) ** shape.hashes;
}

/** The fewest blocks with which a filter of `hashes` bits for a key keeps within the rate. */
function blocksFor(count: number, rate: number, hashes: number): number {
  const errs = (blocks: number) => rateOf({ bits: blocks * BLOCK_BITS, hashes, blocked: true }, count) > rate;
  let high = 1;
  while (errs(high)) high *= 2;
  let low = Math.floor(high / 2) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (errs(middle)) low = middle + 1;
    else high = middle;
  }
  return high;
}

/** The smallest blocked filter whose own rate is at most `rate`. */
export function blockedShape(count: number, rate: number): BloomShape {
  let best: BloomShape = { bits: Number.POSITIVE_INFINITY, hashes: 1, blocked: true };
  const most = Math.min(MAX_HASHES, plainShape(count, rate).hashes + 2);
  for (let hashes = 1; hashes <= most; hashes++) {
    const bits = blocksFor(count, rate, hashes) * BLOCK_BITS;
    if (bits < best.bits) best = { bits, hashes, blocked: true };
  }
  return best;
}

/** How many keys leave `ones` bits set, by expectation; infinite where all are. */
export function countOf(shape: BloomShape, ones: number): number {
  if (ones === 0) return 0;
  const empty = 1 - ones / shape.bits;
  // emptyShare is exponential in the count.
  return Math.log(empty) / Math.log(emptyShare(shape, 1));
}
