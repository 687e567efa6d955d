/**
 * MinHash of a set of 64-bit hashes (Broder): for each of n permutations of the 64-bit numbers, the smallest
 * element of the permuted set. The twin of native/core/fingerprint/minhash, which says how they permute.
 * 64-bit values are two 32-bit lanes, low first.
 */
const NONE = 0xffff_ffff;

/** SplitMix64 (Steele, Lea and Flood), in bigint: it runs twice for each permutation and not for each element. */
function splitMix64(seed: bigint): () => bigint {
  let state = seed;
  const mask = 0xffff_ffff_ffff_ffffn;
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return z ^ (z >> 31n);
  };
}

/** b and a of `count` permutations, a odd: b low, b high, a low, a high of each. */
function makePermutations(seed: bigint, count: number): Uint32Array {
  const next = splitMix64(seed);
  const parameters = new BigUint64Array(2 * count);
  for (let i = 0; i < count; i++) {
    parameters[2 * i] = next();
    parameters[2 * i + 1] = next() | 1n;
  }
  return new Uint32Array(parameters.buffer);
}

let cached: { readonly seed: bigint; readonly count: number; readonly parameters: Uint32Array } | undefined;

function permutations(seed: bigint, count: number): Uint32Array {
  if (cached?.seed !== seed || cached.count !== count) {
    cached = { seed, count, parameters: makePermutations(seed, count) };
  }
  return cached.parameters;
}

/** The `count` minima of a set; all ones everywhere for an empty set. */
export function minHash(set: BigUint64Array, seed: bigint, count: number): BigUint64Array {
  const minima = new BigUint64Array(count);
  const out = new Uint32Array(minima.buffer);
  const lanes = new Uint32Array(set.buffer, set.byteOffset, 2 * set.length);
  const parameters = permutations(seed, count);
  for (let i = 0; i < count; i++) {
    const flipLow = parameters[4 * i]!;
    const flipHigh = parameters[4 * i + 1]!;
    const factorLow = parameters[4 * i + 2]!;
    const factorHigh = parameters[4 * i + 3]!;
    // The product of 32-bit halves is taken in 16-bit parts of the factor, which a double holds exactly.
    const factor0 = factorLow & 0xffff;
    const factor1 = factorLow >>> 16;
    let low = NONE;
    let high = NONE;
    for (let k = 0; k < lanes.length; k += 2) {
      const x = (lanes[k]! ^ flipLow) >>> 0;
      const part0 = x * factor0;
      const part1 = x * factor1 + Math.floor(part0 / 0x10000);
      const carry = Math.floor(part1 / 0x10000);
      const upper = (carry + Math.imul(x, factorHigh) + Math.imul(lanes[k + 1]! ^ flipHigh, factorLow)) >>> 0;
      if (upper > high) continue;
      const lower = Math.imul(x, factorLow) >>> 0;
      if (upper < high || lower < low) {
        high = upper;
        low = lower;
      }
    }
    out[2 * i] = set.length === 0 ? NONE : low ^ high;
    out[2 * i + 1] = high;
  }
  return minima;
}
