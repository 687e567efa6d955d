/** The keys within a few bit flips of a key, as masks to xor with it. */

/** Keys of `bits` bits with exactly `flips` of them changed: a binomial coefficient. */
export function flipCount(bits: number, flips: number): number {
  if (flips > bits) return 0;
  let count = 1;
  for (let i = 0; i < flips; i++) count = (count * (bits - i)) / (i + 1);
  return count;
}

/** Masks in order of their one bits. */
export interface Flips {
  readonly masks: Uint32Array;
  /** ends[r]: how many masks have at most r one bits. */
  readonly ends: Uint32Array;
}

/** All masks of `bits` (0 to 32) bits with at most `radius` ones. */
export function flipsWithin(bits: number, radius: number): Flips {
  const ends = new Uint32Array(radius + 1);
  let total = 0;
  for (let r = 0; r <= radius; r++) {
    total += flipCount(bits, r);
    ends[r] = total;
  }
  const masks = new Uint32Array(total);
  let from = 0;
  for (let r = 1, at = 1; r <= radius; r++) {
    // Each mask of r - 1 ones is extended above its highest one, so that no mask comes twice.
    const end = ends[r - 1] as number;
    for (; from < end; from++) {
      const mask = masks[from] as number;
      for (let bit = 32 - Math.clz32(mask); bit < bits; bit++) masks[at++] = (mask | (1 << bit)) >>> 0;
    }
  }
  return { masks, ends };
}
