/** MinHash estimates against the exact similarity, within the error that is stated; banding by its curve. */
import { describe, expect, it } from 'vitest';
import {
  bandKeys,
  bandProbability,
  bandThreshold,
  chooseBands,
  estimateJaccard,
  estimateJaccardPacked,
  jaccard,
  MinHasher,
  packMinHash,
  shingles,
  standardError,
} from '../../lib/index.ts';
import { readTexts } from '../data.ts';

const licences = readTexts('licences')?.slice(0, 250) ?? [];

const word = (i: number) => `w${i}`;
const textOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => word(from + i)).join(' ');

/** Sets of exactly this similarity: of 1000 words, `common` in both. */
function pairOf(common: number, salt: number): [BigUint64Array, BigUint64Array] {
  const half = (1000 - common) / 2;
  const base = salt * 1000;
  return [
    shingles(textOf(base, base + common + half), 1),
    shingles(`${textOf(base, base + common)} ${textOf(base + common + half, base + 1000)}`, 1),
  ];
}

describe('estimates', () => {
  const permutations = 256;
  const runs = 60;
  const hasher = new MinHasher({ permutations });
  const pairs = new Map(
    [0, 200, 500, 900, 1000].map((common) => [
      common,
      Array.from({ length: runs }, (_, salt) => pairOf(common, salt).map((set) => hasher.sign(set)!)),
    ]),
  );

  it.each([undefined, 1, 2, 4, 8, 16])('of %s bits have the stated error and no bias', (bits) => {
    for (const [common, signed] of pairs) {
      let sum = 0;
      let squares = 0;
      for (const [a, b] of signed) {
        const estimate =
          bits === undefined
            ? estimateJaccard(a!, b!)
            : estimateJaccardPacked(packMinHash(a!, bits), packMinHash(b!, bits), { permutations, bits });
        const error = estimate - common / 1000;
        sum += error;
        squares += error * error;
      }
      const stated = standardError(common / 1000, permutations, bits);
      if (stated === 0) expect(squares).toBe(0);
      else {
        expect(Math.abs(sum / runs)).toBeLessThan((4 * stated) / Math.sqrt(runs));
        // The spread of 60 runs is within 40 % of the true one (over 4 standard deviations), unless chance
        // agreement is so rare that the runs hold none.
        if (common === 0 && (bits ?? 64) > 4) continue;
        expect(Math.sqrt(squares / runs) / stated).toBeGreaterThan(0.6);
        expect(Math.sqrt(squares / runs) / stated).toBeLessThan(1.4);
      }
    }
  });

  it.skipIf(licences.length === 0)(
    'of real texts lie within the stated error of the exact similarity',
    () => {
      const hasher = new MinHasher({ permutations: 128 });
      const sets = licences.map((text) => shingles(text));
      const signatures = sets.map((set) => hasher.sign(set));
      let pairs = 0;
      let squares = 0;
      let worst = 0;
      for (let i = 0; i < sets.length; i++) {
        for (let j = 0; j < i; j++) {
          const exact = jaccard(sets[i]!, sets[j]!);
          if (exact < 0.1 || exact > 0.95) continue;
          const error = estimateJaccard(signatures[i]!, signatures[j]!) - exact;
          const deviations = error / standardError(exact, 128);
          pairs++;
          squares += deviations * deviations;
          worst = Math.max(worst, Math.abs(deviations));
        }
      }
      expect(pairs).toBeGreaterThan(1000);
      expect(Math.sqrt(squares / pairs)).toBeGreaterThan(0.7);
      expect(Math.sqrt(squares / pairs)).toBeLessThan(1.3);
      expect(worst).toBeLessThan(6);
    },
  );

  it('equal sets agree, an empty set has no signature, seeds differ', () => {
    const hasher = new MinHasher();
    const set = shingles(textOf(0, 50));
    expect(hasher.sign(set)!.length).toBe(128);
    expect(estimateJaccard(hasher.sign(set)!, hasher.sign(set.slice())!)).toBe(1);
    expect(hasher.sign(new BigUint64Array(0))).toBe(undefined);
    expect(estimateJaccard(hasher.sign(set)!, new MinHasher({ seed: 1n }).sign(set)!)).toBeLessThan(0.1);
  });

  it('packs the lowest bits in order', () => {
    const signature = BigUint64Array.of(0xfedcn, 0x1234n, 0xabcdn);
    expect([...packMinHash(signature, 16)]).toEqual([0xdc, 0xfe, 0x34, 0x12, 0xcd, 0xab]);
    expect([...packMinHash(signature, 8)]).toEqual([0xdc, 0x34, 0xcd]);
    expect([...packMinHash(signature, 4)]).toEqual([0x4c, 0xd]);
    expect([...packMinHash(signature, 2)]).toEqual([0b010000]);
    expect([...packMinHash(signature, 1)]).toEqual([0b100]);
  });

  it('refuse what cannot be compared', () => {
    const eight = new BigUint64Array(8);
    expect(() => estimateJaccard(eight, new BigUint64Array(9))).toThrow(RangeError);
    expect(() => estimateJaccard(new BigUint64Array(0), new BigUint64Array(0))).toThrow(RangeError);
    expect(() => estimateJaccard(eight, [] as never)).toThrow(TypeError);
    expect(() => packMinHash(eight, 3)).toThrow(RangeError);
    const packed = packMinHash(eight, 4);
    expect(() => estimateJaccardPacked(packed, packed, { permutations: 10, bits: 4 })).toThrow(RangeError);
    expect(() => estimateJaccardPacked(packed, [] as never, { permutations: 8, bits: 4 })).toThrow(TypeError);
    expect(() => new MinHasher({ permutations: 0 })).toThrow(RangeError);
    expect(() => new MinHasher({ seed: 1 as never })).toThrow(TypeError);
    expect(() => new MinHasher().sign(BigUint64Array.of(2n, 1n))).toThrow(RangeError);
    expect(() => standardError(1.1, 10)).toThrow(RangeError);
  });
});

