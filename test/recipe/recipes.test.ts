import fc from 'fast-check';
import stopWordLists from 'stopwords-iso' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import {
  createFingerprinter,
  documentFrequency,
  fingerprint,
  hamming,
  parseRecipe,
  type Recipe,
  recipes,
} from '../../lib/index.ts';

const code = (suffix: string) => expect.objectContaining({ code: `ERR_NEARDUP_${suffix}` });
const P = 'neardup:1 ';

const frequencies = { the: 900, fox: 3, quick: 10 };
const idf = documentFrequency({ documents: 1000, frequencies });

const RECIPES: [Recipe, string][] = [
  [recipes.words(), 'words ngrams=1..1 weight=log'],
  [recipes.words({ ngrams: [1, 3], weight: 'set' }), 'words ngrams=1..3 weight=set'],
  [
    recipes.words({ stopWords: 'en', stem: 'english' }),
    'words ngrams=1..1 stop=en@stopwords-iso/1.1.0 stem=english@snowball-stemmers/0.6.0 weight=log',
  ],
  [
    recipes.shingles(2, { stem: 'german' }),
    'shingles width=2 stem=german@snowball-stemmers/0.6.0 weight=count',
  ],
  [recipes.shingles(5, { weight: 'log' }), 'shingles width=5 weight=log'],
  [recipes.chars(7), 'chars n=7 weight=count'],
  [recipes.features('title+body/2'), 'features name=title+body/2'],
  [recipes.compat('go-simhash'), 'compat go-simhash'],
];

describe('canonical texts', () => {
  it.each(RECIPES)('%#: say what the recipe is, and parse back', (recipe, text) => {
    expect(recipe.text).toBe(P + text);
    expect(parseRecipe(recipe.text)).toEqual(recipe);
    expect(recipe.id).toMatch(/^[0-9a-f]{8}$/);
    expect(recipe.version).toBe(1);
  });

  it('have ids of their own, which never change', () => {
    expect(new Set(RECIPES.map(([{ id }]) => id)).size).toBe(RECIPES.length);
    expect(RECIPES.map(([{ id }]) => id)).toMatchInlineSnapshot(`
      [
        "53e79af3",
        "057cf422",
        "ff4819a3",
        "0ee98735",
        "424bd3e6",
        "467d75ee",
        "76aaf932",
        "bb1ee4df",
      ]
    `);
  });

  it('pin own stop words by their count and hash, whatever their order and case', () => {
    const one = recipes.words({ stopWords: ['The', 'of', "don't", 'OF'] });
    expect(one.text).toMatch(/^neardup:1 words ngrams=1\.\.1 stop=own\/2\/[0-9a-f]{16} weight=log$/);
    expect(recipes.words({ stopWords: new Set(['of', 'the']) }).text).toBe(one.text);
    expect(recipes.words({ stopWords: ['of', 'an'] }).text).not.toBe(one.text);
    expect(() => parseRecipe(one.text)).toThrow(code('UNSUPPORTED'));
  });

  it('pin document frequencies, whatever their order and container', () => {
    const one = recipes.words({ weight: idf });
    expect(one.text).toMatch(/^neardup:1 words ngrams=1\.\.1 weight=log idf=1000\/3\/[0-9a-f]{16}$/);
    const same = new Map(Object.entries(frequencies).reverse()).set('absent', 0);
    expect(recipes.words({ weight: documentFrequency({ documents: 1000, frequencies: same }) }).text).toBe(
      one.text,
    );
    for (const other of [
      documentFrequency({ documents: 1001, frequencies }),
      documentFrequency({ documents: 1000, frequencies, tf: 'count' }),
      documentFrequency({ documents: 1000, frequencies: { ...frequencies, fox: 4 } }),
    ]) {
      expect(recipes.words({ weight: other }).text).not.toBe(one.text);
    }
    expect(() => parseRecipe(one.text)).toThrow(code('UNSUPPORTED'));
  });

  it('of a library in another version are refused', () => {
    for (const text of [
      'words ngrams=1..1 stop=en@stopwords-iso/1.0.0 weight=log',
      'words ngrams=1..1 stop=en@stopwords-iso weight=log',
      'shingles width=2 stem=english@snowball-stemmers/0.7.0 weight=count',
    ]) {
      expect(() => parseRecipe(P + text)).toThrow(code('UNSUPPORTED'));
    }
  });

  it('that are not canonical are refused', () => {
    for (const text of [
      '',
      'neardup:2 chars n=3 weight=set',
      `${P}chars n=03 weight=set`,
      `${P}chars n=3 weight=set `,
      `${P}chars n=3 stop=en@stopwords-iso/1.1.0 weight=set`,
      `${P}shingles width=3 weight=idf`,
      `${P}words ngrams=2..1 weight=log`,
      `${P}words ngrams=1..1000 weight=log`,
      `${P}words ngrams=1..1 stop=en weight=log`,
      `${P}words ngrams=1..1 stop=xx@stopwords-iso/1.1.0 weight=log`,
      `${P}words ngrams=1..1 stem=klingon@snowball-stemmers/0.6.0 weight=log`,
      `${P}features name=${'x'.repeat(65)}`,
      `${P}compat python`,
      'x'.repeat(1000),
    ]) {
      expect(() => parseRecipe(text), text).toThrow(code('OUT_OF_RANGE'));
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => parseRecipe(P + text)).toThrow(code('OUT_OF_RANGE'));
      }),
    );
  });
});

