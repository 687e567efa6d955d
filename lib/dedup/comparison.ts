/**
 * How documents are compared: by a fingerprint, whose near ones are found by an index, and by a second, independent
 * one, which confirms what the first finds.
 */
import { createFingerprinter, type Fingerprinter } from '../fingerprint/fingerprinter.ts';
import {
  DEFAULT_DISTANCE,
  DEFAULT_MIN_FEATURES,
  DEFAULT_RECIPE,
  DEFAULT_VERIFICATION,
  DEFAULT_VERIFY_DISTANCE,
} from '../recipe/defaults.ts';
import type { Recipe } from '../recipe/recipe.ts';
import { checkInteger, checkOptions } from '../validate.ts';
import type { Lanes } from './second-fingerprints.ts';

/** How documents are compared. */
export interface DeduplicatorOptions {
  /** How a text becomes a fingerprint: a recipe or its canonical text. Default: DEFAULT_RECIPE. */
  readonly recipe?: Recipe | string | undefined;
  /** Greatest Hamming distance in bits of near-duplicates by `recipe`, 0 to 8. Default 6. */
  readonly maxDistance?: number | undefined;
  /** The recipe of the second fingerprint; false: do not verify. Default: DEFAULT_VERIFICATION. */
  readonly verify?: Recipe | string | false | undefined;
  /** Greatest Hamming distance in bits of near-duplicates by `verify`, 0 to 64. Default 14. */
  readonly verifyDistance?: number | undefined;
  /** Documents with fewer features by `recipe` repeat only the very same text. Default 4. */
  readonly minFeatures?: number | undefined;
}

/** What is compared of a document; no print: it has too little to compare. */
export interface Print {
  readonly fingerprint: bigint;
  /** The second fingerprint; [0, 0] where documents are not verified. */
  readonly second: Lanes;
}

const NO_SECOND: Lanes = [0, 0];

/** Makes the prints of texts. */
export class Comparison {
  readonly recipe: Recipe;
  readonly maxDistance: number;
  readonly verification: Recipe | undefined;
  readonly verifyDistance: number;
  readonly minFeatures: number;
  readonly #first: Fingerprinter;
  readonly #second: Fingerprinter | undefined;

  /** Throws NeardupError where an option has the wrong type, is out of range, or is no recipe for texts. */
  constructor(options: DeduplicatorOptions | undefined) {
    const {
      recipe = DEFAULT_RECIPE,
      maxDistance = DEFAULT_DISTANCE,
      verify = DEFAULT_VERIFICATION,
      verifyDistance = DEFAULT_VERIFY_DISTANCE,
      minFeatures = DEFAULT_MIN_FEATURES,
    } = checkOptions('options', options, [
      'recipe',
      'maxDistance',
      'verify',
      'verifyDistance',
      'minFeatures',
    ]);
    this.maxDistance = checkInteger('options.maxDistance', maxDistance, 0, 8);
    this.verifyDistance = checkInteger('options.verifyDistance', verifyDistance, 0, 64);
    this.#first = createFingerprinter(recipe, { minFeatures });
    this.#second = verify === false ? undefined : createFingerprinter(verify);
    this.minFeatures = minFeatures;
    this.recipe = this.#first.recipe;
    this.verification = this.#second?.recipe;
  }

  /** A print, `short` or `empty` for each text, in order. */
  read(texts: readonly (string | Uint8Array)[]): (Print | 'short' | 'empty')[] {
    const first = this.#first.fingerprintBatch(texts);
    const second = this.#second?.fingerprintBatch(texts);
    const lanes = second && new Uint32Array(second.fingerprints.buffer, second.fingerprints.byteOffset);
    return texts.map((_, i) => {
      if (first.features[i] === 0 || second?.features[i] === 0) return 'empty';
      if ((first.features[i] as number) < this.minFeatures) return 'short';
      return {
        fingerprint: first.fingerprints[i] as bigint,
        second: lanes ? [lanes[2 * i] as number, lanes[2 * i + 1] as number] : NO_SECOND,
      };
    });
  }
}
