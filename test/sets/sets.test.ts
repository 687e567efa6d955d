/** Set measures against Set and Map of strings, on small texts and on licences that resemble each other. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  containment,
  contentDigest,
  cosine,
  jaccard,
  recipes,
  shingles,
  weightedFeatures,
} from '../../lib/index.ts';

const WORDS = 'a b c d e f'.split(' ');
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join(' '));

/** The shingles of a text of such words, as strings with their counts. */
function shingleStrings(from: string, width: number): Map<string, number> {
  const words = from.split(' ').filter(Boolean);
  const counts = new Map<string, number>();
  const count = (shingle: string) => counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
  if (words.length > 0 && words.length < width) count(words.join(' '));
  for (let i = 0; i + width <= words.length; i++) count(words.slice(i, i + width).join(' '));
  return counts;
}

const common = (a: Map<string, number>, b: Map<string, number>) => [...a.keys()].filter((key) => b.has(key));

describe('shingles', () => {
  it('are the distinct runs of words, as sorted hashes', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (from, width) => {
        const set = shingles(from, width);
        expect(set.length).toBe(shingleStrings(from, width).size);
        expect(set).toEqual(set.slice().sort());
      }),
    );
    // XXH3-64 of 'a b', the published function: the README shows it in other languages.
    expect(shingles('A, b!', 2)).toEqual(weightedFeatures('a b', recipes.shingles(2)).hashes);
    expect(shingles('a b c').length).toBe(1);
    expect(shingles('').length).toBe(0);
    expect(shingles(new TextEncoder().encode('É é'), 1).length).toBe(1);
  });

  it('refuse other than texts and widths', () => {
    expect(() => shingles(5 as never)).toThrow(TypeError);
    expect(() => shingles('a', 0)).toThrow(RangeError);
    expect(() => shingles('a', 101)).toThrow(RangeError);
    expect(() => shingles('a', '2' as never)).toThrow(TypeError);
  });
});

describe('measures', () => {
  it('jaccard and containment are those of the sets of strings', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 3 }), (a, b, width) => {
        const x = shingleStrings(a, width);
        const y = shingleStrings(b, width);
        const both = common(x, y).length;
        const either = new Set([...x.keys(), ...y.keys()]).size;
        expect(jaccard(shingles(a, width), shingles(b, width))).toBe(either === 0 ? 0 : both / either);
        expect(containment(shingles(a, width), shingles(b, width))).toBe(x.size === 0 ? 0 : both / x.size);
      }),
    );
  });

  it('compare all 64 bits', () => {
    const values = [0n, 1n, 0xffff_ffffn, 0x1_0000_0000n, 0x8000_0000_0000_0000n, 0xffff_ffff_ffff_ffffn];
    fc.assert(
      fc.property(fc.subarray(values), fc.subarray(values), (a, b) => {
        const either = new Set([...a, ...b]).size;
        const both = a.filter((value) => b.includes(value)).length;
        expect(jaccard(BigUint64Array.from(a), BigUint64Array.from(b))).toBe(
          either === 0 ? 0 : both / either,
        );
      }),
    );
  });

  it('cosine is that of the vectors of weights', () => {
    const weigh = { set: () => 1, count: (tf: number) => tf, log: (tf: number) => 1 + Math.log(tf) };
    fc.assert(
      fc.property(text, text, fc.constantFrom('set', 'count', 'log'), (a, b, weight) => {
        const recipe = recipes.words({ weight });
        const x = shingleStrings(a, 1);
        const y = shingleStrings(b, 1);
        const norm = (counts: Map<string, number>) =>
          Math.hypot(...Array.from(counts.values(), (tf) => weigh[weight](tf)));
        let product = 0;
        for (const key of common(x, y)) product += weigh[weight](x.get(key)!) * weigh[weight](y.get(key)!);
        const expected = product === 0 ? 0 : product / (norm(x) * norm(y));
        // Logarithmic weights are taken in steps of 1/65536.
        expect(cosine(weightedFeatures(a, recipe), weightedFeatures(b, recipe))).toBeCloseTo(expected, 4);
      }),
    );
    const same = weightedFeatures('a b b c c c');
    expect(cosine(same, same)).toBe(1);
  });

  it('refuse what is no set, and weights that do not fit', () => {
    expect(() => jaccard([1n] as never, new BigUint64Array(0))).toThrow(TypeError);
    for (const values of [
      [2n, 1n],
      [1n, 1n],
      [0x1_0000_0000n, 1n],
    ]) {
      expect(() => jaccard(BigUint64Array.from(values), new BigUint64Array(0))).toThrow(RangeError);
      expect(() => containment(new BigUint64Array(0), BigUint64Array.from(values))).toThrow(RangeError);
    }
    const { hashes, weights } = weightedFeatures('a b c d e');
    expect(() => cosine({ hashes, weights: weights.subarray(1) }, { hashes, weights })).toThrow(RangeError);
    expect(() => cosine({ hashes, weights }, { hashes, weights: [1] as never })).toThrow(TypeError);
    expect(() => cosine(undefined as never, { hashes, weights })).toThrow(TypeError);
  });
});

describe('contentDigest', () => {
  it('is the digest of the bytes', () => {
    // FIPS 180-2, appendix B.1, and RFC 1321, appendix A.5.
    expect(contentDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(contentDigest('abc', 'md5')).toBe('900150983cd24fb0d6963f7d28e17f72');
    expect(contentDigest('é')).toBe(contentDigest(new Uint8Array([0xc3, 0xa9])));
    expect(contentDigest('e\u0301')).not.toBe(contentDigest('é'));
    expect(() => contentDigest('a', 'nonsense')).toThrow(RangeError);
    expect(() => contentDigest(5 as never)).toThrow(TypeError);
  });
});
