/**
 * Argument checks of the public facade, made once so that both engines refuse the same input with the
 * same words. Each check returns its value, typed, or throws a NeardupError.
 */
import { types } from 'node:util';
import { makeError } from './errors.ts';

/** Largest id: ids are safe integers. */
export const MAX_ID = Number.MAX_SAFE_INTEGER;

/** Largest fingerprint, 64 one bits. */
export const MAX_FINGERPRINT = 0xffff_ffff_ffff_ffffn;

/** Names a value in an error message, short and safe for any value. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 40 ? `a string of length ${value.length}` : JSON.stringify(value);
  if (typeof value === 'bigint')
    return value === BigInt.asIntN(80, value) ? `${value}n` : 'a far larger bigint';
  if (typeof value === 'symbol') return 'a symbol';
  if (types.isProxy(value)) return 'a proxy';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  try {
    return `an object (${Object.prototype.toString.call(value).slice(8, -1)})`;
  } catch {
    return 'an object';
  }
}

/** Whether a value is a revoked proxy: whatever is done with one throws, but for asking its `typeof`. */
function isRevoked(value: unknown): boolean {
  try {
    Array.isArray(value);
    return false;
  } catch {
    return true;
  }
}

/** Array.isArray, which throws for a revoked proxy, but does not here. */
export function isArray(value: unknown): value is unknown[] {
  return !isRevoked(value) && Array.isArray(value);
}

/** `instanceof`, which throws for a revoked proxy, but does not here. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  return !isRevoked(value) && value instanceof type;
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

/**
 * A text: a string, or bytes that are read as UTF-8, as a plain view that own properties and subclasses of the
 * value do not change. Refuses bytes whose buffer was detached.
 */
export function checkText(name: string, value: unknown): string | Uint8Array {
  if (typeof value === 'string') return value;
  if (!types.isUint8Array(value)) wrongType(name, 'a string or a Uint8Array', value);
  try {
    return new Uint8Array(bufferOf(value), offsetOf(value), lengthOf(value));
  } catch {
    wrongType(name, 'a string or a Uint8Array that has its buffer', 'one whose buffer is gone');
  }
}

/** Texts in an array; each is read once and checked. */
export function checkTexts(name: string, value: unknown): (string | Uint8Array)[] {
  if (!isArray(value)) wrongType(name, 'an array of strings or Uint8Arrays', value);
  return Array.from(value, (text, i) => checkText(`${name}[${i}]`, text));
}

/** A weight: finite and >= 0. That weights sum to at most 2^37 is for the engine to see. */
export function checkWeight(name: string, value: unknown): number {
  if (typeof value !== 'number') wrongType(name, 'a number', value);
  if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) outOfRange(name, 'finite and 0 or greater', value);
  return value;
}

/** Weights in an array of their own, one for each of `count` features. */
export function checkWeights(name: string, value: unknown, count: number): Float64Array {
  if (!types.isFloat64Array(value) && !isArray(value)) {
    wrongType(name, 'a Float64Array or an array of numbers', value);
  }
  const length = types.isFloat64Array(value) ? lengthOf(value) : value.length;
  if (length !== count) outOfRange(`${name}.length`, `${count}, one weight for each feature`, length);
  return Float64Array.from({ length: count }, (_, i) => checkWeight(`${name}[${i}]`, value[i]));
}

