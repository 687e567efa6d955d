/** Fingerprints of texts by a recipe. */
import type { Fingerprinter as EngineFingerprinter, FingerprintBatch } from '../engine.ts';
import { DEFAULT_MIN_FEATURES, DEFAULT_RECIPE } from '../recipe/defaults.ts';
import { checkRecipe } from '../recipe/parse.ts';
import type { Recipe } from '../recipe/recipe.ts';
import { checkInteger, checkOptions, checkText, checkTexts } from '../validate.ts';
import { describeVote, type FingerprintDescription } from './description.ts';
import { Hasher } from './hasher.ts';
import { listFeatures } from './list-features.ts';
import { createWorker } from './worker.ts';

/** Options of `createFingerprinter`. */
export interface FingerprinterOptions {
  /** Texts with fewer features are described as too short. Default 4. */
  readonly minFeatures?: number | undefined;
}

/** Makes fingerprints by one recipe. */
export class Fingerprinter {
  readonly recipe: Recipe;
  /** Texts with fewer features are described as too short. */
  readonly minFeatures: number;
  readonly #worker: EngineFingerprinter;

  /** As `createFingerprinter`. */
  constructor(recipe: Recipe | string = DEFAULT_RECIPE, options?: FingerprinterOptions) {
    const { minFeatures = DEFAULT_MIN_FEATURES } = checkOptions('options', options, ['minFeatures']);
    this.recipe = checkRecipe(recipe);
    this.minFeatures = checkInteger('minFeatures', minFeatures, 1, Number.MAX_SAFE_INTEGER);
    this.#worker = createWorker(this.recipe);
  }

  /** The fingerprint of a text (a string, or UTF-8 bytes), or undefined when the text has no features. */
  fingerprint(text: string | Uint8Array): bigint | undefined {
    return this.#worker.fingerprint(checkText('text', text));
  }

  /** Fingerprints of many texts, in order, on this thread; where `features` is 0 there is none. */
  fingerprintBatch(texts: readonly (string | Uint8Array)[]): FingerprintBatch {
    return this.#worker.fingerprintBatch(checkTexts('texts', texts));
  }

  /** The fingerprint with what it rests on. */
  describe(text: string | Uint8Array): FingerprintDescription {
    return describeVote(this.#worker.describe(checkText('text', text)), this.minFeatures);
  }

  /** A hasher for one text that comes in chunks. */
  createHasher(): Hasher {
    return new Hasher(this.recipe, this.#worker.createHasher(), this.minFeatures);
  }

  /**
   * The features of a text and how often each occurs: what to count for document frequencies. Throws
   * ERR_NEARDUP_UNSUPPORTED for `chars` recipes.
   */
  features(text: string | Uint8Array): Map<string, number> {
    return listFeatures(this.recipe, checkText('text', text));
  }
}

/** Makes a fingerprinter; keep it for many texts. Takes a recipe or a recipe's canonical text. */
export function createFingerprinter(
  recipe: Recipe | string = DEFAULT_RECIPE,
  options?: FingerprinterOptions,
): Fingerprinter {
  return new Fingerprinter(recipe, options);
}

/** Makes a hasher for one text that comes in chunks: `createHasher(recipe).update(chunk).digest()`. */
export function createHasher(
  recipe: Recipe | string = DEFAULT_RECIPE,
  options?: FingerprinterOptions,
): Hasher {
  return createFingerprinter(recipe, options).createHasher();
}

let last: Fingerprinter | undefined;

/** The fingerprinter of a recipe, remembered from the call before. */
function fingerprinterOf(recipe: Recipe | string): Fingerprinter {
  const wanted = checkRecipe(recipe);
  if (last?.recipe.text !== wanted.text) last = new Fingerprinter(wanted);
  return last;
}

/** The fingerprint of one text, or undefined when it has no features. */
export function fingerprint(
  text: string | Uint8Array,
  recipe: Recipe | string = DEFAULT_RECIPE,
): bigint | undefined {
  return fingerprinterOf(recipe).fingerprint(text);
}

/** The fingerprint of one text with what it rests on. */
export function describe(
  text: string | Uint8Array,
  recipe: Recipe | string = DEFAULT_RECIPE,
): FingerprintDescription {
  return fingerprinterOf(recipe).describe(text);
}
