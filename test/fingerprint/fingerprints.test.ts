import { afterEach, describe, expect, it } from 'vitest';
import {
  createFingerprinter,
  documentFrequency,
  fingerprints,
  NeardupError,
  recipes,
} from '../../lib/index.ts';

const code = (suffix: string) => expect.objectContaining({ code: `ERR_NEARDUP_${suffix}` });

const RECIPES = [
  recipes.words(),
  recipes.words({ stem: 'english' }),
  recipes.shingles(3, { stopWords: 'en' }),
  recipes.compat('simhash-py'),
  recipes.words({ weight: documentFrequency({ documents: 9, frequencies: { word1: 3 } }) }),
  recipes.chars(5),
];

const texts = Array.from({ length: 400 }, (_, i) =>
  i % 7 === 0 ? '!' : Array.from({ length: i % 50 }, (_, j) => `word${(i * j) % 23}`).join(' '),
);

describe('fingerprints', () => {
  it('gives those of the default recipe, in order', async () => {
    expect(await fingerprints(texts)).toEqual(createFingerprinter().fingerprintBatch(texts));
    expect(await fingerprints([])).toEqual({
      fingerprints: new BigUint64Array(0),
      features: new Float64Array(0),
    });
  });

  it('takes several recipes, of all kinds, in one pass', async () => {
    const expected = RECIPES.map((recipe) => createFingerprinter(recipe).fingerprintBatch(texts));
    expect(await fingerprints(texts, { recipes: RECIPES })).toEqual(expected);
    const backwards = [...RECIPES].reverse().map(({ text }, i) => (i % 3 === 1 ? RECIPES[5 - i] : text));
    // Document frequencies and own lists cannot be read from the text.
    backwards[1] = RECIPES[4];
    expect(await fingerprints(texts, { recipes: backwards as never })).toEqual([...expected].reverse());
    for (const [i, recipe] of RECIPES.entries()) {
      expect(await fingerprints(texts, { recipe })).toEqual(expected[i]);
    }
  });

  it('takes generators, sync and async, and bytes', async () => {
    const expected = await fingerprints(texts, { recipes: RECIPES.slice(0, 2) });
    const encoder = new TextEncoder();
    async function* slowly() {
      for (const text of texts) yield encoder.encode(text);
    }
    expect(await fingerprints(new Set(texts).values())).toEqual(await fingerprints([...new Set(texts)]));
    expect(await fingerprints(slowly(), { recipes: RECIPES.slice(0, 2) })).toEqual(expected);
  });

  it('does not see bytes that change while it works', async () => {
    const bytes = Array.from({ length: 50 }, () => Buffer.from('the running dogs '.repeat(200)));
    const recipe = recipes.words({ stem: 'english' });
    const expected = createFingerprinter(recipe).fingerprintBatch(bytes);
    const promise = fingerprints(bytes, { recipe });
    await new Promise(setImmediate);
    for (const text of bytes) text.fill(32);
    expect(await promise).toEqual(expected);
  });

  it('tells how far it is', async () => {
    const seen: number[] = [];
    await fingerprints(texts, { recipes: RECIPES, onProgress: (count) => seen.push(count) });
    expect(seen.at(-1)).toBe(texts.length);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  describe('with a signal', () => {
    const large = Array.from({ length: 300 }, (_, i) => `running ${i} dogs `.repeat(3000));
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    afterEach(() => process.off('unhandledRejection', listen));

    it.each([
      ['the engine', recipes.words()],
      ['code over it', recipes.words({ stem: 'english' })],
    ])('ends the work of %s with the reason', async (_, recipe) => {
      process.on('unhandledRejection', listen);
      const reason = new Error('enough');
      const controller = new AbortController();
      const promise = fingerprints(large, {
        recipes: [recipe, recipes.shingles(3)],
        signal: controller.signal,
        onProgress: () => controller.abort(reason),
      });
      await expect(promise).rejects.toBe(reason);
      await expect(fingerprints(large, { signal: controller.signal })).rejects.toBe(reason);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(unhandled).toEqual([]);
    });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['a text for texts', () => fingerprints('text' as never), 'INVALID_TYPE'],
    ['bytes for texts', () => fingerprints(new Uint8Array(3) as never), 'INVALID_TYPE'],
    ['nothing', () => fingerprints(undefined as never), 'INVALID_TYPE'],
    ['an object', () => fingerprints({} as never), 'INVALID_TYPE'],
    ['a number among the texts', () => fingerprints(['a', 1] as never), 'INVALID_TYPE'],
    ['a hole among the texts', () => fingerprints(new Array(2)), 'INVALID_TYPE'],
    ['null for options', () => fingerprints([], null as never), 'INVALID_TYPE'],
    ['no recipes', () => fingerprints([], { recipes: [] }), 'OUT_OF_RANGE'],
    ['recipes that are none', () => fingerprints([], { recipes: 'x' as never }), 'INVALID_TYPE'],
    ['both', () => fingerprints([], { recipe: recipes.words(), recipes: [] } as never), 'OUT_OF_RANGE'],
    ['an unknown recipe', () => fingerprints([], { recipe: 'x' }), 'OUT_OF_RANGE'],
    ['a recipe of features', () => fingerprints([], { recipe: recipes.features('x') }), 'UNSUPPORTED'],
    ['a signal that is none', () => fingerprints([], { signal: {} as never }), 'INVALID_TYPE'],
    ['progress to nobody', () => fingerprints([], { onProgress: 1 as never }), 'INVALID_TYPE'],
  ])('rejects %s', async (_, call, suffix) => {
    await expect(call()).rejects.toThrow(NeardupError);
    await expect(call()).rejects.toEqual(code(suffix));
  });
});