describe('banding', () => {
  it('has the published curve', () => {
    // Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, section 3.4.2, 20 bands of 5 rows.
    const curve = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8].map((s) => bandProbability(s, { bands: 20, rows: 5 }));
    const published = [0.006, 0.047, 0.186, 0.47, 0.802, 0.975, 0.9996];
    for (const [i, value] of published.entries()) expect(curve[i]).toBeCloseTo(value, 3);
    expect(bandThreshold({ bands: 16, rows: 4 })).toBeCloseTo(0.5, 12);
  });

  it('makes candidates as often as the curve says', () => {
    const cut = { bands: 20, rows: 5 };
    const hasher = new MinHasher({ permutations: 100 });
    for (const common of [400, 600, 800]) {
      const runs = 150;
      let candidates = 0;
      for (let salt = 0; salt < runs; salt++) {
        const [a, b] = pairOf(common, salt).map((set) => bandKeys(hasher.sign(set)!, cut));
        if (a!.some((key, i) => key === b![i])) candidates++;
      }
      const chance = bandProbability(common / 1000, cut);
      const deviation = Math.sqrt((chance * (1 - chance)) / runs);
      expect(Math.abs(candidates / runs - chance)).toBeLessThanOrEqual(4 * deviation + 1e-9);
    }
  });

  it.each([
    [128, 0.5],
    [128, 0.8],
    [64, 0.3],
    [32, 0.95],
  ])('chooses of %i minima the cut nearest to a step at %f', (permutations, threshold) => {
    const cost = (cut: { bands: number; rows: number }) => {
      let sum = 0;
      for (let i = 0; i < 2000; i++) {
        const s = (i + 0.5) / 2000;
        const chance = bandProbability(s, cut);
        sum += s < threshold ? chance : 1 - chance;
      }
      return sum / 2000;
    };
    const chosen = chooseBands(permutations, threshold);
    expect(chosen.bands * chosen.rows).toBeLessThanOrEqual(permutations);
    for (let rows = 1; rows <= permutations; rows++) {
      for (let bands = 1; bands * rows <= permutations; bands++) {
        expect(cost(chosen)).toBeLessThanOrEqual(cost({ bands, rows }) + 1e-3);
      }
    }
  });

  it('takes more candidates when what is missed weighs more', () => {
    const at = (missWeight: number) => bandProbability(0.6, chooseBands(128, 0.7, { missWeight }));
    expect(at(10)).toBeGreaterThan(at(1));
    expect(at(1)).toBeGreaterThan(at(0.1));
  });

  it('refuses bands that the signature does not have', () => {
    expect(() => bandKeys(new BigUint64Array(9), { bands: 5, rows: 2 })).toThrow(RangeError);
    expect(() => bandKeys(new BigUint64Array(9), { bands: 0, rows: 2 })).toThrow(RangeError);
    expect(() => bandKeys([] as never, { bands: 1, rows: 2 })).toThrow(TypeError);
    expect(() => bandProbability(2, { bands: 1, rows: 1 })).toThrow(RangeError);
    expect(() => chooseBands(128, -1)).toThrow(RangeError);
    expect(() => chooseBands(128, 0.5, { missWeight: 0 })).toThrow(RangeError);
  });
});
