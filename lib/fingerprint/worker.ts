/** Who makes the fingerprints of a recipe: the engine, or code here over it. */
import { currentEngine } from '../backend.ts';
import type { TextFingerprinter } from '../engine.ts';
import { makeError } from '../errors.ts';
import { nameRecipe, type Recipe } from '../recipe/recipe.ts';
import { CompatFingerprinter } from './compat-fingerprinter.ts';
import { TokenFingerprinter } from './token-fingerprinter.ts';

/** The fingerprinter of a recipe. Throws ERR_NEARDUP_UNSUPPORTED for a recipe that takes no texts. */
export function createWorker(recipe: Recipe): TextFingerprinter {
  const engine = currentEngine();
  const { method } = recipe;
  if (method.by === 'engine') return engine.createFingerprinter(method.features);
  if (method.by === 'tokens') return new TokenFingerprinter(method, engine);
  if (method.by === 'compat') return new CompatFingerprinter(method.compat, engine);
  throw makeError(
    'ERR_NEARDUP_UNSUPPORTED',
    `the recipe ${nameRecipe(recipe)} takes features, not texts: use fingerprintFeatures or fingerprintHashes`,
  );
}
