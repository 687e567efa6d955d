/** Fingerprints of texts by a recipe. */
import { currentEngine } from '../backend.ts';
import type { Fingerprinter as EngineFingerprinter } from '../engine.ts';
import { checkRecipe, DEFAULT_RECIPE, type Recipe } from '../recipe/recipe.ts';
import { checkText } from '../validate.ts';

/** What is known of a text's fingerprint. */
export interface FingerprintDescription {
  /** Undefined when the text has no features. */
  readonly fingerprint: bigint | undefined;
  /** Features counted, repetitions included. */
  readonly features: number;
  /** Their weight together. */
  readonly weight: number;
  /** For each bit, lowest first: weight for it less weight against it. The bit is 1 where that is over 0. */
  readonly margins: Float64Array;
  /** The smallest |margin|: how much weight a change must move before a bit of the fingerprint can flip. */
  readonly smallestMargin: number;
  /** The bit numbers, the weakest (the one with the smallest |margin|) first. */
  readonly weakestBits: Uint8Array;
}

/** Makes fingerprints by one recipe. */
export class Fingerprinter {
  readonly recipe: Recipe;
  readonly #engine: EngineFingerprinter;

  /** Use `createFingerprinter`. */
  constructor(recipe: Recipe) {
    this.recipe = recipe;
    this.#engine = currentEngine().createFingerprinter(recipe.features);
  }

  /** The fingerprint of a text (a string, or UTF-8 bytes), or undefined when the text has no features. */
  fingerprint(text: string | Uint8Array): bigint | undefined {
    return this.#engine.fingerprint(checkText('text', text));
  }

  /** The fingerprint with what it rests on. */
  describe(text: string | Uint8Array): FingerprintDescription {
    const vote = this.#engine.describe(checkText('text', text));
    const sizes = vote.margins.map(Math.abs);
    const weakestBits = Uint8Array.from(sizes.keys()).sort((a, b) => sizes[a] - sizes[b] || a - b);
    return { ...vote, smallestMargin: sizes[weakestBits[0]], weakestBits };
  }
}

/** Makes a fingerprinter; keep it for many texts. Takes a recipe or a recipe's canonical text. */
export function createFingerprinter(recipe: Recipe | string = DEFAULT_RECIPE): Fingerprinter {
  return new Fingerprinter(checkRecipe(recipe));
}

let last: Fingerprinter | undefined;

/** The fingerprint of one text, or undefined when it has no features. */
export function fingerprint(
  text: string | Uint8Array,
  recipe: Recipe | string = DEFAULT_RECIPE,
): bigint | undefined {
  const wanted = checkRecipe(recipe);
  if (last?.recipe.text !== wanted.text) last = new Fingerprinter(wanted);
  return last.fingerprint(text);
}
