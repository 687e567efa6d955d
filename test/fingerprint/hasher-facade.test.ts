import { describe, expect, it } from 'vitest';
import {
  createFingerprinter,
  createHasher,
  documentFrequency,
  NeardupError,
  parseRecipe,
  recipes,
} from '../../lib/index.ts';

const code = (suffix: string) => expect.objectContaining({ code: `ERR_NEARDUP_${suffix}` });
const TEXT = 'Straße und Bäche; the running fox, der Fuchs — 東京都の狐 ran.';

const RECIPES = [
  recipes.words(),
  recipes.shingles(2, { stopWords: 'en', stem: 'english' }),
  recipes.words({ weight: documentFrequency({ documents: 10, frequencies: { fox: 1, the: 9 } }) }),
  recipes.chars(4),
  recipes.compat('python-simhash'),
];

describe.each(RECIPES.map((recipe) => [recipe.text, recipe] as const))('%s', (_, recipe) => {
  it('gives the value of the whole, from bytes cut anywhere', () => {
    const bytes = new TextEncoder().encode(TEXT);
    const whole = createFingerprinter(recipe).describe(TEXT);
    for (let step = 1; step < 9; step++) {
      const hasher = createHasher(recipe);
      for (let at = 0; at < bytes.length; at += step) {
        expect(hasher.update(bytes.subarray(at, at + step))).toBe(hasher);
      }
      expect(hasher.digest()).toBe(whole.fingerprint);
      expect(hasher.describe()).toEqual(whole);
    }
  });

  it('merges in either order', () => {
    const part = (text: string) => createHasher(recipe).update(text);
    const one = part('the fox ran').merge(part('and ran')).describe();
    expect(part('and ran').merge(part('the fox ran')).describe()).toEqual(one);
    expect(one.features).toBe(part('and ran').describe().features + part('the fox ran').describe().features);
  });

  it('is closed by digest', () => {
    const hasher = createHasher(recipe).update('fox');
    expect(hasher.digest()).toBe(hasher.digest());
    expect(() => hasher.update('x')).toThrow(code('CLOSED'));
  });
});

describe('Hasher', () => {
  it('refuses to merge what is not a hasher of the same recipe, naming both', () => {
    const [a, b] = [createHasher(recipes.words()), createHasher(recipes.shingles(3))];
    expect(() => a.merge(b)).toThrow(code('RECIPE_MISMATCH'));
    expect(() => a.merge(b)).toThrow(recipes.words().id);
    expect(() => a.merge(b)).toThrow(recipes.shingles(3).id);
    expect(a.merge(createHasher(parseRecipe(recipes.words().text))).digest()).toBeUndefined();
    for (const bad of [undefined, null, {}, { recipe: a.recipe }, Object.create(Object.getPrototypeOf(b))]) {
      expect(() => a.merge(bad as never)).toThrow(code('INVALID_TYPE'));
    }
  });

  it('refuses chunks that are not text', () => {
    for (const bad of [undefined, 1, [], new Uint16Array(1)]) {
      expect(() => createHasher().update(bad as never)).toThrow(NeardupError);
    }
  });

  it('tells what is too short', () => {
    const about = (text: string, minFeatures?: number) =>
      createHasher(recipes.words(), { minFeatures }).update(text).describe().tooShort;
    expect([
      about('', 1),
      about('one', 1),
      about('one two', 3),
      about('one two two', 3),
      about('a b c'),
      about('a b c d'),
    ]).toEqual([true, false, true, false, true, false]);
  });
});

describe('a hasher at its limits', () => {
  it.each([recipes.words(), recipes.shingles(1)])('counts to 2 ** 53 and no further: $text', (recipe) => {
    const hasher = createHasher(recipe).update('a b');
    for (let i = 0; i < 70; i++) hasher.merge(hasher);
    if (recipe.text.includes('weight=count')) expect(() => hasher.describe()).toThrow(code('OUT_OF_RANGE'));
    else expect(hasher.describe().features).toBe(2 ** 53);
  });

  it('gives no value of a part of a text', () => {
    const hasher = createHasher(recipes.words({ stem: 'english' })).update('hello world ');
    expect(() => hasher.update(`${'中'.repeat(2 ** 22 + 70_000)} more words`)).toThrow(code('UNSUPPORTED'));
    expect(() => hasher.digest()).toThrow(code('CLOSED'));
  });
});
