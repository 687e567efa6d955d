/** The public exports of neardup. */
export { type BackendInfo, backendInfo } from './backend.ts';
export type { Backend } from './engine.ts';
export { NeardupError, type NeardupErrorCode } from './errors.ts';
export {
  createFingerprinter,
  type FingerprintDescription,
  Fingerprinter,
  fingerprint,
} from './fingerprint/fingerprinter.ts';
export { fromInt64, hamming, parseHex, toHex, toInt64 } from './fingerprint/format.ts';
export {
  DEFAULT_RECIPE,
  parseRecipe,
  type Recipe,
  recipes,
  type Weighting,
  type WeightOptions,
  type WordsOptions,
} from './recipe/recipe.ts';
