/** Values that no function expects, made afresh for each use. */

/** Thrown by hostile objects themselves when they are touched: such an error may pass through. */
export class TrapError extends Error {}

function trap(): never {
  throw new TrapError('touched');
}

function detached(): Uint8Array {
  const bytes = new Uint8Array(8);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Each with a name for the message of a failing test. */
export const hostileValues: readonly (readonly [name: string, make: () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['true', () => true],
  ['NaN', () => Number.NaN],
  ['-1', () => -1],
  ['1.5', () => 1.5],
  ['2 ** 53', () => 2 ** 53],
  ['Infinity', () => Number.POSITIVE_INFINITY],
  ['-1n', () => -1n],
  ['2n ** 64n', () => 2n ** 64n],
  ['empty string', () => ''],
  ['string', () => 'hostile'],
  ['lone surrogate', () => '\ud800'],
  ['symbol', () => Symbol('hostile')],
  ['function', () => () => 1],
  ['object', () => ({})],
  ['object without prototype', () => Object.create(null)],
  ['array', () => []],
  ['array of null', () => [null]],
  ['sparse array', () => new Array(3)],
  ['date', () => new Date(Number.NaN)],
  ['detached bytes', detached],
  ['no real Uint8Array', () => Object.create(Uint8Array.prototype)],
  ['no real BigUint64Array', () => Object.create(BigUint64Array.prototype)],
  ['Float64Array of NaN', () => Float64Array.of(Number.NaN)],
  ['empty BigUint64Array', () => new BigUint64Array(0)],
  ['DataView', () => new DataView(new ArrayBuffer(8))],
  ['shared bytes', () => new Uint8Array(new SharedArrayBuffer(8))],
  ['throwing getters', () => new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap })],
  ['throwing valueOf', () => ({ valueOf: trap, toString: trap, [Symbol.toPrimitive]: trap })],
  ['throwing iterator', () => ({ [Symbol.iterator]: trap, [Symbol.asyncIterator]: trap })],
  ['revoked proxy', revoked],
];
