// A uniform collection of any size with 1 % planted near-duplicates, of which each fingerprint is computed from its
// id, so that nothing has to hold it. Ids are below 2^32; 30 ns each.
import { copyFlipped, countedIds, Lanes, lanesOf, randomCodes } from './codes.mjs';

const ROUND_KEYS = [0x9e3779b9, 0x7f4a7c15, 0xbf58476d, 0x1ce4e5b9, 0x94d049bb];

function mix(value) {
  let z = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}

/** Sets fingerprint `at` to that of an id which is no copy: a Feistel network over the id and a constant. */
function setOriginal(lanes, at, id) {
  let left = id;
  let right = 0x133111eb;
  for (let round = 0; round < ROUND_KEYS.length; round++) {
    const next = left ^ mix(right + ROUND_KEYS[round]);
    left = right;
    right = next;
  }
  lanes[2 * at] = left;
  lanes[2 * at + 1] = right;
}

/** Of every hundred, the last is a copy of an earlier original, with 0 to 3 bits flipped; -1 for the others. */
export function originalOf(id) {
  if (id % 100 !== 99) return -1;
  return Math.floor(((mix(id) >>> 0) / 2 ** 32) * ((id - 99) / 100 + 1)) * 100;
}

function setFingerprint(lanes, at, id) {
  const original = originalOf(id);
  setOriginal(lanes, at, original < 0 ? id : original);
  if (original < 0) return;
  const random = new Lanes(id);
  copyFlipped(lanes, at, lanes, at, random.below(4), random);
}

/** The fingerprints of ids. */
export function fingerprintsOf(ids) {
  const codes = new BigUint64Array(ids.length);
  const lanes = lanesOf(codes);
  for (let i = 0; i < ids.length; i++) setFingerprint(lanes, i, ids[i]);
  return codes;
}

/** The entries of ids from `first` on. */
export function computedBatch(first, size) {
  const ids = countedIds(size, first);
  return { fingerprints: fingerprintsOf(ids), ids };
}

/** As plantedQueries: half stored ones with 0 to 3 bits flipped and the ids that they were made of, half random. */
export function computedQueries(count, size, seed) {
  const queries = randomCodes(size, seed);
  const random = new Lanes(seed + 1);
  const sources = Float64Array.from({ length: size }, (_, i) => (i % 2 === 0 ? random.below(count) : -1));
  const stored = lanesOf(fingerprintsOf(sources.map((id) => Math.max(id, 0))));
  for (let i = 0; i < size; i += 2) copyFlipped(lanesOf(queries), i, stored, i, random.below(4), random);
  return { queries, sources };
}
