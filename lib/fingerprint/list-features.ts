/** The features of a text, by name: for counting document frequencies, and for looking at what a recipe does. */
import { currentEngine } from '../backend.ts';
import { makeError } from '../errors.ts';
import { nameRecipe, type Recipe } from '../recipe/recipe.ts';
import { CompatFingerprinter } from './compat-fingerprinter.ts';
import { Ngrams } from './ngrams.ts';
import { createWorker } from './worker.ts';

/** How often each feature of the text occurs. */
export function listFeatures(recipe: Recipe, text: string | Uint8Array): Map<string, number> {
  const { method } = recipe;
  if (method.by === 'compat') {
    return new CompatFingerprinter(method.compat, currentEngine()).countFeatures(text);
  }
  if (method.by === 'caller' || method.features.unit === 'chars') {
    throw makeError('ERR_NEARDUP_UNSUPPORTED', `the features of ${nameRecipe(recipe)} cannot be listed`);
  }
  const counts = new Map<string, number>();
  const ngrams = new Ngrams(method.features.min, method.features.max, (ngram) => {
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
  });
  ngrams.push(createWorker(recipe).tokens(text));
  ngrams.finish();
  return counts;
}
