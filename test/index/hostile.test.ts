import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { NeardupError } from '../../lib/errors.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { engines } from '../engines.ts';

// The engine of each test is set here, in the place of the one that the environment would choose.
let engine: Engine;
vi.mock('../../lib/backend.ts', () => ({ currentEngine: () => engine }));

const thrown = new Error('thrown by a getter');
const boom = () => {
  throw thrown;
};

function detached<T extends { buffer: ArrayBufferLike }>(array: T): T {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  return array;
}

/** Values that are neither a number, a bigint, nor an array, whatever is asked for. */
const strangers: [string, unknown][] = [
  ['null', null],
  ['true', true],
  ['a string', '12'],
  ['an empty string', ''],
  ['a symbol', Symbol('hostile')],
  ['a function', () => 1],
  ['an object', {}],
  ['an object with a throwing valueOf', { valueOf: boom, toString: boom, [Symbol.toPrimitive]: boom }],
  ['a proxy that throws', new Proxy({}, { get: boom, has: boom, getPrototypeOf: boom, ownKeys: boom })],
  ['a revoked proxy', revoked()],
  ['a date', new Date()],
  ['a fake typed array', Object.create(BigUint64Array.prototype)],
  ['a DataView', new DataView(new ArrayBuffer(8))],
  ['an ArrayBuffer', new ArrayBuffer(8)],
];

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const numbers: [string, number][] = [
  ['NaN', Number.NaN],
  ['-1', -1],
  ['1.5', 1.5],
  ['2 ** 53', 2 ** 53],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];

const TYPE = 'ERR_NEARDUP_INVALID_TYPE';
const RANGE = 'ERR_NEARDUP_OUT_OF_RANGE';

type Row = [name: string, value: unknown];
const refused = (code: string, rows: readonly Row[]) =>
  rows.map(([name, value]): [string, unknown, string] => [name, value, code]);

/** What is no fingerprint, id, maxDistance (of an index of 3), limit, list of fingerprints, list of 2 ids, options. */
const wrong: Record<string, [string, unknown, string][]> = {
  fingerprint: [
    ...refused(TYPE, [...strangers, ...numbers, ['1', 1], ['undefined', undefined]]),
    ...refused(RANGE, [
      ['-1n', -1n],
      ['2n ** 64n', 2n ** 64n],
      ['2n ** 200n', 2n ** 200n],
    ]),
  ],
  id: [...refused(TYPE, [...strangers, ['1n', 1n], ['undefined', undefined]]), ...refused(RANGE, numbers)],
  maxDistance: [
    ...refused(TYPE, [...strangers, ['1n', 1n]]),
    ...refused(RANGE, [...numbers, ['4, over that of the index', 4], ['17', 17]]),
  ],
  limit: [...refused(TYPE, [...strangers, ['1n', 1n]]), ...refused(RANGE, [...numbers, ['0', 0]])],
  fingerprints: refused(TYPE, [
    ...strangers,
    ['undefined', undefined],
    ['an array of bigints', [1n, 2n]],
    ['a BigInt64Array', new BigInt64Array(2)],
    ['a Float64Array', new Float64Array(2)],
    ['a Uint32Array', new Uint32Array(4)],
    ['a proxy of one', new Proxy(new BigUint64Array(2), {})],
    ['a detached one', detached(new BigUint64Array(2))],
  ]),
  ids: [
    ...refused(TYPE, [
      ...strangers,
      ['undefined', undefined],
      ['a BigUint64Array', new BigUint64Array(2)],
      ['an Int32Array', new Int32Array(2)],
      ['an array-like object', { length: 2, 0: 1, 1: 2 }],
      ['an array with a hole', new Array(2)],
      ...strangers.map(([name, value]): Row => [`an array with ${name}`, [1, value]]),
    ]),
    ...refused(RANGE, [
      ['too few', [1]],
      ['too many', [1, 2, 3]],
      ['a length that lies', Object.defineProperty(new Float64Array(3), 'length', { value: 2 })],
      ['a detached Float64Array', detached(new Float64Array(2))],
      ...numbers.map(([name, value]): Row => [`an array with ${name}`, [1, value]]),
      ...numbers.map(([name, value]): Row => [`a Float64Array with ${name}`, Float64Array.of(1, value)]),
    ]),
  ],
  options: refused(TYPE, [
    ...strangers.filter(([, value]) => typeof value !== 'object' || value === null),
    ['1n', 1n],
    ['5', 5],
  ]),
};

const two = BigUint64Array.of(1n, 2n);
type Call = (index: HammingIndex, value: never) => unknown;

