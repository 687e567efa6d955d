// Distances between all labelled pairs, counted: how many positive and negative pairs lie at each distance.
import { popcount64 } from '../../dist/ts/base/bits.mjs';

const BITS = 65;

/** Distances that are measured; pairs farther apart need no look at their labels. */
const NEAR = 16;

/** A function from two positions to the distance of their fingerprints; 65 where either has none. */
export function distanceOf(fingerprints) {
  const values = BigUint64Array.from(fingerprints, (value) => value ?? 0n);
  const absent = Uint8Array.from(fingerprints, (value) => (value === undefined ? 1 : 0));
  const lanes = new Uint32Array(values.buffer);
  return (i, j) => {
    if (absent[i] || absent[j]) return BITS;
    return popcount64(lanes[2 * i] ^ lanes[2 * j], lanes[2 * i + 1] ^ lanes[2 * j + 1]);
  };
}

/**
 * Counts of positive and negative pairs by (distance of the primary, distance of the second fingerprint); leave
 * `second` out for one fingerprint. Gives measure(k1, k2) -> {precision, recall}.
 */
export function measurePairs(set, primary, second) {
  const width = BITS + 1;
  const counts = [new Float64Array(width * width), new Float64Array(width * width)];
  const d1 = distanceOf(primary);
  const d2 = second === undefined ? () => 0 : distanceOf(second);
  set.visit((i, j, same) => {
    const a = d1(i, j);
    const b = d2(i, j);
    if (!same && a <= NEAR && b <= NEAR && set.setAside(i, j)) return;
    counts[same ? 1 : 0][a * width + b]++;
  });
  const within = (table, k1, k2) => {
    let sum = 0;
    for (let a = 0; a <= k1; a++) for (let b = 0; b <= k2; b++) sum += table[a * width + b];
    return sum;
  };
  const positives = within(counts[1], BITS, BITS);
  return (k1, k2 = 64) => {
    const found = within(counts[1], k1, k2);
    const wrong = within(counts[0], k1, k2);
    return { precision: found + wrong === 0 ? 1 : found / (found + wrong), recall: found / positives };
  };
}
