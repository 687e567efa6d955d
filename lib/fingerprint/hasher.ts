/** A text that comes in chunks, as in node:crypto. */
import type { Hasher as EngineHasher } from '../engine.ts';
import { makeError } from '../errors.ts';
import { nameRecipe, type Recipe } from '../recipe/recipe.ts';
import { checkText, wrongType } from '../validate.ts';
import { describeVote, type FingerprintDescription } from './description.ts';

/**
 * Takes a text in chunks cut anywhere, also inside a code point, a token or a shingle: the value is that of the
 * whole. Memory: for `count` weights, the longest token; for `set`, `log` and document frequencies, also the
 * distinct features; for compat recipes, the text.
 */
export class Hasher {
  readonly recipe: Recipe;
  readonly #engine: EngineHasher;
  readonly #minFeatures: number;

  /** Use `createHasher`. */
  constructor(recipe: Recipe, engine: EngineHasher, minFeatures: number) {
    this.recipe = recipe;
    this.#engine = engine;
    this.#minFeatures = minFeatures;
  }

  /** Adds a chunk: a string, or UTF-8 bytes. Throws ERR_NEARDUP_CLOSED after digest, describe or merge. */
  update(chunk: string | Uint8Array): this {
    this.#engine.update(checkText('chunk', chunk));
    return this;
  }

  /** Ends the text: its fingerprint, or undefined when it has no features. May be called again. */
  digest(): bigint | undefined {
    return this.#engine.digest().fingerprint;
  }

  /** Ends the text: its fingerprint with what it rests on. May be called again. */
  describe(): FingerprintDescription {
    return describeVote(this.#engine.digest(), this.#minFeatures);
  }

  /**
   * Ends both texts and adds the other's features to this one's, as of a document in two parts: no n-gram spans
   * them. The other stays as it is. Throws ERR_NEARDUP_RECIPE_MISMATCH where it is of another recipe.
   */
  merge(other: Hasher): this {
    if (typeof other !== 'object' || other === null || !(#engine in other)) {
      wrongType('other', 'a Hasher', other);
    }
    if (other.recipe.text !== this.recipe.text) {
      const [mine, theirs] = [this.recipe, other.recipe].map(nameRecipe);
      throw makeError(
        'ERR_NEARDUP_RECIPE_MISMATCH',
        `the hashers have different recipes: ${mine} and ${theirs}`,
      );
    }
    this.#engine.merge(other.#engine);
    return this;
  }
}
