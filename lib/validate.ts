/**
 * Argument checks of the public facade, made once so that both engines refuse the same input with the
 * same words. Each check returns its value, typed, or throws a NeardupError.
 */
import { makeError } from './errors.ts';

/** Largest id: ids are safe integers. */
export const MAX_ID = Number.MAX_SAFE_INTEGER;

/** Largest fingerprint, 64 one bits. */
export const MAX_FINGERPRINT = 0xffff_ffff_ffff_ffffn;

/** Names a value in an error message, short and safe for any value. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 40 ? `a string of length ${value.length}` : JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value)
    ? 'an array'
    : `an object (${Object.prototype.toString.call(value).slice(8, -1)})`;
}

export function wrongType(name: string, expected: string, value: unknown): never {
  throw makeError('ERR_NEARDUP_INVALID_TYPE', `${name} must be ${expected}, got ${show(value)}`);
}

export function outOfRange(name: string, expected: string, value: unknown): never {
  throw makeError('ERR_NEARDUP_OUT_OF_RANGE', `${name} must be ${expected}, got ${show(value)}`);
}

/** An integer from `low` to `high`, both included. */
export function checkInteger(name: string, value: unknown, low: number, high: number): number {
  if (typeof value !== 'number') wrongType(name, 'a number', value);
  if (!Number.isInteger(value) || value < low || value > high) {
    outOfRange(name, `an integer from ${low} to ${high}`, value);
  }
  return value;
}

/** A 64-bit fingerprint: a bigint from 0 to 2^64 - 1. */
export function checkFingerprint(name: string, value: unknown): bigint {
  if (typeof value !== 'bigint') wrongType(name, 'a bigint', value);
  if (value < 0n || value > MAX_FINGERPRINT) outOfRange(name, 'a bigint from 0n to 2n ** 64n - 1n', value);
  return value;
}

/** A text: a string, or bytes that are read as UTF-8. */
export function checkText(name: string, value: unknown): string | Uint8Array {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
    wrongType(name, 'a string or a Uint8Array', value);
  }
  return value;
}

/** An id: a safe integer, 0 or greater. */
export function checkId(name: string, value: unknown): number {
  return checkInteger(name, value, 0, MAX_ID);
}

/** An array of fingerprints. */
export function checkFingerprints(name: string, value: unknown): BigUint64Array {
  if (!(value instanceof BigUint64Array)) wrongType(name, 'a BigUint64Array', value);
  return value;
}

/** Ids given as numbers; one for each of `count` fingerprints. */
export function checkIds(name: string, value: unknown, count: number): Float64Array {
  if (!Array.isArray(value) && !(value instanceof Float64Array) && !(value instanceof Uint32Array)) {
    wrongType(name, 'an array of numbers, a Float64Array or a Uint32Array', value);
  }
  if (value.length !== count)
    outOfRange(`${name}.length`, `${count}, one id for each fingerprint`, value.length);
  for (let i = 0; i < count; i++) checkId(`${name}[${i}]`, value[i]);
  return value instanceof Float64Array ? value : Float64Array.from(value);
}

/** An options object: `undefined` is read as no options. */
export function checkOptions<T extends object>(name: string, value: T | undefined): T {
  if (value === undefined) return {} as T;
  if (typeof value !== 'object' || value === null) wrongType(name, 'an object', value);
  return value;
}
