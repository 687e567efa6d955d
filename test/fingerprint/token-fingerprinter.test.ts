/** Recipes that do something to the tokens, against the engine's own way and against a naive one. */
import fc from 'fast-check';
import { xxhash3 } from 'hash-wasm';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FeatureOptions } from '../../lib/engine.ts';
import { TokenFingerprinter } from '../../lib/fingerprint/token-fingerprinter.ts';
import { documentFrequency } from '../../lib/recipe/document-frequency.ts';
import type { Method, Recipe } from '../../lib/recipe/recipe.ts';
import { recipes } from '../../lib/recipe/recipes.ts';
import { engines } from '../engines.ts';
import { anyText } from '../texts.ts';

type Tokens = Extract<Method, { by: 'tokens' }>;

const PLAIN: FeatureOptions[] = [
  { unit: 'words', min: 1, max: 1, weight: 'log' },
  { unit: 'words', min: 3, max: 3, weight: 'count' },
  { unit: 'words', min: 1, max: 3, weight: 'set' },
  { unit: 'words', min: 2, max: 4, weight: 'log', stopWords: ['the', '東京'] },
];

const plain = (features: FeatureOptions): Tokens => ({
  by: 'tokens',
  features,
  stem: undefined,
  documentFrequency: undefined,
});

const methodOf = (recipe: Recipe) => recipe.method as Tokens;

/** The vote of ASCII words by the formula, in floating point, weights rounded to 1/65536. */
async function naive(
  text: string,
  stem: (word: string) => string,
  df: Map<string, number>,
  documents: number,
) {
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    counts.set(stem(word), (counts.get(stem(word)) ?? 0) + 1);
  }
  const margins = new Array<number>(64).fill(0);
  for (const [word, tf] of counts) {
    const idf = 1 + Math.log((1 + documents) / (1 + (df.get(word) ?? 0)));
    const steps = Math.round(65536 * ((Math.round(65536 * (1 + Math.log(tf))) / 65536) * idf));
    const hash = BigInt(`0x${await xxhash3(word)}`);
    for (let bit = 0; bit < 64; bit++) margins[bit] += (hash >> BigInt(bit)) & 1n ? steps : -steps;
  }
  return margins.map((steps) => steps / 65536);
}

