/** Fingerprints as text, as signed integers for databases, and their distances. */
import { currentEngine } from '../backend.ts';
import { popcount64 } from '../ts/base/bits.ts';
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

/** The number of bits in which two fingerprints differ, 0 to 64. */
export function hamming(a: bigint, b: bigint): number {
  const bits = checkFingerprint('a', a) ^ checkFingerprint('b', b);
  return popcount64(Number(bits & 0xffff_ffffn), Number(bits >> 32n));
}

/** The Hamming distance, 0 to 64, of each fingerprint to the query. */
export function hammingMany(fingerprints: BigUint64Array, query: bigint): Uint8Array {
  return currentEngine().distances(
    checkFingerprints('fingerprints', fingerprints),
    checkFingerprint('query', query),
  );
}
