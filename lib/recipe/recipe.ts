/**
 * A recipe says how text becomes a fingerprint. Its canonical text is what stored data should carry; the id is
 * short for it. Two recipes give comparable fingerprints only when their texts are equal.
 *
 *     neardup:1 words ngrams=1..2 weight=log
 *     neardup:1 shingles width=3 weight=count
 *     neardup:1 chars n=5 weight=set
 */
import type { FeatureOptions } from '../engine.ts';
import { hashBytes } from '../ts/fingerprint/xxh3.ts';
import { checkInteger, checkOptions, outOfRange, wrongType } from '../validate.ts';

/** What a feature that occurs tf times weighs: `set` 1, `count` tf, `log` 1 + ln tf. */
export type Weighting = FeatureOptions['weight'];

/** How text becomes a fingerprint. */
export interface Recipe {
  /** The canonical text. */
  readonly text: string;
  /** The first 8 hex digits of the XXH3-64 of the canonical text. */
  readonly id: string;
  /** Raised when the same words come to mean other fingerprints. */
  readonly version: number;
  /** What the engines are told. */
  readonly features: FeatureOptions;
}

/** The longest n-gram, in words or code points. */
export const MAX_WIDTH = 100;

const VERSION = 1;
const WEIGHTINGS: readonly Weighting[] = ['set', 'count', 'log'];
const made = new WeakSet<object>();

function checkWeighting(value: unknown): Weighting {
  if (typeof value !== 'string') wrongType('weight', `one of ${WEIGHTINGS.join(', ')}`, value);
  const weighting = WEIGHTINGS.find((name) => name === value);
  return weighting ?? outOfRange('weight', `one of ${WEIGHTINGS.join(', ')}`, value);
}

function makeRecipe(name: string, detail: string, features: FeatureOptions): Recipe {
  const text = `neardup:${VERSION} ${name} ${detail} weight=${features.weight}`;
  const hash = hashBytes(new TextEncoder().encode(text), 0n);
  const id = hash.toString(16).padStart(16, '0').slice(0, 8);
  const recipe = Object.freeze({ text, id, version: VERSION, features: Object.freeze(features) });
  made.add(recipe);
  return recipe;
}

/** Options of `recipes.words`. */
export interface WordsOptions {
  /** Shortest and longest n-gram of words, [1, 1] by default; 1 to 100. */
  readonly ngrams?: readonly [number, number];
  /** `log` by default. */
  readonly weight?: Weighting;
}

/** Options of `recipes.shingles` and `recipes.chars`. */
export interface WeightOptions {
  /** `count` by default. */
  readonly weight?: Weighting;
}

/** The recipes. Each throws NeardupError (ERR_NEARDUP_INVALID_TYPE, ERR_NEARDUP_OUT_OF_RANGE) for bad options. */
export const recipes = Object.freeze({
  /** Words, or n-grams of words of several lengths together. */
  words(options?: WordsOptions): Recipe {
    const { ngrams = [1, 1], weight = 'log' } = checkOptions('options', options);
    if (!Array.isArray(ngrams)) wrongType('ngrams', 'an array of two numbers', ngrams);
    if (ngrams.length !== 2) outOfRange('ngrams.length', '2', ngrams.length);
    const min = checkInteger('ngrams[0]', ngrams[0], 1, MAX_WIDTH);
    const max = checkInteger('ngrams[1]', ngrams[1], min, MAX_WIDTH);
    const features = { unit: 'words', min, max, weight: checkWeighting(weight) } as const;
    return makeRecipe('words', `ngrams=${min}..${max}`, features);
  },

  /** Runs of `width` words, 1 to 100. A text with fewer words is one shingle. */
  shingles(width: number, options?: WeightOptions): Recipe {
    checkInteger('width', width, 1, MAX_WIDTH);
    const { weight = 'count' } = checkOptions('options', options);
    const features = { unit: 'words', min: width, max: width, weight: checkWeighting(weight) } as const;
    return makeRecipe('shingles', `width=${width}`, features);
  },

  /** Runs of `n` code points, 1 to 100, a run of separators being one space. A shorter text is one run. */
  chars(n: number, options?: WeightOptions): Recipe {
    checkInteger('n', n, 1, MAX_WIDTH);
    const { weight = 'count' } = checkOptions('options', options);
    const features = { unit: 'chars', min: n, max: n, weight: checkWeighting(weight) } as const;
    return makeRecipe('chars', `n=${n}`, features);
  },
});

const FORM =
  /^neardup:1 (?:words ngrams=(\d+)\.\.(\d+)|shingles width=(\d+)|chars n=(\d+)) weight=(set|count|log)$/;

/** The recipe of a canonical text. Throws ERR_NEARDUP_OUT_OF_RANGE where the text is not one. */
export function parseRecipe(text: string): Recipe {
  if (typeof text !== 'string') wrongType('recipe', 'a string', text);
  const [, min, max, width, n, weight] = FORM.exec(text) ?? [];
  const options = { weight: weight as Weighting };
  let recipe: Recipe | undefined;
  if (min !== undefined) recipe = recipes.words({ ngrams: [Number(min), Number(max)], ...options });
  if (width !== undefined) recipe = recipes.shingles(Number(width), options);
  if (n !== undefined) recipe = recipes.chars(Number(n), options);
  if (recipe?.text !== text) {
    outOfRange(
      'recipe',
      'the canonical text of a recipe, such as "neardup:1 shingles width=3 weight=count"',
      text,
    );
  }
  return recipe;
}

/** A recipe given as such or as its canonical text. */
export function checkRecipe(value: unknown): Recipe {
  if (typeof value === 'string') return parseRecipe(value);
  if (typeof value === 'object' && value !== null && made.has(value)) return value as Recipe;
  return wrongType('recipe', "a recipe made by `recipes` or a recipe's text", value);
}

/** The recipe used where none is given. */
export const DEFAULT_RECIPE: Recipe = recipes.shingles(3);