describe.each(engines)('on the $backend engine', (engine) => {
  const makers = PLAIN.map((features) => ({
    ours: new TokenFingerprinter(plain(features), engine),
    engines: engine.createFingerprinter(features),
  }));

  it('without stems or document frequencies, votes are those of the engine', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { ours, engines } of makers) expect(ours.describe(text)).toEqual(engines.describe(text));
      }),
      { numRuns: 500 },
    );
    const texts = ['', 'a b c d', 'x '.repeat(100_000), `${'y'.repeat(200_000)} z`, '東京'.repeat(50_000)];
    for (const { ours, engines } of makers) {
      expect(ours.fingerprintBatch(texts)).toEqual(engines.fingerprintBatch(texts));
    }
  });

  it('wherever pieces end, also at punctuation that a mark changes', () => {
    const mark = fc.constantFrom('\u0338', '\u0301', '\u3099', '\u20d2', '\u0327', '');
    const sign = fc.constantFrom(
      '=',
      '<',
      '>',
      '。',
      '、',
      '，',
      '\u3000',
      '_',
      "'",
      '\0',
      '/',
      'x',
      'カ',
      '가',
    );
    const text = fc.array(fc.tuple(sign, mark, mark), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, (parts) => {
        const units = parts.flat().join('');
        for (const { ours, engines } of makers) {
          const hasher = ours.createHasher();
          for (const unit of units.split('')) hasher.update(unit);
          expect(hasher.digest()).toEqual(engines.describe(units));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('wherever the text is cut', () => {
    const sizes = fc.array(fc.nat(40), { maxLength: 20 });
    fc.assert(
      fc.property(anyText, sizes, (text, cuts) => {
        for (const { ours, engines } of makers) {
          const hasher = ours.createHasher();
          let at = 0;
          for (const size of [...cuts, text.length]) {
            hasher.update(text.slice(at, at + size));
            at += size;
          }
          expect(hasher.digest()).toEqual(engines.describe(text));
        }
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          anyText.map((text) => new TextEncoder().encode(text)),
          fc.uint8Array(),
        ),
        (bytes) => {
          for (const { ours, engines } of makers) {
            const hasher = ours.createHasher();
            for (let at = 0; at < bytes.length; at += 3) hasher.update(bytes.subarray(at, at + 3));
            expect(hasher.digest()).toEqual(engines.describe(bytes));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('where strings and bytes take turns, as the engine', () => {
    const chunk = fc.oneof(anyText, fc.uint8Array({ min: 0x60, maxLength: 5 }));
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 8 }), (chunks) => {
        for (const { ours, engines } of makers) {
          const [mine, theirs] = [ours.createHasher(), engines.createHasher()];
          for (const part of chunks) {
            mine.update(part);
            theirs.update(part);
          }
          expect(mine.digest()).toEqual(theirs.digest());
        }
      }),
      { numRuns: 300 },
    );
  });

  it('merges texts, also with itself', () => {
    for (const { ours, engines } of makers) {
      const [mine, theirs] = [ours, engines].map((maker) => {
        const [a, b] = [maker.createHasher(), maker.createHasher()];
        a.update('the quick brown the quick fox');
        b.update('fox jumps over the');
        a.merge(b);
        a.merge(a);
        expect(() => b.update('x')).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_CLOSED' }));
        return a.digest();
      });
      expect(mine).toEqual(theirs);
    }
  });

  describe('against a naive implementation', () => {
    const df = new Map([
      ['the', 99],
      ['polici', 40],
      ['run', 3],
      ['fox', 1],
    ]);
    const weight = documentFrequency({ documents: 100, frequencies: df });
    const stems: Record<string, string> = {
      policies: 'polici',
      policy: 'polici',
      running: 'run',
      runs: 'run',
    };
    const text = 'The policies: the policy of running. It RUNS, the fox runs; 42 x x x x x x x x x x';
    const close = (got: Float64Array, expected: number[]) => {
      for (const [bit, margin] of expected.entries()) expect(got[bit]).toBeCloseTo(margin, 3);
    };
    let same: (word: string) => string;
    beforeAll(() => {
      same = (word) => word;
    });

    it('weights by document frequency', async () => {
      const vote = new TokenFingerprinter(methodOf(recipes.words({ weight })), engine).describe(text);
      close(vote.margins, await naive(text, same, df, 100));
      expect(vote.features).toBe(22);
    });

    it('stems, with and without document frequencies', async () => {
      const stem = (word: string) => stems[word] ?? word;
      const both = new TokenFingerprinter(methodOf(recipes.words({ weight, stem: 'english' })), engine);
      close(both.describe(text).margins, await naive(text, stem, df, 100));
      // Every document has every feature: idf is 1.
      const all = new Map([...'the polici of run it fox 42 x'.split(' ')].map((word) => [word, 100]));
      const alone = new TokenFingerprinter(methodOf(recipes.words({ stem: 'english' })), engine);
      close(alone.describe(text).margins, await naive(text, stem, all, 100));
    });
  });

  it('counts features of n-grams over the batches of its own', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `w${(i * i) % 7919}`).join(' ');
    for (const { ours, engines } of makers) expect(ours.describe(words)).toEqual(engines.describe(words));
  });

  it('holds one endless token, word or character', () => {
    const stem = new TokenFingerprinter(methodOf(recipes.shingles(2, { stem: 'english' })), engine);
    expect(stem.describe('a'.repeat(5_000_000)).features).toBe(1);
    expect(stem.describe('running '.repeat(200_000)).features).toBe(199_999);
    expect(stem.describe('-'.repeat(5_000_000)).fingerprint).toBeUndefined();
    expect(stem.describe('東京。'.repeat(200_000)).features).toBe(199_999);
    expect(() => stem.describe('東'.repeat(5_000_000))).toThrow(
      expect.objectContaining({ code: 'ERR_NEARDUP_UNSUPPORTED' }),
    );
  });
});
