/**
 * Fingerprints that equal another library's. The text is kept until its end, as those libraries see it whole.
 * Where a library decides a counter of zero as 1, the vote is taken of the complements, where zero is 0, and
 * complemented. A text without features has no fingerprint here, whatever the library makes of it.
 */
import type { Engine, FingerprintBatch, Hasher, TextFingerprinter, VoteResult } from '../engine.ts';
import { makeError } from '../errors.ts';
import {
  type CompatRecipe,
  countItems,
  type HashedFeatures,
  hashFeatures,
  type Tie,
} from '../recipe/compat/features.ts';
import { guardMemory } from '../ts/base/memory.ts';
import { ChunkDecoder } from './chunk-decoder.ts';

type Text = string | Uint8Array;

const ALL_ONES = 0xffff_ffff_ffff_ffffn;

/** The vote in which a counter of zero gives `tie`. No hashes: no fingerprint. */
export function voteWithTie(
  engine: Engine,
  tie: Tie,
  hashes: BigUint64Array,
  weights?: Float64Array,
): VoteResult {
  if (tie === 0) return engine.accumulate(hashes, weights);
  const vote = engine.accumulate(
    hashes.map((hash) => hash ^ ALL_ONES),
    weights,
  );
  return {
    ...vote,
    fingerprint: vote.fingerprint === undefined ? undefined : vote.fingerprint ^ ALL_ONES,
    margins: vote.margins.map((margin) => 0 - margin),
  };
}

/** The features of several texts, one after the other. */
function joinFeatures(texts: readonly HashedFeatures[]): HashedFeatures {
  if (texts.length === 1) return texts[0] as HashedFeatures;
  const count = texts.reduce((sum, { hashes }) => sum + hashes.length, 0);
  const joined = { hashes: new BigUint64Array(count), weights: new Float64Array(count) };
  let at = 0;
  for (const { hashes, weights } of texts) {
    joined.hashes.set(hashes, at);
    joined.weights.set(weights, at);
    at += hashes.length;
  }
  return joined;
}

class CompatHasher implements Hasher {
  readonly #decoder = new ChunkDecoder();
  readonly #parts: string[] = [];
  readonly #texts: HashedFeatures[] = [];
  #finished = false;

  constructor(
    private readonly compat: CompatRecipe,
    private readonly engine: Engine,
  ) {}

  update(chunk: Text): void {
    if (this.#finished) {
      throw makeError('ERR_NEARDUP_CLOSED', 'the hasher was digested or merged; create another one');
    }
    this.#parts.push(...this.#decoder.decode(chunk));
  }

  digest(): VoteResult {
    this.#finish();
    const { hashes, weights } = joinFeatures(this.#texts);
    const vote = voteWithTie(this.engine, this.compat.tie, hashes, weights);
    return { ...vote, features: weights.reduce((sum, weight) => sum + weight, 0) };
  }

  merge(other: CompatHasher): void {
    this.#finish();
    other.#finish();
    this.#texts.push(...other.#texts);
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    const text = this.#parts.join('') + this.#decoder.end();
    this.#parts.length = 0;
    // More distinct features than a Map holds.
    this.#texts.push(guardMemory(() => hashFeatures(this.compat, this.compat.features(text))));
  }
}

/** The part of an engine's fingerprinter that texts go through, by the way of another library. */
export class CompatFingerprinter implements TextFingerprinter {
  constructor(
    private readonly compat: CompatRecipe,
    private readonly engine: Engine,
  ) {}

  fingerprint(text: Text): bigint | undefined {
    return this.describe(text).fingerprint;
  }

  fingerprintBatch(texts: readonly Text[]): FingerprintBatch {
    const votes = texts.map((text) => this.describe(text));
    return {
      fingerprints: BigUint64Array.from(votes, ({ fingerprint }) => fingerprint ?? 0n),
      features: Float64Array.from(votes, ({ features }) => features),
    };
  }

  describe(text: Text): VoteResult {
    const hasher = this.createHasher();
    hasher.update(text);
    return hasher.digest();
  }

  /** The distinct features of a text. */
  tokens(text: Text): string[] {
    return [...this.countFeatures(text).keys()];
  }

  /** How often each feature of a text occurs. */
  countFeatures(text: Text): Map<string, number> {
    const features = this.compat.features(typeof text === 'string' ? text : new TextDecoder().decode(text));
    return features instanceof Map ? features : countItems(features);
  }

  createHasher(): Hasher {
    return new CompatHasher(this.compat, this.engine);
  }
}
