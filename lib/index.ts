/** The public exports of neardup. */
export { type BackendInfo, backendInfo } from './backend.ts';
export type { AddIfNewResult, Backend, BatchMatches } from './engine.ts';
export { NeardupError, type NeardupErrorCode } from './errors.ts';
export {
  type AddResult,
  HammingIndex,
  type HammingIndexOptions,
  type Match,
  type NearestOptions,
  type QueryOptions,
} from './index/hamming-index.ts';
