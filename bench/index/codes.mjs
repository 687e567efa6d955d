// Collections of fingerprints and queries for the benchmarks of the index, the same on every run. Values are made
// in 32-bit lanes, about 10 ns each, so that a billion takes seconds rather than minutes.

/** A generator of 32-bit numbers (xoshiro128**), seeded by a number. */
export class Lanes {
  #a;
  #b;
  #c;
  #d;

  constructor(seed) {
    let state = seed >>> 0;
    const mixed = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
      return z ^ (z >>> 16);
    };
    this.#a = mixed();
    this.#b = mixed();
    this.#c = mixed();
    this.#d = mixed() | 1;
  }

  next() {
    const x = Math.imul(this.#b, 5);
    const result = Math.imul((x << 7) | (x >>> 25), 9);
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result >>> 0;
  }

  /** 0 to count - 1, for counts up to 2^32. */
  below(count) {
    return Math.floor((this.next() / 2 ** 32) * count);
  }
}

/** The lanes of fingerprints, low one first. */
export function lanesOf(codes) {
  return new Uint32Array(codes.buffer, codes.byteOffset, 2 * codes.length);
}

/** Sets fingerprint `to` to a copy of fingerprint `from` with `flips` bits flipped (a bit may be flipped back). */
export function copyFlipped(lanes, to, source, from, flips, random) {
  let low = source[2 * from];
  let high = source[2 * from + 1];
  for (let flip = 0; flip < flips; flip++) {
    const bit = random.below(64);
    if (bit < 32) low ^= 1 << bit;
    else high ^= 1 << (bit - 32);
  }
  lanes[2 * to] = low;
  lanes[2 * to + 1] = high;
}

export function randomCodes(count, seed) {
  const codes = new BigUint64Array(count);
  const lanes = lanesOf(codes);
  const random = new Lanes(seed);
  for (let i = 0; i < lanes.length; i++) lanes[i] = random.next();
  return codes;
}

/** Makes every hundredth a copy of one before it, with 0 to 3 bits flipped. */
export function plantNear(codes, seed) {
  const lanes = lanesOf(codes);
  const random = new Lanes(seed);
  for (let i = 99; i < codes.length; i += 100) {
    copyFlipped(lanes, i, lanes, random.below(i), random.below(4), random);
  }
  return codes;
}

/** Uniform, with 1 % planted near-duplicates. */
export function uniformCodes(count, seed) {
  return plantNear(randomCodes(count, seed), seed + 1);
}

/** Queries: those of even index are stored ones with 0 to `flips` bits flipped, the others random. */
export function plantedQueries(codes, count, seed, flips = 3) {
  const queries = randomCodes(count, seed);
  const lanes = lanesOf(queries);
  const random = new Lanes(seed + 1);
  /** Of each query the index of the stored fingerprint that it was made of; -1 where it is random. */
  const sources = new Float64Array(count).fill(-1);
  for (let i = 0; i < count; i += 2) {
    sources[i] = random.below(codes.length);
    copyFlipped(lanes, i, lanesOf(codes), sources[i], random.below(flips + 1), random);
  }
  return { queries, sources };
}

/** 0 to count - 1 as ids. */
export function countedIds(count, first = 0) {
  const ids = new Float64Array(count);
  for (let i = 0; i < count; i++) ids[i] = first + i;
  return ids;
}
