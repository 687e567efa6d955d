/**
 * From URL fingerprints to the keys that sets, runs and Bloom filters hold: key = fmix64(fingerprint), a
 * bijection, so nothing is lost, and fingerprints of any origin become evenly spread.
 */
import { lanes, mix64 } from '../ts/urls/lanes.ts';

/** The keys of fingerprints, in order. */
export function keysOfFingerprints(fingerprints: BigUint64Array): BigUint64Array {
  const keys = new BigUint64Array(fingerprints.length);
  const from = new Uint32Array(fingerprints.buffer, fingerprints.byteOffset, 2 * fingerprints.length);
  const to = new Uint32Array(keys.buffer);
  for (let i = 0; i < from.length; i += 2) {
    mix64(from[i], from[i + 1]);
    to[i] = lanes.low;
    to[i + 1] = lanes.high;
  }
  return keys;
}

/**
 * The chance that a URL that was never added is taken for one of `count` URLs, because its 64-bit
 * fingerprint is that of another: 1 - (1 - 2^-64)^count, 5.4e-12 at 1e8.
 */
export function falseSeenRate(count: number): number {
  return -Math.expm1(count * Math.log1p(-(2 ** -64)));
}

/**
 * How many of `count` different URLs, added one after the other, are expected to be taken for one added
 * before: about count^2 / 2^65, 2.7e-4 at 1e8.
 */
export function expectedFalseSeen(count: number): number {
  return (count * (count - 1)) / 2 ** 65;
}
