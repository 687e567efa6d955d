/** The recipes there are. Their canonical texts, after `neardup:1 `, with the parts in brackets where given:
 *
 *     words ngrams=1..2 [stop=en@stopwords-iso/1.1.0] [stem=english@snowball-stemmers/0.6.0] weight=log [idf=N/FEATURES/HASH]
 *     shingles width=3 [stop=own/COUNT/HASH] [stem=…] weight=count [idf=…]
 *     chars n=5 weight=set
 *     features name=NAME
 *     compat LIBRARY
 */
import type { FeatureOptions } from '../engine.ts';
import { checkInteger, checkOptions, isArray, isInstance, outOfRange, wrongType } from '../validate.ts';
import { type CompatName, checkCompatName } from './compat/libraries.ts';
import { DocumentFrequency } from './document-frequency.ts';
import { STEMMER_LIBRARY } from './libraries.ts';
import { makeRecipe, type Recipe } from './recipe.ts';
import { checkAlgorithm } from './stemmer.ts';
import { readStopWords, type StopWordsOption } from './stop-words.ts';
import { checkWeighting, type Weighting } from './weighting.ts';

/** The longest n-gram, in words or code points. */
export const MAX_WIDTH = 100;

/** Options of `recipes.chars`. */
export interface WeightOptions {
  /** `count` by default. */
  readonly weight?: Weighting;
}

/** Options of `recipes.shingles`. */
export interface ShinglesOptions {
  /** `count` by default. */
  readonly weight?: Weighting | DocumentFrequency;
  /**
   * Words left out before shingles are made: a list of the library stopwords-iso by the code of its language
   * (`en`), or your own. They are folded as text is; what folds to several words (don't) equals none, and is
   * without effect.
   */
  readonly stopWords?: StopWordsOption;
  /** Words are replaced by their stems, by this algorithm of the library snowball-stemmers: `english`, `german`, … */
  readonly stem?: string;
}

/** Options of `recipes.words`. */
export interface WordsOptions extends Omit<ShinglesOptions, 'weight'> {
  /** Shortest and longest n-gram of words, [1, 1] by default; 1 to 100. */
  readonly ngrams?: readonly [number, number];
  /** `log` by default. */
  readonly weight?: Weighting | DocumentFrequency;
}

/** The recipe of word n-grams of `min` to `max` words. */
function wordRecipe(head: string, min: number, max: number, options: Required<WordParts>): Recipe {
  const { weight } = options;
  const idf = isInstance(weight, DocumentFrequency) ? weight : undefined;
  const tf = idf?.tf ?? checkWeighting(weight);
  const stop = options.stopWords === undefined ? undefined : readStopWords(options.stopWords);
  const stem = options.stem === undefined ? undefined : checkAlgorithm(options.stem);
  const form = [head];
  if (stop) form.push(`stop=${stop.name}`);
  if (stem !== undefined) form.push(`stem=${stem}@${STEMMER_LIBRARY}`);
  form.push(`weight=${tf}`);
  if (idf) form.push(`idf=${idf.name}`);
  const features: FeatureOptions = Object.freeze({
    unit: 'words',
    min,
    max,
    weight: tf,
    ...(stop ? { stopWords: Object.freeze(stop.words) } : {}),
  });
  return makeRecipe(
    form.join(' '),
    stem === undefined && idf === undefined
      ? { by: 'engine', features }
      : { by: 'tokens', features, stem, documentFrequency: idf },
  );
}

interface WordParts {
  readonly weight: Weighting | DocumentFrequency;
  readonly stopWords?: StopWordsOption | undefined;
  readonly stem?: string | undefined;
}

const NAME = /^[A-Za-z0-9._+/-]{1,64}$/;

/**
 * The recipes. Each throws NeardupError for bad options: ERR_NEARDUP_INVALID_TYPE, ERR_NEARDUP_OUT_OF_RANGE, or
 * ERR_NEARDUP_UNSUPPORTED where a library is missing.
 */
export const recipes = Object.freeze({
  /** Words, or n-grams of words of several lengths together. A text with fewer words is one n-gram. */
  words(options?: WordsOptions): Recipe {
    const {
      ngrams = [1, 1],
      weight = 'log',
      stopWords,
      stem,
    } = checkOptions('options', options, ['ngrams', 'weight', 'stopWords', 'stem']);
    if (!isArray(ngrams)) wrongType('ngrams', 'an array of two numbers', ngrams);
    if (ngrams.length !== 2) outOfRange('ngrams.length', '2', ngrams.length);
    const min = checkInteger('ngrams[0]', ngrams[0], 1, MAX_WIDTH);
    const max = checkInteger('ngrams[1]', ngrams[1], min, MAX_WIDTH);
    return wordRecipe(`words ngrams=${min}..${max}`, min, max, { weight, stopWords, stem });
  },

  /** Runs of `width` words, 1 to 100. A text with fewer words is one shingle. */
  shingles(width: number, options?: ShinglesOptions): Recipe {
    checkInteger('width', width, 1, MAX_WIDTH);
    const {
      weight = 'count',
      stopWords,
      stem,
    } = checkOptions('options', options, ['weight', 'stopWords', 'stem']);
    return wordRecipe(`shingles width=${width}`, width, width, { weight, stopWords, stem });
  },

  /** Runs of `n` code points, 1 to 100, a run of separators being one space. A shorter text is one run. */
  chars(n: number, options?: WeightOptions): Recipe {
    checkInteger('n', n, 1, MAX_WIDTH);
    const { weight = 'count' } = checkOptions('options', options, ['weight']);
    const tf = checkWeighting(weight);
    const features = Object.freeze({ unit: 'chars', min: n, max: n, weight: tf } as const);
    return makeRecipe(`chars n=${n} weight=${tf}`, { by: 'engine', features });
  },

  /**
   * Features that you make yourself (see `fingerprintFeatures`), under a name that you change whenever the way
   * they are made changes: 1 to 64 of A-Z a-z 0-9 . _ + / -.
   */
  features(name: string): Recipe {
    if (typeof name !== 'string') wrongType('name', 'a string', name);
    if (!NAME.test(name)) outOfRange('name', '1 to 64 of the characters A-Z a-z 0-9 . _ + / -', name);
    return makeRecipe(`features name=${name}`, { by: 'caller' });
  },

  /** Fingerprints that equal those of another library. */
  compat(name: CompatName): Recipe {
    const compat = checkCompatName(name);
    return makeRecipe(`compat ${compat.name}`, { by: 'compat', compat });
  },
});
