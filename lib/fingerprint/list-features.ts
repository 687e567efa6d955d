/** The features of a text, by name: for counting document frequencies, and for looking at what a recipe does. */
import { currentEngine } from '../backend.ts';
import { makeError } from '../errors.ts';
import { countItems } from '../recipe/compat/features.ts';
import { nameRecipe, type Recipe } from '../recipe/recipe.ts';
import { Ngrams } from './ngrams.ts';
import { TokenFingerprinter } from './token-fingerprinter.ts';

/** How often each feature of the text occurs, in the order of first occurrence. */
export function listFeatures(recipe: Recipe, text: string | Uint8Array): Map<string, number> {
  const { method } = recipe;
  if (method.by === 'compat') {
    const features = method.compat.features(typeof text === 'string' ? text : new TextDecoder().decode(text));
    return features instanceof Map ? features : countItems(features);
  }
  if (method.by === 'caller' || method.features.unit === 'chars') {
    throw makeError('ERR_NEARDUP_UNSUPPORTED', `the features of ${nameRecipe(recipe)} cannot be listed`);
  }
  const { features } = method;
  const tokens = new TokenFingerprinter(
    method.by === 'tokens'
      ? method
      : { by: 'tokens', features, stem: undefined, documentFrequency: undefined },
    currentEngine(),
  ).tokens(text);
  const counts = new Map<string, number>();
  const ngrams = new Ngrams(features.min, features.max, (ngram) => {
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
  });
  ngrams.push(tokens);
  ngrams.finish();
  return counts;
}