/** Every argument of every method, with what it is made of. */
const places: [string, string, Call][] = [
  ['add(fingerprint)', 'fingerprint', (index, value) => index.add(value, 1)],
  ['add(id)', 'id', (index, value) => index.add(1n, value)],
  ['addBatch(fingerprints)', 'fingerprints', (index, value) => index.addBatch(value, [1, 2])],
  ['addBatch(ids)', 'ids', (index, value) => index.addBatch(two, value)],
  ['query(fingerprint)', 'fingerprint', (index, value) => index.query(value)],
  ['query(options)', 'options', (index, value) => index.query(1n, value)],
  ['query({maxDistance})', 'maxDistance', (index, value) => index.query(1n, { maxDistance: value })],
  ['query({limit})', 'limit', (index, value) => index.query(1n, { limit: value })],
  ['queryBatch(fingerprints)', 'fingerprints', (index, value) => index.queryBatch(value)],
  ['queryBatch(options)', 'options', (index, value) => index.queryBatch(two, value)],
  [
    'queryBatch({maxDistance})',
    'maxDistance',
    (index, value) => index.queryBatch(two, { maxDistance: value }),
  ],
  ['queryBatch({limit})', 'limit', (index, value) => index.queryBatch(two, { limit: value })],
  ['addIfNew(fingerprint)', 'fingerprint', (index, value) => index.addIfNew(value, 1)],
  ['addIfNew(id)', 'id', (index, value) => index.addIfNew(1n, value)],
  ['addIfNew(options)', 'options', (index, value) => index.addIfNew(1n, 1, value)],
  ['addIfNew({maxDistance})', 'maxDistance', (index, value) => index.addIfNew(1n, 1, { maxDistance: value })],
  ['addIfNewBatch(fingerprints)', 'fingerprints', (index, value) => index.addIfNewBatch(value, [1, 2])],
  ['addIfNewBatch(ids)', 'ids', (index, value) => index.addIfNewBatch(two, value)],
  ['addIfNewBatch(options)', 'options', (index, value) => index.addIfNewBatch(two, [1, 2], value)],
  [
    'addIfNewBatch({maxDistance})',
    'maxDistance',
    (index, value) => index.addIfNewBatch(two, [1, 2], { maxDistance: value }),
  ],
];

/** The error of a call; undefined when it returns. */
function errorOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(engines)('$backend engine: hostile arguments', (each) => {
  let index: HammingIndex;
  beforeEach(() => {
    engine = each;
    index = new HammingIndex();
    index.add(7n, 7);
  });

  test.each(places)('%s', (_, kind, call) => {
    for (const [name, value, code] of wrong[kind] ?? []) {
      const error = errorOf(() => call(index, value as never)) as NeardupError;
      expect(error, name).toBeInstanceOf(NeardupError);
      expect(error, name).toBeInstanceOf(code === TYPE ? TypeError : RangeError);
      expect(error.code, name).toBe(code);
    }
    expect(index.size).toBe(1);
    expect(index.query(7n)).toEqual([{ id: 7, distance: 0 }]);
  });

  test('new HammingIndex(options)', () => {
    for (const [name, value, code] of wrong.options ?? []) {
      expect(
        errorOf(() => new HammingIndex(value as never)),
        name,
      ).toMatchObject({ code });
    }
    for (const [name, value, code] of wrong.maxDistance ?? []) {
      if (value === 4) continue;
      expect(
        errorOf(() => new HammingIndex({ maxDistance: value as never })),
        name,
      ).toMatchObject({ code });
    }
  });

  test('what a getter throws passes through, and nothing is added', () => {
    const ids = [1, 2];
    Object.defineProperty(ids, 1, { get: boom });
    const options = Object.defineProperty({}, 'maxDistance', { get: boom });
    expect(errorOf(() => index.addBatch(two, ids))).toBe(thrown);
    expect(errorOf(() => index.addIfNewBatch(two, ids))).toBe(thrown);
    expect(errorOf(() => index.query(1n, options))).toBe(thrown);
    expect(errorOf(() => index.addIfNew(1n, 1, options))).toBe(thrown);
    expect(errorOf(() => new HammingIndex(options))).toBe(thrown);
    expect(index.size).toBe(1);
  });

  test('a getter that changes its answer, closes the index, or takes the fingerprints away', () => {
    let reads = 0;
    const changing = [1, 2];
    Object.defineProperty(changing, 1, { get: () => (reads++ === 0 ? 2 : -1) });
    index.addBatch(two, changing);
    expect(index.query(2n, { maxDistance: 0 })).toEqual([{ id: 2, distance: 0 }]);

    const taken = BigUint64Array.of(8n, 9n);
    const taking = [1, 2];
    Object.defineProperty(taking, 1, { get: () => detached(taken) && 2 });
    expect(errorOf(() => index.addBatch(taken, taking))).toMatchObject({ code: TYPE });

    const closing = [1, 2];
    Object.defineProperty(closing, 1, { get: () => index.close() ?? 2 });
    expect(errorOf(() => index.addBatch(two, closing))).toMatchObject({ code: 'ERR_NEARDUP_CLOSED' });
  });

  test('methods called on anything else', () => {
    const prototype = HammingIndex.prototype;
    const calls: ((self: never) => unknown)[] = [
      (self) => prototype.add.call(self, 1n, 1),
      (self) => prototype.addBatch.call(self, two, [1, 2]),
      (self) => prototype.query.call(self, 1n),
      (self) => prototype.queryBatch.call(self, two),
      (self) => prototype.addIfNew.call(self, 1n, 1),
      (self) => prototype.addIfNewBatch.call(self, two, [1, 2]),
      (self) => prototype.close.call(self),
      (self) => prototype[Symbol.dispose].call(self),
      (self) => Reflect.get(prototype, 'size', self),
      (self) => Reflect.get(prototype, 'maxDistance', self),
      (self) => Reflect.get(prototype, 'closed', self),
    ];
    const selves = [undefined, ...strangers.map(([, value]) => value), Object.create(index), prototype];
    for (const call of calls) {
      for (const self of selves) {
        expect(errorOf(() => call(self as never))).toMatchObject({ code: TYPE });
      }
    }
    expect(index.closed).toBe(false);
  });

  // The native one's is tested with its core.
  test.skipIf(each.backend === 'native')('memory refused: an error, and the index holds what it held', () => {
    const fingerprints = new BigUint64Array(5000);
    const ids = Array.from(fingerprints, (_, i) => i);
    class Refused {
      constructor() {
        throw new RangeError('Array buffer allocation failed');
      }
    }
    vi.stubGlobal('Uint32Array', Refused);
    const errors = [
      errorOf(() => index.addBatch(fingerprints, ids)),
      errorOf(() => index.addIfNewBatch(two, [1, 2])),
    ];
    vi.unstubAllGlobals();
    for (const error of errors) expect(error).toMatchObject({ code: 'ERR_NEARDUP_OUT_OF_MEMORY' });
    expect(index.size).toBe(1);
    expect(index.query(7n)).toEqual([{ id: 7, distance: 0 }]);
    index.addBatch(fingerprints, ids);
    expect(index.size).toBe(5001);
  });
});

