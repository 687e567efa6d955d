import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureOptions } from '../../lib/engine.ts';
import { tsEngine } from '../../lib/ts/engine.ts';
import { readTexts } from '../data.ts';
import { nativeEngine } from '../engines.ts';
import { anyText } from '../texts.ts';

const RECIPES: FeatureOptions[] = [
  { unit: 'words', min: 1, max: 1, weight: 'log' },
  { unit: 'words', min: 3, max: 3, weight: 'count' },
  { unit: 'words', min: 2, max: 2, weight: 'set', stopWords: ['the', 'of', 'und', 'のは'] },
  { unit: 'words', min: 1, max: 3, weight: 'log' },
  { unit: 'chars', min: 5, max: 5, weight: 'count' },
];

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe.skipIf(nativeEngine === undefined)('both engines give the same', () => {
  const native = nativeEngine as NonNullable<typeof nativeEngine>;
  const makers = RECIPES.map((recipe) => ({
    recipe,
    native: native.createFingerprinter(recipe),
    js: tsEngine.createFingerprinter(recipe),
  }));

  for (const name of ['licences', 'policies']) {
    const texts = readTexts(name);
    describe.skipIf(texts === undefined)(`for all of ${name}`, () => {
      // The mix of n-grams costs three times the others: the smaller set will do.
      it.each(makers.filter(({ recipe }) => name === 'licences' || recipe.min === recipe.max))(
        '$recipe.unit $recipe.min..$recipe.max $recipe.weight',
        ({ native, js }) => {
          const ours = native.fingerprintBatch(texts as string[]);
          expect(js.fingerprintBatch(texts as string[])).toEqual(ours);
          expect(native.fingerprintBatch((texts as string[]).map(encode))).toEqual(ours);
          expect(js.fingerprintBatch((texts as string[]).slice(0, 100).map(encode)).features).toEqual(
            ours.features.subarray(0, 100),
          );
        },
      );
    });
  }

  it('for random texts: votes and tokens', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { native, js } of makers) {
          expect(native.describe(text)).toEqual(js.describe(text));
          expect(native.tokens(text)).toEqual(js.tokens(text));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('for random bytes, valid UTF-8 or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const { native, js } of makers) {
          const expected = js.describe(new TextDecoder().decode(bytes));
          expect(js.describe(bytes)).toEqual(expected);
          expect(native.describe(bytes)).toEqual(expected);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('for weighted hashes', () => {
    const weight = fc.oneof(
      fc.double({ min: 0, max: 2 ** 36, noNaN: true }),
      fc.integer({ min: 0, max: 300 }).map((n) => n / 131072),
    );
    const pairs = fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), weight), { maxLength: 600 });
    fc.assert(
      fc.property(pairs, (rows) => {
        const hashes = BigUint64Array.from(rows, ([hash]) => hash);
        const weights = Float64Array.from(rows, ([, w]) => w);
        expect(native.accumulate(hashes)).toEqual(tsEngine.accumulate(hashes));
        const outcome = (engine: typeof native): unknown => {
          try {
            return engine.accumulate(hashes, weights);
          } catch (error) {
            return [(error as { code: string }).code, (error as Error).message];
          }
        };
        expect(outcome(native)).toEqual(outcome(tsEngine));
      }),
      { numRuns: 300 },
    );
  });

  it('for hashes of strings', () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        expect(native.hashStrings(texts)).toEqual(tsEngine.hashStrings(texts));
      }),
    );
  });
});
