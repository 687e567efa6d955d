/**
 * What a Zen 3 server takes for the steps of a query. They are the costs of the native engine's tables: this engine
 * plans with them, and does not measure its own.
 */
import type { MachineCosts } from '../../engine.ts';

export const DEFAULT_COSTS: MachineCosts = {
  cachedLine: 5,
  memoryLine: 11,
  cacheBytes: 24e6,
  probe: 6,
  table: 8,
  run: 14,
  compare: 0.3,
  suspect: 50,
};