test.skipIf(engines.length < 2)('the addon itself crashes on no value', () => {
  const native = engines[0] as Engine;
  const values: unknown[] = [
    undefined,
    ...strangers.map(([, value]) => value),
    ...numbers.map(([, value]) => value),
    -1n,
    two,
    detached(new BigUint64Array(2)),
    detached(new Float64Array(2)),
    Float64Array.of(1, 2),
    Float64Array.of(Number.NaN, -5),
    1,
  ];
  for (const value of values) {
    errorOf(() => native.createIndex(value as never));
    errorOf(() => native.createIndex({ maxDistance: value as never }));
  }
  const columns = { time: true, tag: true, second: true };
  const batches = values.flatMap((value) => [
    value,
    { fingerprints: value },
    { fingerprints: two, ids: value },
    { fingerprints: two, ids: Float64Array.of(1, 2), times: value, tags: value, secondFingerprints: value },
    { fingerprints: two, tags: value, secondFingerprints: value },
    { distance: value, limit: 1 },
    { distance: 3, limit: value, secondDistance: value, since: value },
  ]);
  const methods = [
    'addBatch',
    'addBatchAsync',
    'addIfNewBatch',
    'addIfNewOne',
    'queryBatch',
    'queryBatchAsync',
    'queryOne',
    'removeBatch',
    'removeBefore',
    'join',
    'pairs',
  ] as const;
  for (const options of [{ maxDistance: 3 }, { maxDistance: 3, columns }]) {
    const index = native.createIndex(options);
    const loader = index.loader();
    for (const method of methods) {
      const call = index[method] as (...values: unknown[]) => unknown;
      for (const a of batches) {
        for (const b of [...batches, { distance: 3, limit: 1 }]) errorOf(() => call.call(index, a, b, b));
        expect(errorOf(() => call.call(a, two, Float64Array.of(1, 2), 3))).toBeInstanceOf(TypeError);
      }
    }
    for (const batch of batches) errorOf(() => loader.add(batch as never));
    index.close();
    for (const method of methods) {
      const call = index[method] as (...values: unknown[]) => unknown;
      expect(errorOf(() => call.call(index, two, 3, 3))).toMatchObject({ code: 'ERR_NEARDUP_CLOSED' });
    }
    expect(errorOf(() => loader.finish())).toMatchObject({ code: 'ERR_NEARDUP_CLOSED' });
    expect(index.size).toBe(0);
    index.close();
  }
});
