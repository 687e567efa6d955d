/** The features of a text as sets and as weighted vectors, by the same tokens and hashes as fingerprints. */
import { types } from 'node:util';
import { currentEngine } from '../backend.ts';
import type { FeatureOptions, Fingerprinter } from '../engine.ts';
import { TokenFingerprinter } from '../fingerprint/token-fingerprinter.ts';
import { createWorker } from '../fingerprint/worker.ts';
import { DEFAULT_RECIPE } from '../recipe/defaults.ts';
import { checkRecipe } from '../recipe/parse.ts';
import type { Recipe } from '../recipe/recipe.ts';
import { MAX_WIDTH } from '../recipe/recipes.ts';
import { logWeight, WEIGHT_STEPS } from '../ts/fingerprint/weights.ts';
import { checkInteger, checkText, isObject, outOfRange, wrongType } from '../validate.ts';
import { checkSet, forEachCommon } from './sorted-sets.ts';

/** Weighted features: distinct hashes in ascending order, and what each weighs. */
export interface WeightedFeatures {
  readonly hashes: BigUint64Array;
  readonly weights: Float64Array;
}

let last: { readonly options: FeatureOptions; readonly fingerprinter: Fingerprinter } | undefined;

/** An engine's fingerprinter that keeps features; the last one is kept, as documents come one after another. */
function fingerprinterOf(options: FeatureOptions): Fingerprinter {
  if (last?.options !== options) {
    last = { options, fingerprinter: currentEngine().createFingerprinter({ ...options, weight: 'set' }) };
  }
  return last.fingerprinter;
}

const shinglesOfWidth: FeatureOptions[] = [];

/**
 * The distinct shingles of a text, runs of `width` words (1 to 100, 3 by default), as sorted 64-bit hashes:
 * the set that `jaccard`, `containment` and `MinHasher` work on. A text with fewer words is one shingle; a
 * text without words has none.
 */
export function shingles(text: string | Uint8Array, width = 3): BigUint64Array {
  checkInteger('width', width, 1, MAX_WIDTH);
  shinglesOfWidth[width] ??= { unit: 'words', min: width, max: width, weight: 'set' };
  return fingerprinterOf(shinglesOfWidth[width]).frequencies(checkText('text', text)).hashes;
}

/** The features of a text with their weights, both by a recipe: what `cosine` compares. */
export function weightedFeatures(
  text: string | Uint8Array,
  recipe: Recipe | string = DEFAULT_RECIPE,
): WeightedFeatures {
  const checked = checkRecipe(recipe);
  const { method } = checked;
  const maker = method.by === 'engine' ? fingerprinterOf(method.features) : createWorker(checked);
  const found = maker.frequencies(checkText('text', text));
  const { hashes, times } = found;
  if (maker instanceof TokenFingerprinter) return { hashes, weights: maker.weights(found) };
  // Other libraries' ways count.
  if (method.by !== 'engine' || method.features.weight === 'count') return { hashes, weights: times };
  const weigh = method.features.weight === 'set' ? () => 1 : (tf: number) => logWeight(tf) / WEIGHT_STEPS;
  return { hashes, weights: times.map(weigh) };
}

function checkFeatures(name: string, value: unknown): WeightedFeatures {
  if (!isObject(value)) wrongType(name, 'weighted features', value);
  const { hashes: given, weights } = value as Partial<WeightedFeatures>;
  const hashes = checkSet(`${name}.hashes`, given);
  if (!types.isFloat64Array(weights)) wrongType(`${name}.weights`, 'a Float64Array', weights);
  if (weights.length !== hashes.length) {
    outOfRange(`${name}.weights.length`, `${hashes.length}, one weight for each hash`, weights.length);
  }
  return { hashes, weights };
}

function squaredLength(weights: Float64Array): number {
  let sum = 0;
  for (const weight of weights) sum += weight * weight;
  return sum;
}

/** Cosine of the angle between two weighted feature vectors; 0 to 1 for weights >= 0, 0 where one has none. */
export function cosine(first: WeightedFeatures, second: WeightedFeatures): number {
  const [a, b] = [checkFeatures('a', first), checkFeatures('b', second)];
  let product = 0;
  forEachCommon(a.hashes, b.hashes, (i, j) => {
    product += a.weights[i]! * b.weights[j]!;
  });
  const length = Math.sqrt(squaredLength(a.weights)) * Math.sqrt(squaredLength(b.weights));
  return length === 0 ? 0 : Math.min(1, product / length);
}
