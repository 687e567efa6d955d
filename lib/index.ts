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
export { type Bands, bandKeys, bandProbability, bandThreshold, chooseBands } from './sets/banding.ts';
export { contentDigest } from './sets/digest.ts';
export {
  agreement,
  type DocumentSignature,
  DocumentSigner,
  type DocumentSignerOptions,
} from './sets/document-signature.ts';
export { cosine, shingles, type WeightedFeatures, weightedFeatures } from './sets/features.ts';
export {
  estimateJaccard,
  estimateJaccardPacked,
  MinHasher,
  type MinHasherOptions,
  packMinHash,
  standardError,
} from './sets/minhash.ts';
export {
  type SignatureAddResult,
  SignatureIndex,
  type SignatureIndexOptions,
  type SignatureMatch,
} from './sets/signature-index.ts';
export { containment, jaccard } from './sets/sorted-sets.ts';
