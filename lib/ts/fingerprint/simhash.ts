/**
 * The vote of weighted features over 64 bits (Charikar's SimHash). With W the total weight and S[i] the weight
 * of the features whose hash has bit i set, V[i] = 2 S[i] - W and bit i of the fingerprint is 1 where
 * V[i] > 0. Integers throughout: the result does not depend on order, and votes add up. The twin of
 * native/core/fingerprint/simhash.
 */
import type { FeatureOptions, VoteResult } from '../../engine.ts';
import { makeError } from '../../errors.ts';
import { countOnes, sumWeights } from '../kernels/counters.ts';
import { FrequencyTable, MAX_OCCURRENCES } from './frequency-table.ts';
import { logWeight, MAX_TOTAL_WEIGHT, WEIGHT_STEPS, weightToSteps } from './weights.ts';

const BATCH = 256;

function tooHeavy(): never {
  throw makeError(
    'ERR_NEARDUP_OUT_OF_RANGE',
    'the weights of the features must sum to at most 2^37 (137438953472)',
  );
}

function conclude(features: number, total: number, sums: Float64Array): VoteResult {
  let low = 0;
  let high = 0;
  const margins = new Float64Array(64);
  for (let i = 0; i < 64; i++) {
    const margin = 2 * sums[i] - total;
    margins[i] = margin / WEIGHT_STEPS;
    if (margin <= 0) continue;
    if (i < 32) low |= 1 << i;
    else high |= 1 << (i - 32);
  }
  const fingerprint = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  return {
    fingerprint: features === 0 ? undefined : fingerprint,
    features,
    weight: total / WEIGHT_STEPS,
    margins,
  };
}

function concludeCounts(features: number, counts: Float64Array): VoteResult {
  if (features > MAX_TOTAL_WEIGHT / WEIGHT_STEPS) tooHeavy();
  return conclude(
    features,
    features * WEIGHT_STEPS,
    counts.map((count) => count * WEIGHT_STEPS),
  );
}

/** Hands (hash, weight) pairs to the kernel in batches and keeps the total. */
class WeightedBatch {
  readonly sums = new Float64Array(64);
  total = 0;
  private readonly hashes = new Uint32Array(2 * BATCH);
  private readonly weights = new Float64Array(BATCH);
  private size = 0;

  add(low: number, high: number, weight: number): void {
    // Compared before adding: a sum over 2^53 is not exact.
    if (weight > MAX_TOTAL_WEIGHT - this.total) tooHeavy();
    this.total += weight;
    this.hashes[2 * this.size] = low;
    this.hashes[2 * this.size + 1] = high;
    this.weights[this.size] = weight;
    if (++this.size === BATCH) this.flush();
  }

  flush(): void {
    sumWeights(this.hashes, this.weights, this.size, this.sums);
    this.size = 0;
  }
}

/** Gathers the features of one text and weighs them by how often each occurs. */
export class FeatureVote {
  private features = 0;
  // `count`: occurrences by bit. Otherwise: the table.
  private readonly counts = new Float64Array(64);
  private readonly table = new FrequencyTable();

  /** The features and how often each occurs. Empty with `count`, which needs no table. */
  get frequencies(): FrequencyTable {
    return this.table;
  }

  constructor(private readonly weighting: FeatureOptions['weight']) {}

  /** Adds one occurrence of each of the first n hashes (pairs of lanes, low first). */
  add(hashes: Uint32Array, n: number): void {
    this.features += n;
    if (this.weighting === 'count') {
      countOnes(hashes, n, this.counts);
    } else {
      for (let i = 0; i < n; i++) this.table.add(hashes[2 * i], hashes[2 * i + 1], 1);
    }
  }

  /** Adds the occurrences that another vote of the same weighting has gathered. */
  merge(other: FeatureVote): void {
    for (let i = 0; i < 64; i++) this.counts[i] = Math.min(this.counts[i] + other.counts[i], MAX_OCCURRENCES);
    const entries: number[] = [];
    other.table.forEach((low, high, times) => {
      entries.push(low, high, times);
    });
    for (let i = 0; i < entries.length; i += 3) this.table.add(entries[i], entries[i + 1], entries[i + 2]);
    this.features = Math.min(this.features + other.features, MAX_OCCURRENCES);
  }

  clear(): void {
    this.features = 0;
    this.counts.fill(0);
    if (this.table.size > 0) this.table.clear();
  }

  /** The vote so far. Throws ERR_NEARDUP_OUT_OF_RANGE where the weights sum to too much. */
  result(): VoteResult {
    // Nothing counted: neither way has anything to add up.
    if (this.weighting === 'count' || this.features === 0) return concludeCounts(this.features, this.counts);
    const batch = new WeightedBatch();
    const weigh = this.weighting === 'set' ? () => WEIGHT_STEPS : logWeight;
    this.table.forEach((low, high, times) => {
      batch.add(low, high, weigh(times));
    });
    batch.flush();
    return conclude(this.features, batch.total, batch.sums);
  }
}

/** The vote of hashes given with their weights in units of 1 (1 each when not given). */
export function voteWeighted(hashes: BigUint64Array, weights?: Float64Array): VoteResult {
  const words = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
  const n = hashes.length;
  if (weights === undefined) {
    const counts = new Float64Array(64);
    countOnes(words, n, counts);
    return concludeCounts(n, counts);
  }
  const batch = new WeightedBatch();
  for (let i = 0; i < n; i++) {
    const steps = weightToSteps(weights[i]);
    if (steps < 0) tooHeavy();
    batch.add(words[2 * i], words[2 * i + 1], steps);
  }
  batch.flush();
  return conclude(n, batch.total, batch.sums);
}