/** An id: a safe integer, 0 or greater. */
export function checkId(name: string, value: unknown): number {
  return checkInteger(name, value, 0, MAX_ID);
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** An accessor of all typed arrays that own properties of a value cannot shadow. */
function accessor<T>(name: string): (value: unknown) => T {
  const { get } = Object.getOwnPropertyDescriptor(typedArray, name) as { get: () => T };
  return (value) => get.call(value as never);
}

const bufferOf = accessor<ArrayBufferLike>('buffer');
const offsetOf = accessor<number>('byteOffset');
const lengthOf = accessor<number>('length');

/**
 * A plain view of a BigUint64Array, or a copy where another thread could change it meanwhile. Refuses arrays
 * whose buffer was detached.
 */
export function checkFingerprints(name: string, value: unknown): BigUint64Array {
  if (!types.isBigUint64Array(value)) wrongType(name, 'a BigUint64Array', value);
  const buffer = bufferOf(value);
  if (types.isSharedArrayBuffer(buffer)) return new BigUint64Array(value);
  try {
    return new BigUint64Array(buffer, offsetOf(value), lengthOf(value));
  } catch {
    wrongType(name, 'a BigUint64Array that has its buffer', 'one whose buffer is gone');
  }
}

/** Integers from 0 to `high` in a copy of their own; one for each of `count` fingerprints. */
export function checkIntegers(name: string, value: unknown, count: number, high: number): Float64Array {
  const typed = types.isFloat64Array(value) || types.isUint32Array(value);
  if (!typed && !isArray(value)) {
    wrongType(name, 'an array of numbers, a Float64Array or a Uint32Array', value);
  }
  const length = typed ? lengthOf(value) : value.length;
  if (length !== count) outOfRange(`${name}.length`, `${count}, one for each fingerprint`, length);
  const integers = new Float64Array(count);
  if (typed) integers.set(value);
  // Each element of an array is read once: getters may answer differently the next time.
  for (let i = 0; i < count; i++) {
    const each: unknown = typed ? integers[i] : value[i];
    if (typeof each !== 'number' || !Number.isInteger(each) || each < 0 || each > high)
      checkInteger(`${name}[${i}]`, each, 0, high);
    integers[i] = each as number;
  }
  return integers;
}

/** Ids as numbers, in a copy of their own; one for each of `count` fingerprints. */
export function checkIds(name: string, value: unknown, count: number): Float64Array {
  return checkIntegers(name, value, count, MAX_ID);
}

/** Whether a value can be read at all: an object, and no revoked proxy. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isRevoked(value);
}

/** Whether a value can be gone through by `for of`, or by `for await` where `isAsync`. */
export function isIterable(value: unknown, isAsync = false): value is Iterable<unknown> {
  return isObject(value) && (Symbol.iterator in value || (isAsync && Symbol.asyncIterator in value));
}

/** An options object: `undefined` is read as no options. Where the names of the options are given, no others. */
export function checkOptions<T extends object>(
  name: string,
  value: T | undefined,
  known?: readonly (keyof T & string)[],
): T {
  if (value === undefined) return {} as T;
  if (!isObject(value)) wrongType(name, 'an object', value);
  if (known === undefined) return value;
  const unknown = Object.keys(value).find((key) => !known.includes(key as keyof T & string));
  if (unknown !== undefined) outOfRange(`a name in ${name}`, known.join(', '), unknown);
  return value;
}

/** The named properties of an options object, each read once. Refuses others. */
export function checkNamedOptions<T extends object>(
  name: string,
  value: T | undefined,
  names: readonly (keyof T & string)[],
): T {
  const options = checkOptions(name, value);
  for (const key of Object.keys(options)) {
    if ((names as readonly string[]).includes(key)) continue;
    throw makeError(
      'ERR_NEARDUP_OUT_OF_RANGE',
      `${name} has no ${show(key)}; it may have ${names.join(', ')}`,
    );
  }
  const read: Partial<T> = {};
  for (const each of names) read[each] = options[each];
  return read as T;
}

/** An AbortSignal, or none. */
export function checkSignal(name: string, value: unknown): AbortSignal | undefined {
  if (value === undefined || isInstance(value, AbortSignal)) return value;
  wrongType(name, 'an AbortSignal', value);
}

/** A function, or none. */
export function checkCallback<T extends (...args: never[]) => void>(
  name: string,
  value: T | undefined,
): T | undefined {
  if (value === undefined) return value;
  if (typeof value !== 'function' || isRevoked(value)) wrongType(name, 'a function', value);
  return value;
}
