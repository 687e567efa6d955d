/** Document signatures by their definition and their chances; the index against a list that is searched through. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agreement,
  bandKeys,
  DocumentSigner,
  jaccard,
  MinHasher,
  SignatureIndex,
  type SignatureMatch,
  shingles,
} from '../../lib/index.ts';
import { readTexts } from '../data.ts';

const licences = readTexts('licences')?.slice(0, 200) ?? [];

describe('DocumentSigner', () => {
  it('makes checksums of groups of minima of the shingles', () => {
    const text = 'one two three four five six seven eight nine ten';
    const signer = new DocumentSigner({ checksums: 3, minima: 5, width: 2, seed: 9n });
    const minima = new MinHasher({ permutations: 15, seed: 9n }).sign(shingles(text, 2))!;
    expect(signer.sign(text)).toEqual(bandKeys(minima, { bands: 3, rows: 5 }));
    expect(signer.recipe).toBe('neardup-signature:1 checksums=3 minima=5 width=2 seed=9');
    expect(new DocumentSigner().recipe).toBe('neardup-signature:1 checksums=4 minima=6 width=4 seed=0');
  });

  it('signs by words: case, accents and punctuation as in fingerprints; nothing without words', () => {
    const signer = new DocumentSigner();
    expect(signer.sign('One, two; THREE four cafe\u0301')).toEqual(signer.sign('one two three four café'));
    expect(signer.sign('one')).toEqual(signer.sign('One!'));
    expect(signer.sign(' ,.! ')).toBe(undefined);
    expect(signer.sign('')).toBe(undefined);
  });

  it('states the chance of a match: binomial in jaccard^minima', () => {
    const signer = new DocumentSigner({ checksums: 4, minima: 2 });
    const p = 0.7 ** 2;
    expect(signer.matchProbability(0.7)).toBeCloseTo(1 - (1 - p) ** 4, 12);
    expect(signer.matchProbability(0.7, 3)).toBeCloseTo(4 * p ** 3 * (1 - p) + p ** 4, 12);
    expect(signer.matchProbability(0.7, 4)).toBeCloseTo(p ** 4, 12);
    expect([signer.matchProbability(0), signer.matchProbability(1)]).toEqual([0, 1]);
    expect(() => signer.matchProbability(0.5, 5)).toThrow(RangeError);
    expect(() => signer.matchProbability(-0.1)).toThrow(RangeError);
  });

  it.skipIf(licences.length === 0)('agrees on real texts in a checksum as often as jaccard^minima', () => {
    // Pairs that share boilerplate agree together, so one checksum says little: many are counted.
    const texts = licences;
    const sets = texts.map((text) => shingles(text, 4));
    const seeds = [0n, 1n, 2n, 3n].map((seed) => new DocumentSigner({ minima: 3, checksums: 64, seed }));
    const signatures = seeds.map((seeded) => texts.map((text) => seeded.sign(text)!));
    let expected = 0;
    let found = 0;
    for (let i = 0; i < texts.length; i++) {
      for (let j = 0; j < i; j++) {
        expected += 64 * seeds.length * jaccard(sets[i]!, sets[j]!) ** 3;
        for (const ofSeed of signatures) found += agreement(ofSeed[i]!, ofSeed[j]!);
      }
    }
    expect(expected).toBeGreaterThan(1000);
    expect(found / expected).toBeGreaterThan(0.85);
    expect(found / expected).toBeLessThan(1.15);
  });

  it.each([
    [{ checksums: 0 }],
    [{ checksums: 65 }],
    [{ minima: 0 }],
    [{ width: 101 }],
    [{ seed: -1n }],
    [{ seed: 0 }],
  ])('refuses %o', (options) => {
    const code = expect.stringMatching(/^ERR_NEARDUP_(?:INVALID_TYPE|OUT_OF_RANGE)$/);
    expect(() => new DocumentSigner(options as object)).toThrow(expect.objectContaining({ code }));
  });
});

describe('agreement', () => {
  it('counts equal checksums at the same place', () => {
    expect(agreement(BigUint64Array.of(1n, 2n, 3n), BigUint64Array.of(1n, 3n, 3n))).toBe(2);
    expect(() => agreement(new BigUint64Array(1), new BigUint64Array(2))).toThrow(RangeError);
    expect(() => agreement([] as never, new BigUint64Array(2))).toThrow(TypeError);
  });
});

/** What the index promises, by looking at every entry. */
function search(entries: readonly [BigUint64Array, number][], signature: BigUint64Array, atLeast: number) {
  const best = new Map<number, number>();
  for (const [held, id] of entries) {
    const count = agreement(held, signature);
    if (count >= atLeast && count > (best.get(id) ?? 0)) best.set(id, count);
  }
  const matches: SignatureMatch[] = Array.from(best, ([id, count]) => ({ id, agreement: count }));
  return matches.sort((a, b) => b.agreement - a.agreement || a.id - b.id);
}

describe('SignatureIndex', () => {
  // Few values, halves that tie and repeat: many agreements, the same checksum at several places.
  const value = fc.constantFrom(0n, 1n, 0x1_0000_0000n, 0x1_0000_0001n, 0xffff_ffff_ffff_ffffn);
  const signature = fc
    .array(value, { minLength: 3, maxLength: 3 })
    .map((values) => BigUint64Array.from(values));

  it('finds what a search through all entries finds', () => {
    const entries = fc.array(fc.tuple(signature, fc.integer({ min: 0, max: 20 })), { maxLength: 40 });
    fc.assert(
      fc.property(entries, signature, fc.integer({ min: 1, max: 3 }), (held, query, atLeast) => {
        const index = new SignatureIndex({ checksums: 3, atLeast });
        for (const [held_, id] of held) index.add(held_, id);
        expect(index.size).toBe(held.length);
        const expected = search(held, query, atLeast);
        expect(index.query(query)).toEqual(expected);
        expect(index.query(query, { limit: 2 })).toEqual(expected.slice(0, 2));
        const before = index.size;
        const added = index.addIfNew(query, 99);
        expect(added).toEqual(expected.length === 0 ? { added: true } : { added: false, match: expected[0] });
        expect(index.size).toBe(before + (added.added ? 1 : 0));
      }),
    );
  });

  it('keeps all entries while it grows', () => {
    const count = 5000;
    const index = new SignatureIndex({ checksums: 2 });
    const at = (i: number) =>
      BigUint64Array.of(BigInt(i) << 20n, (BigInt(i) * 0x9e37_79b9_7f4a_7c15n) % 2n ** 64n);
    for (let i = 0; i < count; i++) index.add(at(i), i);
    for (let i = 0; i < count; i++) expect(index.query(at(i))).toEqual([{ id: i, agreement: 2 }]);
    // A checksum at another place is another checksum.
    expect(index.query(BigUint64Array.of(at(7)[1]!, at(7)[0]!))).toEqual([]);
  });

  it('refuses signatures of another length, ids that are none', () => {
    const index = new SignatureIndex();
    const four = new BigUint64Array(4);
    expect(() => index.add(new BigUint64Array(3), 0)).toThrow(RangeError);
    expect(() => index.query([] as never)).toThrow(TypeError);
    expect(() => index.add(four, -1)).toThrow(RangeError);
    expect(() => index.addIfNew(four, 0.5)).toThrow(RangeError);
    expect(() => index.query(four, { limit: -1 })).toThrow(RangeError);
    expect(index.size).toBe(0);
    expect(() => new SignatureIndex({ checksums: 4, atLeast: 5 })).toThrow(RangeError);
    expect(() => new SignatureIndex({ checksums: 0 })).toThrow(RangeError);
  });
});
