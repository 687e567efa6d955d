/**
 * A recipe says how text becomes a fingerprint. Its canonical text is what stored data should carry; the id is
 * short for it. Two recipes give comparable fingerprints only when their texts are equal.
 */
import type { FeatureOptions } from '../engine.ts';
import { hashBytes } from '../ts/fingerprint/xxh3.ts';
import { wrongType } from '../validate.ts';
import type { CompatRecipe } from './compat/features.ts';
import type { DocumentFrequency } from './document-frequency.ts';

/** How the features of a recipe are made. */
export type Method =
  /** All by the engine. */
  | { readonly by: 'engine'; readonly features: FeatureOptions }
  /** Tokens by the engine; stems, n-grams and weights after it. */
  | {
      readonly by: 'tokens';
      readonly features: FeatureOptions;
      /** Snowball algorithm. */
      readonly stem: string | undefined;
      readonly documentFrequency: DocumentFrequency | undefined;
    }
  /** As another library does. */
  | { readonly by: 'compat'; readonly compat: CompatRecipe }
  /** By the caller. */
  | { readonly by: 'caller' };

/** How text becomes a fingerprint. */
export interface Recipe {
  /** The canonical text. */
  readonly text: string;
  /** The first 8 hex digits of the XXH3-64 of the canonical text. */
  readonly id: string;
  /** Raised when the same words come to mean other fingerprints. */
  readonly version: number;
  /** What the canonical text says, for the code that carries it out. */
  readonly method: Method;
}

/** The version of the recipes that this package makes. */
export const RECIPE_VERSION = 1;

const made = new WeakSet<object>();

/** Makes the recipe of a canonical text without its prefix, `shingles width=3 weight=count`. */
export function makeRecipe(form: string, method: Method): Recipe {
  const text = `neardup:${RECIPE_VERSION} ${form}`;
  const hash = hashBytes(new TextEncoder().encode(text), 0n);
  const id = hash.toString(16).padStart(16, '0').slice(0, 8);
  const recipe = Object.freeze({ text, id, version: RECIPE_VERSION, method: Object.freeze(method) });
  made.add(recipe);
  return recipe;
}

/** True for a recipe that makeRecipe made. */
export function isRecipe(value: unknown): value is Recipe {
  return typeof value === 'object' && value !== null && made.has(value);
}

/** A recipe's text and id, for messages. */
export function nameRecipe({ text, id }: Recipe): string {
  return `"${text}" (${id})`;
}

/** Refuses what is neither a recipe nor text. */
export function notARecipe(value: unknown): never {
  wrongType('recipe', "a recipe made by `recipes` or a recipe's text", value);
}
