/** Arguments, texts and sizes that nobody should give: a clear error or the right value, never a crash. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Engine, FeatureOptions } from '../../lib/engine.ts';
import { engines, nativeEngine } from '../engines.ts';

const WORDS: FeatureOptions = { unit: 'words', min: 1, max: 1, weight: 'log' };
const RECIPES: FeatureOptions[] = [
  WORDS,
  { unit: 'words', min: 3, max: 3, weight: 'count' },
  { unit: 'chars', min: 5, max: 5, weight: 'set' },
];

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function codeOf(body: () => unknown): string | undefined {
  try {
    body();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

// Sizes that keep the suite fast.
const large: [name: string, text: string][] = [
  ['one character', 'a'.repeat(2_000_000)],
  ['one character of a script without spaces', '東'.repeat(200_000)],
  ['a single token of several characters', 'é1ß'.repeat(300_000)],
  ['a run of combining marks', `a${'\u0301\u0323\u0345'.repeat(100_000)}`],
  ['marks alone, in descending order', '\u0345'.repeat(1000) + '\u0301'.repeat(100_000)],
  ['punctuation', '.,;:!? '.repeat(200_000)],
  ['default ignorable characters', '\u00ad\u200d'.repeat(200_000)],
  ['lone surrogates', '\ud800'.repeat(200_000)],
  ['spaces around one word', `${' '.repeat(300_000)}word${' '.repeat(300_000)}`],
];

describe.each(large)('a text of %s', (_, text) => {
  it.each(RECIPES)(
    '$unit $min $weight: the same on both engines, as a string, as bytes, in pieces',
    (recipe) => {
      const makers = engines.map((engine) => engine.createFingerprinter(recipe));
      const votes = makers.flatMap((maker) => {
        const hasher = maker.createHasher();
        for (let at = 0; at < text.length; at += 99_999) hasher.update(text.slice(at, at + 99_999));
        return [maker.describe(text), maker.describe(encode(text)), hasher.digest()];
      });
      for (const vote of votes) expect(vote).toEqual(votes[0]);
    },
  );
});

describe.each(engines)('the $backend engine', (engine) => {
  const maker = engine.createFingerprinter(WORDS);
  const text = 'some words, some of them twice';
  const expected = maker.fingerprint(text);

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('reads bytes of shared, resizable and detached memory', () => {
    const bytes = encode(text);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    expect(maker.fingerprint(shared)).toBe(expected);
    const resizable = Reflect.construct(ArrayBuffer, [
      bytes.length + 9,
      { maxByteLength: 99 },
    ]) as ArrayBuffer & {
      resize(size: number): void;
    };
    const fixed = new Uint8Array(resizable, 0, bytes.length);
    fixed.set(bytes);
    const tracking = new Uint8Array(resizable);
    expect(maker.fingerprint(fixed)).toBe(expected);
    resizable.resize(bytes.length);
    expect(maker.fingerprint(tracking)).toBe(expected);
    resizable.resize(4);
    expect(maker.fingerprint(tracking)).toBe(maker.fingerprint('some'));
    expect(maker.fingerprint(fixed)).toBeUndefined();
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    expect(maker.fingerprint(bytes)).toBeUndefined();
    expect(maker.fingerprintBatch([bytes, shared])).toEqual(maker.fingerprintBatch(['', text]));
  });

  it('reads shared memory that another thread would change as it is at the call', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(0x61);
    const { result } = engine.fingerprintBatchAsync([maker], [shared]);
    shared.fill(0x80);
    expect(await result).toEqual([maker.fingerprintBatch(['aaaaaaaa'])]);
  });

  it('gives distances of 0 to 64, for any number of codes', () => {
    const codes = BigUint64Array.from({ length: 131 }, (_, i) => (1n << BigInt(Math.min(i, 64))) - 1n);
    for (let n = 0; n <= codes.length; n++) {
      expect(engine.distances(codes.subarray(131 - n), 0n)).toEqual(
        Uint8Array.from({ length: n }, (_, i) => Math.min(131 - n + i, 64)),
      );
    }
    expect(engine.distances(codes, 2n ** 64n - 1n)[0]).toBe(64);
  });

  // The native one's is tested with its core.
  it.skipIf(engine.backend === 'native')(
    'memory refused: an error, and the fingerprinter is still good',
    () => {
      const hasher = maker.createHasher();
      const distinct = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ');
      class Refused {
        constructor() {
          throw new RangeError('Array buffer allocation failed');
        }
      }
      vi.stubGlobal('Uint32Array', Refused);
      const codes = [
        () => maker.describe(distinct),
        () => hasher.update(distinct),
        () => maker.tokens(distinct),
      ].map(codeOf);
      vi.unstubAllGlobals();
      expect(codes).toEqual(Array(3).fill('ERR_NEARDUP_OUT_OF_MEMORY'));
      expect(maker.fingerprint(text)).toBe(expected);
      // A part of the text is missing: no value is better than a wrong one.
      expect(codeOf(() => hasher.update('more'))).toBe('ERR_NEARDUP_CLOSED');
      expect(codeOf(() => hasher.digest())).toBe('ERR_NEARDUP_CLOSED');
      expect(codeOf(() => maker.createHasher().merge(hasher))).toBe('ERR_NEARDUP_CLOSED');
    },
  );
});

describe.skipIf(nativeEngine === undefined)('the addon itself', () => {
  const native = nativeEngine as Engine;
  const boom = (): never => {
    throw new Error('thrown by a getter');
  };
  const revoked = (): object => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const sparse: unknown[] = [];
  sparse.length = 2 ** 32 - 1;
  const values: unknown[] = [
    undefined,
    null,
    true,
    'a string',
    Symbol('hostile'),
    7,
    Number.NaN,
    -1n,
    2n ** 70n,
    boom,
    {},
    sparse,
    ['a string'],
    [7],
    { unit: 'chars', min: 1e9, max: -3, weight: Symbol('hostile'), stopWords: [7, 'a'] },
    {
      get unit() {
        return boom();
      },
    },
    new Proxy({}, { get: boom, has: boom, getPrototypeOf: boom }),
    revoked(),
    new Proxy(['a'], { get: boom }),
    Object.create(Uint8Array.prototype),
    new DataView(new ArrayBuffer(8)),
    new Float64Array(3),
    new BigUint64Array(3),
    new Uint8Array(3),
  ];

  it('crashes on no argument and on no `this`', () => {
    const maker = native.createFingerprinter(WORDS);
    const hasher = maker.createHasher();
    const index = native.createIndex({ maxDistance: 3 });
    const selves: unknown[] = [maker, hasher, index, ...values];
    const objects = [native, maker, hasher] as unknown as Record<string, (...values: unknown[]) => unknown>[];
    for (const object of objects) {
      const prototype = object === objects[0] ? object : Object.getPrototypeOf(object);
      const methods = Object.getOwnPropertyNames(prototype).filter(
        (name) => name !== 'constructor' && typeof object[name] === 'function',
      );
      expect(methods.length).toBeGreaterThan(2);
      for (const name of methods) {
        for (const a of selves) {
          codeOf(() => object[name].call(a, 'a text'));
          for (const b of selves) codeOf(() => object[name].call(object, a, b));
        }
      }
    }
    for (const object of [maker, hasher, index]) {
      for (const value of selves) codeOf(() => Reflect.construct(object.constructor, [value]));
    }
    expect(codeOf(() => Reflect.construct(hasher.constructor, [hasher]))).toBe('ERR_NEARDUP_INVALID_TYPE');
    expect(codeOf(() => hasher.merge(maker as never))).toBe('ERR_NEARDUP_INVALID_TYPE');
    expect(maker.fingerprint('a text')).toBe(native.createFingerprinter(WORDS).fingerprint('a text'));
  });
});
