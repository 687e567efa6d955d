/** Fingerprints of features that the caller made. */
import { currentEngine } from '../backend.ts';
import { makeError } from '../errors.ts';
import { hashFeatures, type Tie } from '../recipe/compat/features.ts';
import { checkRecipe } from '../recipe/parse.ts';
import { nameRecipe, type Recipe } from '../recipe/recipe.ts';
import {
  checkFingerprints,
  checkWeight,
  checkWeights,
  isArray,
  isIterable,
  outOfRange,
  wrongType,
} from '../validate.ts';
import { decide } from './compat-fingerprinter.ts';

/** Features: strings, each of weight 1 a time; or strings with weights, as a Map or as pairs. */
export type Features = Iterable<string> | Iterable<readonly [string, number]> | ReadonlyMap<string, number>;

/** How the vote is taken: by this package, or as another library takes it. */
function methodOf(recipe: Recipe | string | undefined) {
  if (recipe === undefined) return undefined;
  const checked = checkRecipe(recipe);
  if (checked.method.by === 'compat') return checked.method.compat;
  if (checked.method.by === 'caller') return undefined;
  throw makeError(
    'ERR_NEARDUP_UNSUPPORTED',
    `the recipe ${nameRecipe(checked)} takes texts: use fingerprint, or a recipe of recipes.features or recipes.compat`,
  );
}

function isPair(item: unknown): item is readonly [unknown, unknown] {
  return isArray(item) && item.length === 2;
}

/** Names and weights of features. */
function readFeatures(features: unknown): { names: string[]; weights: number[] } {
  if (!isIterable(features)) {
    wrongType('features', 'a Map, or an iterable of strings or of [string, weight]', features);
  }
  const names: string[] = [];
  const weights: number[] = [];
  for (const item of features) {
    const name = `features[${names.length}]`;
    const [feature, weight] = isPair(item) ? item : [item, 1];
    if (typeof feature !== 'string') wrongType(name, 'a string or [string, weight]', feature);
    names.push(feature);
    weights.push(checkWeight(`the weight of ${name}`, weight));
  }
  return { names, weights };
}

/**
 * The fingerprint of features. `weights[i]`, where given, is the weight of feature i, in place of the one it
 * brings. A feature that occurs twice counts with both weights. Weights are finite, >= 0, taken in steps of
 * 1/65536, and sum to at most 2^37. Undefined when there are no features.
 *
 * `recipe`: one of `recipes.features` changes nothing; one of `recipes.compat` gives the value of that library
 * (for no features too: 0n, or all ones where its ties are 1).
 *
 * Throws NeardupError (ERR_NEARDUP_INVALID_TYPE, ERR_NEARDUP_OUT_OF_RANGE).
 */
export function fingerprintFeatures(
  features: Features,
  weights?: Float64Array | readonly number[],
  recipe?: Recipe | string,
): bigint | undefined {
  const compat = methodOf(recipe);
  const read = readFeatures(features);
  const heavy =
    weights === undefined
      ? Float64Array.from(read.weights)
      : checkWeights('weights', weights, read.names.length);
  if (compat === undefined) {
    const engine = currentEngine();
    return engine.accumulate(engine.hashStrings(read.names), heavy).fingerprint;
  }
  return compatValue(compat.tie, hashFeatures(compat, read.names).hashes, heavy);
}

/**
 * The fingerprint of 64-bit feature hashes, with `weights[i]` the weight of hashes[i] (1 when not given). Use a hash
 * whose bits are all good, such as XXH3. Otherwise as fingerprintFeatures.
 */
export function fingerprintHashes(
  hashes: BigUint64Array,
  weights?: Float64Array,
  recipe?: Recipe | string,
): bigint | undefined {
  const compat = methodOf(recipe);
  const { length } = checkFingerprints('hashes', hashes);
  const heavy = weights === undefined ? undefined : checkWeights('weights', weights, length);
  // Once more: reading the weights may have run code that detached or resized the hashes.
  const checked = checkFingerprints('hashes', hashes);
  if (checked.length !== length) outOfRange('hashes.length', `${length}, as it was`, checked.length);
  if (compat === undefined) return currentEngine().accumulate(checked, heavy).fingerprint;
  return compatValue(compat.tie, checked, heavy);
}

/** As the library decides; of no hashes, where all counters are zero, too. */
function compatValue(tie: Tie, hashes: BigUint64Array, weights: Float64Array | undefined): bigint {
  return decide(currentEngine().accumulate(hashes, weights).margins, tie);
}
