/** Fingerprints as text, as signed integers for databases, and their distances. */
import { currentEngine } from '../backend.ts';
import { checkFingerprint, checkFingerprints, outOfRange, wrongType } from '../validate.ts';

/** 16 hexadecimal digits, leading zeros kept. */
export function toHex(fingerprint: bigint): string {
  return checkFingerprint('fingerprint', fingerprint).toString(16).padStart(16, '0');
}

/** The fingerprint of 16 hexadecimal digits, in either case. */
export function parseHex(text: string): bigint {
  if (typeof text !== 'string') wrongType('text', 'a string of 16 hexadecimal digits', text);
  if (!/^[0-9a-f]{16}$/i.test(text)) outOfRange('text', 'a string of 16 hexadecimal digits', text);
  return BigInt(`0x${text}`);
}

/** The same 64 bits as a signed integer, -2^63 to 2^63 - 1: what SQL's BIGINT holds. */
export function toInt64(fingerprint: bigint): bigint {
  return BigInt.asIntN(64, checkFingerprint('fingerprint', fingerprint));
}

/** The fingerprint of a signed 64-bit integer. */
export function fromInt64(value: bigint): bigint {
  if (typeof value !== 'bigint') wrongType('value', 'a bigint', value);
  if (BigInt.asIntN(64, value) !== value)
    outOfRange('value', 'a bigint from -(2n ** 63n) to 2n ** 63n - 1n', value);
  return BigInt.asUintN(64, value);
}

function popcount32(bits: number): number {
  let x = bits - ((bits >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  x = (x + (x >>> 4)) & 0x0f0f0f0f;
  return Math.imul(x, 0x01010101) >>> 24;
}

/** The number of bits in which two fingerprints differ, 0 to 64. */
export function hamming(a: bigint, b: bigint): number {
  const bits = checkFingerprint('a', a) ^ checkFingerprint('b', b);
  return popcount32(Number(bits & 0xffff_ffffn)) + popcount32(Number(bits >> 32n));
}

/** The Hamming distance, 0 to 64, of each fingerprint to the query. */
export function hammingMany(fingerprints: BigUint64Array, query: bigint): Uint8Array {
  return currentEngine().distances(
    checkFingerprints('fingerprints', fingerprints),
    checkFingerprint('query', query),
  );
}
