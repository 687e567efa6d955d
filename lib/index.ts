/** The public exports of neardup. */
export { type BackendInfo, backendInfo } from './backend.ts';
export type { DeduplicatorOptions } from './dedup/comparison.ts';
export type {
  Decision,
  DedupCounters,
  DedupDocument,
  DocumentId,
  Dropped,
  Kept,
} from './dedup/decision.ts';
export { Deduplicator } from './dedup/deduplicator.ts';
export { type DedupOptions, DedupStream, dedup } from './dedup/stream.ts';
export type {
  AddIfNewResult,
  Backend,
  BatchMatches,
  BitRange,
  BloomShape,
  EntryBatch,
  FingerprintBatch,
  IndexStats,
  PairBatch,
  PlannedDesign,
  SegmentStats,
} from './engine.ts';
export { NeardupError, type NeardupErrorCode } from './errors.ts';
export type { FingerprintDescription } from './fingerprint/description.ts';
export {
  createFingerprinter,
  createHasher,
  describe,
  Fingerprinter,
  type FingerprinterOptions,
  fingerprint,
} from './fingerprint/fingerprinter.ts';
export {
  type FingerprintsByRecipesOptions,
  type FingerprintsOptions,
  fingerprints,
} from './fingerprint/fingerprints.ts';
export { fromInt64, hamming, hammingMany, parseHex, toHex, toInt64 } from './fingerprint/format.ts';
export type { Hasher } from './fingerprint/hasher.ts';
export { type Features, fingerprintFeatures, fingerprintHashes } from './fingerprint/own-features.ts';
export type { ApproximatePairsOptions } from './index/approximate-pairs.ts';
export type { BatchColumns, EntryColumns, Integers } from './index/columns.ts';
export type { Groups, GroupsOptions } from './index/groups.ts';
export { HammingIndex } from './index/hamming-index.ts';
export type { AddResult, Match } from './index/match.ts';
export type { HammingIndexOpenOptions } from './index/open-options.ts';
export type {
  AddBatchAsyncOptions,
  AddIfNewBatchOptions,
  AddIfNewOptions,
  AsyncOptions,
  HammingIndexOptions,
  LoadBatch,
  NearestOptions,
  PairsOptions,
  QueryBatchAsyncOptions,
  QueryBatchOptions,
  QueryOptions,
  SearchOptions,
} from './index/options.ts';
export { type PlanOption, type PlanOptions, plan } from './index/planner.ts';
export type { CompatName } from './recipe/compat/libraries.ts';
export {
  DEFAULT_DISTANCE,
  DEFAULT_MIN_FEATURES,
  DEFAULT_RECIPE,
  DEFAULT_VERIFICATION,
  DEFAULT_VERIFY_DISTANCE,
} from './recipe/defaults.ts';
export {
  type DocumentFrequency,
  type DocumentFrequencyOptions,
  documentFrequency,
} from './recipe/document-frequency.ts';
export { parseRecipe } from './recipe/parse.ts';
export type { Recipe } from './recipe/recipe.ts';
export { recipes, type ShinglesOptions, type WeightOptions, type WordsOptions } from './recipe/recipes.ts';
export type { StopWordsOption } from './recipe/stop-words.ts';
export type { Weighting } from './recipe/weighting.ts';
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
export type { Recovered } from './storage/index-store.ts';
export type { IndexProblem } from './storage/problem.ts';
export { type IndexRepair, repairIndex } from './storage/repair.ts';
export { verifyIndex } from './storage/verify.ts';
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
