import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint, fingerprintFeatures, fingerprintHashes, recipes } from '../../lib/index.ts';
import { engines } from '../engines.ts';

const code = (suffix: string) => expect.objectContaining({ code: `ERR_NEARDUP_${suffix}` });
const hash = (feature: string) => engines[0].hashBytes(new TextEncoder().encode(feature), 0n);

/** The vote in whole steps of 1/65536, with BigInt. */
function naive(rows: readonly (readonly [bigint, number])[]): bigint | undefined {
  if (rows.length === 0) return undefined;
  const margins = new Array<bigint>(64).fill(0n);
  for (const [value, weight] of rows) {
    const steps = BigInt(Math.floor(weight * 65536 + 0.5));
    for (let bit = 0; bit < 64; bit++) margins[bit] += (value >> BigInt(bit)) & 1n ? steps : -steps;
  }
  return margins.reduce((sum, margin, bit) => (margin > 0n ? sum | (1n << BigInt(bit)) : sum), 0n);
}

const weight = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 1e6 }).map((n) => n / 65536),
);

describe('features of the caller', () => {
  it('vote by their weights, however they are given', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), weight), { maxLength: 40 }), (pairs) => {
        const expected = naive(pairs.map(([name, w]) => [hash(name), w]));
        const names = pairs.map(([name]) => name);
        const weights = pairs.map(([, w]) => w);
        expect(fingerprintFeatures(pairs)).toBe(expected);
        expect(fingerprintFeatures(names, weights)).toBe(expected);
        expect(fingerprintFeatures(names, Float64Array.from(weights))).toBe(expected);
        expect(fingerprintFeatures(names.values(), weights, recipes.features('mine'))).toBe(expected);
        expect(fingerprintHashes(BigUint64Array.from(names, hash), Float64Array.from(weights))).toBe(
          expected,
        );
        const map = new Map(pairs);
        expect(fingerprintFeatures(map)).toBe(naive([...map].map(([name, w]) => [hash(name), w])));
        expect(fingerprintFeatures(new Set(names))).toBe(
          naive([...new Set(names)].map((name) => [hash(name), 1])),
        );
        expect(fingerprintHashes(BigUint64Array.from(names, hash))).toBe(
          naive(names.map((n) => [hash(n), 1])),
        );
      }),
    );
  });

  it('are those of a text where they are its words', () => {
    expect(fingerprintFeatures(['the', 'fox', 'the'])).toBe(
      fingerprint('The fox, the', recipes.words({ weight: 'count' })),
    );
    expect(fingerprintFeatures([])).toBeUndefined();
    expect(fingerprintHashes(new BigUint64Array(0))).toBeUndefined();
  });

  const most = 2 ** 37;
  it.each<[string, () => unknown, string]>([
    ['a weight that is NaN', () => fingerprintFeatures([['a', Number.NaN]]), 'OUT_OF_RANGE'],
    ['a negative weight', () => fingerprintFeatures(new Map([['a', -1]])), 'OUT_OF_RANGE'],
    ['an infinite weight', () => fingerprintFeatures(['a'], [Number.POSITIVE_INFINITY]), 'OUT_OF_RANGE'],
    ['a weight as text', () => fingerprintFeatures([['a', '1']] as never), 'INVALID_TYPE'],
    ['a weight as bigint', () => fingerprintFeatures([['a', 1n]] as never), 'INVALID_TYPE'],
    ['a weight that is missing', () => fingerprintFeatures([['a', undefined]] as never), 'INVALID_TYPE'],
    ['a hole in the weights', () => fingerprintFeatures(['a', 'b'], new Array(2)), 'INVALID_TYPE'],
    ['a weight too large', () => fingerprintFeatures(['a'], [2 * most]), 'OUT_OF_RANGE'],
    ['weights too large together', () => fingerprintFeatures(['a', 'b'], [most, 1]), 'OUT_OF_RANGE'],
    ['the largest number', () => fingerprintFeatures(['a'], [Number.MAX_VALUE]), 'OUT_OF_RANGE'],
    ['fewer weights', () => fingerprintFeatures(['a', 'b'], [1]), 'OUT_OF_RANGE'],
    ['more weights', () => fingerprintFeatures(['a'], [1, 2]), 'OUT_OF_RANGE'],
    [
      'weights of another type',
      () => fingerprintFeatures(['a'], new Float32Array(1) as never),
      'INVALID_TYPE',
    ],
    ['a text as features', () => fingerprintFeatures('text'), 'INVALID_TYPE'],
    ['nothing as features', () => fingerprintFeatures(undefined as never), 'INVALID_TYPE'],
    ['an object as features', () => fingerprintFeatures({ a: 1 } as never), 'INVALID_TYPE'],
    ['a number as a feature', () => fingerprintFeatures([1] as never), 'INVALID_TYPE'],
    ['a triple as a feature', () => fingerprintFeatures([['a', 1, 2]] as never), 'INVALID_TYPE'],
    ['hashes of another type', () => fingerprintHashes([1n] as never), 'INVALID_TYPE'],
    ['signed hashes', () => fingerprintHashes(new BigInt64Array(1) as never), 'INVALID_TYPE'],
    [
      'hashes with fewer weights',
      () => fingerprintHashes(new BigUint64Array(2), new Float64Array(1)),
      'OUT_OF_RANGE',
    ],
    [
      'hashes with bad weights',
      () => fingerprintHashes(new BigUint64Array(1), Float64Array.of(-0.5)),
      'OUT_OF_RANGE',
    ],
    [
      'hashes too heavy',
      () => fingerprintHashes(new BigUint64Array(2), Float64Array.of(most, most)),
      'OUT_OF_RANGE',
    ],
    ['a recipe for texts', () => fingerprintFeatures(['a'], undefined, recipes.words()), 'UNSUPPORTED'],
    ['a text for features', () => fingerprint('a', recipes.features('mine')), 'UNSUPPORTED'],
    ['no recipe', () => fingerprintHashes(new BigUint64Array(1), undefined, 'mine'), 'OUT_OF_RANGE'],
  ])('%s is refused', (_, call, suffix) => {
    expect(call).toThrow(code(suffix));
  });

  it('a weight of -0 is 0, and weights of 0 decide nothing', () => {
    expect(fingerprintFeatures(['a', 'b'], [-0, 1])).toBe(hash('b'));
    expect(fingerprintFeatures(['a'], [0])).toBe(0n);
  });
});
