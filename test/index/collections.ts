/** Collections of fingerprints as an index meets them: uniform, planted, skewed. Reproducible. */

/** Random 64-bit values: SplitMix64 over BigInt. */
export class Random {
  private state: bigint;

  constructor(seed: number) {
    this.state = BigInt(seed);
  }

  next(): bigint {
    this.state = BigInt.asUintN(64, this.state + 0x9e3779b97f4a7c15n);
    let z = this.state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  }

  below(n: number): number {
    return Number(this.next() % BigInt(n));
  }

  /** The value with `flips` different bits changed. */
  flip(value: bigint, flips: number): bigint {
    const bits = new Set<number>();
    while (bits.size < flips) bits.add(this.below(64));
    for (const bit of bits) value ^= 1n << BigInt(bit);
    return value;
  }
}

type Make = (random: Random, i: number, earlier: BigUint64Array) => bigint;

const templates = Array.from({ length: 40 }, (_, i) => new Random(900 + i).next());

/** Makes fingerprint i of a collection. */
export const collections: Record<string, Make> = {
  uniform: (random) => random.next(),
  planted: (random, i, earlier) =>
    i > 0 && i % 10 === 0 ? random.flip(earlier[random.below(i)] as bigint, random.below(10)) : random.next(),
  'constant top 16 bits': (random) => (random.next() & 0xffff_ffff_ffffn) | 0xabcd_0000_0000_0000n,
  'constant top 32 bits': (random) => (random.next() & 0xffff_ffffn) | 0x1234_5678_0000_0000n,
  '30 % identical': (random) => (random.below(10) < 3 ? 0xfeed_0000_0000_0001n : random.next()),
  'templates with 0..6 flips': (random) =>
    random.flip(templates[random.below(templates.length)] as bigint, random.below(7)),
  sorted: (_, i) => BigInt(i),
  'all equal': () => 0xffff_ffff_ffff_ffffn,
};

/** `count` fingerprints of a collection. */
export function collect(name: string, count: number, seed = 1): BigUint64Array {
  const random = new Random(seed);
  const fingerprints = new BigUint64Array(count);
  for (let i = 0; i < count; i++) fingerprints[i] = (collections[name] as Make)(random, i, fingerprints);
  return fingerprints;
}

/** Queries: half of them held fingerprints with 0 to `flips` changed bits, half of the collection's kind. */
export function queriesFor(fingerprints: BigUint64Array, count: number, flips: number): BigUint64Array {
  const random = new Random(77);
  const held = (i: number) => fingerprints[i] as bigint;
  return BigUint64Array.from({ length: count }, (_, i) =>
    i % 2 === 0 && fingerprints.length > 0
      ? random.flip(held(random.below(fingerprints.length)), random.below(flips + 1))
      : random.next(),
  );
}
