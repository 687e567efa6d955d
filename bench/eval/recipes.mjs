// The recipes that are compared, alone and in pairs.
import {
  createFingerprinter,
  DEFAULT_RECIPE,
  DEFAULT_VERIFICATION,
  documentFrequency,
  recipes,
} from '../../dist/index.mjs';

/** Weights by document frequencies counted over the texts themselves. */
function countedOver(texts, recipe, tf) {
  const fingerprinter = createFingerprinter(recipe);
  const frequencies = new Map();
  for (const text of texts) {
    for (const feature of fingerprinter.features(text).keys()) {
      frequencies.set(feature, (frequencies.get(feature) ?? 0) + 1);
    }
  }
  return documentFrequency({ documents: texts.length, frequencies, tf });
}

/** Recipes with names for a table. */
export function singleRecipes(texts) {
  const words = recipes.words();
  const idf = countedOver(texts, words, 'log');
  return [
    ['words, set', recipes.words({ weight: 'set' })],
    ['words, count', recipes.words({ weight: 'count' })],
    ['words, log', words],
    ['words, log, without English stop words', recipes.words({ stopWords: 'en' })],
    ['words, log, English stems', recipes.words({ stem: 'english' })],
    ['words, log, without stop words, stems', recipes.words({ stopWords: 'en', stem: 'english' })],
    ['words, log, by document frequency', recipes.words({ weight: idf })],
    ['1- and 2-grams of words, log', recipes.words({ ngrams: [1, 2] })],
    ['1- to 3-grams of words, log', recipes.words({ ngrams: [1, 3] })],
    ['2-shingles, count', recipes.shingles(2)],
    ['3-shingles, count', recipes.shingles(3)],
    ['3-shingles, set', recipes.shingles(3, { weight: 'set' })],
    ['4-shingles, count', recipes.shingles(4)],
    ['runs of 5 characters, count', recipes.chars(5)],
    ['runs of 8 characters, set', recipes.chars(8, { weight: 'set' })],
  ];
}

/** Pairs of a first recipe and one that confirms; the first pair is the default. */
export function verifiedRecipes() {
  return [
    ['words, log; 3-shingles, set (the default)', DEFAULT_RECIPE, DEFAULT_VERIFICATION],
    ['words, log; 3-shingles, count', recipes.words(), recipes.shingles(3)],
    ['words, log; 2-shingles, count', recipes.words(), recipes.shingles(2)],
    [
      'words, log, without stop words; 3-shingles, set',
      recipes.words({ stopWords: 'en' }),
      DEFAULT_VERIFICATION,
    ],
    [
      '1- and 2-grams of words, log; 3-shingles, set',
      recipes.words({ ngrams: [1, 2] }),
      DEFAULT_VERIFICATION,
    ],
  ];
}
