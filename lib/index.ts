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
export type { AddIfNewResult, Backend, BatchMatches } from './engine.ts';
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