describe('options', () => {
  it.each<[string, () => unknown, string]>([
    ['width 0', () => recipes.shingles(0), 'OUT_OF_RANGE'],
    ['width 101', () => recipes.shingles(101), 'OUT_OF_RANGE'],
    ['a huge width', () => recipes.shingles(1e15), 'OUT_OF_RANGE'],
    ['an infinite n', () => recipes.chars(Number.POSITIVE_INFINITY), 'OUT_OF_RANGE'],
    ['a width as text', () => recipes.shingles('3' as never), 'INVALID_TYPE'],
    ['n that is NaN', () => recipes.chars(Number.NaN), 'OUT_OF_RANGE'],
    ['null for options', () => recipes.chars(3, null as never), 'INVALID_TYPE'],
    ['ngrams backwards', () => recipes.words({ ngrams: [2, 1] }), 'OUT_OF_RANGE'],
    ['one ngram', () => recipes.words({ ngrams: [1] as never }), 'OUT_OF_RANGE'],
    ['a number for ngrams', () => recipes.words({ ngrams: 2 as never }), 'INVALID_TYPE'],
    ['an unknown weight', () => recipes.words({ weight: 'idf' as never }), 'OUT_OF_RANGE'],
    ['a number for a weight', () => recipes.words({ weight: 2 as never }), 'INVALID_TYPE'],
    ['chars by document frequency', () => recipes.chars(3, { weight: idf as never }), 'INVALID_TYPE'],
    ['an unknown language', () => recipes.words({ stopWords: 'english' }), 'OUT_OF_RANGE'],
    ['a key that objects have', () => recipes.words({ stopWords: 'constructor' }), 'OUT_OF_RANGE'],
    ['a number as stop word', () => recipes.words({ stopWords: [1] as never }), 'INVALID_TYPE'],
    ['a number for stop words', () => recipes.words({ stopWords: 1 as never }), 'INVALID_TYPE'],
    ['an unknown stemmer', () => recipes.words({ stem: 'en' }), 'OUT_OF_RANGE'],
    ['true for a stemmer', () => recipes.words({ stem: true as never }), 'INVALID_TYPE'],
    ['a name with a space', () => recipes.features('a b'), 'OUT_OF_RANGE'],
    ['no name', () => recipes.features(undefined as never), 'INVALID_TYPE'],
    ['an unknown library', () => recipes.compat('toString' as never), 'OUT_OF_RANGE'],
    ['a number for a library', () => recipes.compat(1 as never), 'INVALID_TYPE'],
    ['a forged recipe', () => createFingerprinter({ ...recipes.words() }), 'INVALID_TYPE'],
    ['null for a recipe', () => createFingerprinter(null as never), 'INVALID_TYPE'],
    ['no minimum', () => createFingerprinter(recipes.words(), { minFeatures: 0 }), 'OUT_OF_RANGE'],
    ['no documents', () => documentFrequency({ documents: 0, frequencies: {} }), 'OUT_OF_RANGE'],
    ['more than all', () => documentFrequency({ documents: 2, frequencies: { a: 3 } }), 'OUT_OF_RANGE'],
    [
      'a negative frequency',
      () => documentFrequency({ documents: 2, frequencies: { a: -1 } }),
      'OUT_OF_RANGE',
    ],
    ['half a document', () => documentFrequency({ documents: 2, frequencies: { a: 0.5 } }), 'OUT_OF_RANGE'],
    [
      'a frequency as text',
      () => documentFrequency({ documents: 2, frequencies: { a: '1' as never } }),
      'INVALID_TYPE',
    ],
    [
      'keys of numbers',
      () => documentFrequency({ documents: 2, frequencies: new Map([[1, 1]]) as never }),
      'INVALID_TYPE',
    ],
    ['no frequencies', () => documentFrequency({ documents: 2 } as never), 'INVALID_TYPE'],
    ['nothing', () => documentFrequency(undefined as never), 'INVALID_TYPE'],
  ])('%s is refused', (_, make, suffix) => {
    expect(make).toThrow(code(suffix));
  });

  it('recipes cannot be changed', () => {
    const recipe = recipes.words({ stopWords: ['a'] });
    for (const part of [recipe, recipe.method, (recipe.method as { features: object }).features]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});

describe('stop words', () => {
  it('of a kept list are left out before n-grams are made', () => {
    const shingles = createFingerprinter(recipes.shingles(2, { stopWords: 'en' }));
    expect(shingles.features('The fox AND the lazy dog')).toEqual(
      new Map([
        ['fox lazy', 1],
        ['lazy dog', 1],
      ]),
    );
    for (const language of ['de', 'ja', 'ru', 'ar']) {
      const list = (stopWordLists as Record<string, string[]>)[language] as string[];
      const kept = createFingerprinter(recipes.words({ stopWords: language }));
      const own = createFingerprinter(recipes.words({ stopWords: list }));
      const text = `${list.join(' , ')} xylophon`;
      expect(kept.fingerprint(text)).toBe(own.fingerprint(text));
      // Only parts of entries that are several tokens may be left.
      const parts = new Set(list.filter((entry) => /\P{L}|\p{Lo}/u.test(entry)).join(' '));
      for (const feature of kept.features(text).keys()) {
        if (feature !== 'xylophon') expect([...feature].every((char) => parts.has(char))).toBe(true);
      }
    }
  });

  it('alone make no fingerprint', () => {
    expect(fingerprint('The and of', recipes.words({ stopWords: 'en' }))).toBeUndefined();
  });
});

describe('stems', () => {
  it('make one feature of the forms of a word', () => {
    const recipe = recipes.words({ stem: 'english' });
    const a = 'Policies are running';
    expect(fingerprint(a, recipe)).toBe(fingerprint('policy are runs', recipe));
    expect(createFingerprinter(recipe).features(a)).toEqual(
      new Map([
        ['polici', 1],
        ['are', 1],
        ['run', 1],
      ]),
    );
    expect(hamming(fingerprint(a) as bigint, fingerprint('policy are runs') as bigint)).toBeGreaterThan(0);
  });
});
