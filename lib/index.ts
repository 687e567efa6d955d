/** The public exports of neardup. */
export { type BackendInfo, backendInfo } from './backend.ts';
export type {
  Decision,
  DedupCounters,
  DedupDocument,
  DocumentId,
  Dropped,
  Kept,
} from './dedup/decision.ts';
export { Deduplicator, type DeduplicatorOptions } from './dedup/deduplicator.ts';
export { type DedupOptions, DedupStream, dedup } from './dedup/stream.ts';
export type { AddIfNewResult, Backend, BatchMatches, BloomShape } from './engine.ts';
export { NeardupError, type NeardupErrorCode } from './errors.ts';
export {
  createFingerprinter,
  type FingerprintDescription,
  Fingerprinter,
  fingerprint,
} from './fingerprint/fingerprinter.ts';
export { fromInt64, hamming, hammingMany, parseHex, toHex, toInt64 } from './fingerprint/format.ts';
export {
  type AddResult,
  HammingIndex,
  type HammingIndexOptions,
  type Match,
  type NearestOptions,
  type QueryOptions,
} from './index/hamming-index.ts';
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
export { BloomFilter, type BloomItem, type BloomOptions } from './urls/bloom-filter.ts';
export { documentBase, MAX_URL_LENGTH, normalizeUrl, tryNormalizeUrl } from './urls/normalize.ts';
export {
  type UrlPolicy,
  type UrlPolicyName,
  type UrlPolicyOptions,
  type UrlPolicySettings,
  urlPolicy,
} from './urls/policy.ts';
export {
  type UrlBatchAdded,
  type UrlBatchSeen,
  UrlSet,
  type UrlSetCounts,
  type UrlSetOpenOptions,
  type UrlSetOptions,
} from './urls/url-set.ts';
