/** What is known of a text's fingerprint beside its value. */
import type { VoteResult } from '../engine.ts';

/** A fingerprint and what it rests on. */
export interface FingerprintDescription {
  /** Undefined when the text has no features. */
  readonly fingerprint: bigint | undefined;
  /** Features counted, repetitions included. */
  readonly features: number;
  /** Their weight together. */
  readonly weight: number;
  /** For each bit, lowest first: weight for it less weight against it. The bit is 1 where that is over 0. */
  readonly margins: Float64Array;
  /** The smallest |margin|: how much weight a change must move before a bit of the fingerprint can flip. */
  readonly smallestMargin: number;
  /** The bit numbers, the weakest (the one with the smallest |margin|) first. */
  readonly weakestBits: Uint8Array;
  /** Fewer features than minFeatures: too little to say that another text is near. */
  readonly tooShort: boolean;
}

/** Describes a vote. */
export function describeVote(vote: VoteResult, minFeatures: number): FingerprintDescription {
  const sizes = vote.margins.map(Math.abs);
  const weakestBits = Uint8Array.from(sizes.keys()).sort((a, b) => sizes[a] - sizes[b] || a - b);
  return {
    ...vote,
    smallestMargin: sizes[weakestBits[0]],
    weakestBits,
    tooShort: vote.features < minFeatures,
  };
}
