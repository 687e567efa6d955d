// Collections that are not uniform, as real ones are not, and uniform ones with as many near pairs to compare with.
import { copyFlipped, Lanes, lanesOf, plantNear, randomCodes, uniformCodes } from './codes.mjs';

function constantTop(count, seed) {
  const codes = uniformCodes(count, seed);
  const lanes = lanesOf(codes);
  for (let i = 1; i < lanes.length; i += 2) lanes[i] = (lanes[i] & 0xffff) | 0xabcd0000;
  return codes;
}

function identical(count, seed) {
  const codes = uniformCodes(count, seed);
  const lanes = lanesOf(codes);
  for (let i = 0; i < count; i++) {
    if (i % 10 >= 3) continue;
    lanes[2 * i] = 0x89abcdef;
    lanes[2 * i + 1] = 0x01234567;
  }
  return codes;
}

function templates(count, seed) {
  const codes = new BigUint64Array(count);
  const random = new Lanes(seed);
  const origins = lanesOf(randomCodes(1000, seed + 1));
  const lanes = lanesOf(codes);
  for (let i = 0; i < count; i++) copyFlipped(lanes, i, origins, random.below(1000), random.below(7), random);
  return codes;
}

/** Each bit is 1 with a probability of its own, 0.05 to 0.95. */
function biased(count, seed) {
  const random = new Lanes(seed);
  const odds = Uint32Array.from({ length: 64 }, () => (0.05 + 0.9 * (random.next() / 2 ** 32)) * 2 ** 32);
  const codes = new BigUint64Array(count);
  const lanes = lanesOf(codes);
  for (let i = 0; i < lanes.length; i++) {
    const first = (i & 1) * 32;
    let lane = 0;
    for (let bit = 0; bit < 32; bit++) if (random.next() < odds[first + bit]) lane |= 1 << bit;
    lanes[i] = lane;
  }
  return plantNear(codes, seed + 1);
}

/** By name: makes `count` fingerprints. */
export const SKEWED = {
  'constant top 16 bits': constantTop,
  '30 % identical': identical,
  '1,000 templates, each with 0 to 6 flips': templates,
  sorted: (count, seed) => uniformCodes(count, seed).sort(),
  'bits of probability 0.05 to 0.95': biased,
};

/**
 * Uniform fingerprints in clusters of `size` that are all within 2 bits of each other; of size 1 as uniformCodes.
 * The members of a cluster are spread over the collection.
 */
export function clusteredCodes(count, size, seed) {
  if (size <= 1) return uniformCodes(count, seed); // Where the planted ones are enough.
  const centres = Math.ceil(count / size);
  const codes = new BigUint64Array(count);
  const lanes = lanesOf(codes);
  const origins = lanesOf(randomCodes(centres, seed));
  const random = new Lanes(seed + 1);
  for (let i = 0; i < count; i++) copyFlipped(lanes, i, origins, i % centres, random.below(2), random);
  return codes;
}

/** The size of clusters that have about `pairs` pairs among `count` entries, where an entry lists `limit` at most. */
export function clusterSize(pairs, count, limit = Number.POSITIVE_INFINITY) {
  if (pairs < count / 20) return 1; // As many as are planted.
  const listed = (size) => {
    const rest = Math.min(size, limit);
    return (((size - rest) * rest + (rest * (rest - 1)) / 2) * count) / size;
  };
  let size = 2;
  while (size < 20 * limit && listed(size) < pairs) size++;
  return size;
}
