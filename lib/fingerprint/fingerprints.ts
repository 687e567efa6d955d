/** Fingerprints of many texts without blocking the event loop, on all cores where the engine has threads. */
import { types } from 'node:util';
import { currentEngine } from '../backend.ts';
import type { FingerprintBatch } from '../engine.ts';
import { DEFAULT_RECIPE } from '../recipe/defaults.ts';
import { checkRecipe } from '../recipe/parse.ts';
import type { Recipe } from '../recipe/recipe.ts';
import {
  checkCallback,
  checkOptions,
  checkSignal,
  isArray,
  isIterable,
  outOfRange,
  wrongType,
} from '../validate.ts';
import { hashTexts, type Text } from './batch.ts';
import { startBatch } from './batch-job.ts';
import { createWorker } from './worker.ts';

/** Options of `fingerprints`. */
export interface FingerprintsOptions {
  /** A recipe or its canonical text; DEFAULT_RECIPE when not given. */
  readonly recipe?: Recipe | string | undefined;
  /** Ends the work: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called from time to time with the number of texts done so far. */
  readonly onProgress?: ((texts: number) => void) | undefined;
}

/** Options of `fingerprints` by several recipes. */
export interface FingerprintsByRecipesOptions extends Omit<FingerprintsOptions, 'recipe'> {
  /** One or more recipes; each text is read once for all. */
  readonly recipes: readonly (Recipe | string)[];
}

function checkTexts(value: unknown): Iterable<Text> | AsyncIterable<Text> {
  const expected = 'an iterable or async iterable of strings or Uint8Arrays';
  // Bytes are a text, not many.
  if (!isIterable(value, true) || types.isUint8Array(value)) wrongType('texts', expected, value);
  return value as Iterable<Text>;
}

function checkRecipes(options: Partial<FingerprintsOptions & FingerprintsByRecipesOptions>): Recipe[] {
  const { recipe, recipes } = options;
  if (recipes === undefined) return [checkRecipe(recipe ?? DEFAULT_RECIPE)];
  if (recipe !== undefined) outOfRange('options', 'with recipe or recipes, not both', options);
  if (!isArray(recipes)) wrongType('recipes', 'an array of recipes', recipes);
  if (recipes.length === 0) outOfRange('recipes.length', '1 or more', 0);
  // Holes too.
  return Array.from(recipes, checkRecipe);
}

/**
 * Fingerprints of many texts, in their order, with the number of features of each; where that is 0 there is no
 * fingerprint (and 0n stands for it). With `recipes`: one such result for each recipe, in one pass.
 *
 * The native engine works on all cores; recipes with stems, document frequencies or another library's way do part
 * of the work on this thread, in slices. Texts may come from an async iterable; a bounded number of them is held.
 *
 * Rejects with NeardupError for arguments (ERR_NEARDUP_INVALID_TYPE, ERR_NEARDUP_OUT_OF_RANGE), with what the
 * iterable or onProgress throws, or with the signal's reason.
 */
export function fingerprints(
  texts: Iterable<Text> | AsyncIterable<Text>,
  options?: FingerprintsOptions,
): Promise<FingerprintBatch>;
export function fingerprints(
  texts: Iterable<Text> | AsyncIterable<Text>,
  options: FingerprintsByRecipesOptions,
): Promise<FingerprintBatch[]>;
export async function fingerprints(
  texts: Iterable<Text> | AsyncIterable<Text>,
  options?: FingerprintsOptions | FingerprintsByRecipesOptions,
): Promise<FingerprintBatch | FingerprintBatch[]> {
  const checked = checkOptions<Partial<FingerprintsOptions & FingerprintsByRecipesOptions>>(
    'options',
    options,
    ['recipe', 'recipes', 'signal', 'onProgress'],
  );
  const recipes = checkRecipes(checked);
  const signal = checkSignal('options.signal', checked.signal);
  const onProgress = checkCallback('options.onProgress', checked.onProgress);
  const engine = currentEngine();
  const batches = await hashTexts(
    { fingerprintBatchAsync: (workers, batch) => startBatch(engine, workers, batch) },
    recipes.map(createWorker),
    checkTexts(texts),
    { ...(signal && { signal }), ...(onProgress && { onProgress }) },
  );
  return 'recipes' in checked && checked.recipes !== undefined ? batches : (batches[0] as FingerprintBatch);
}
