/** What a query of one fingerprint answers with. */
import type { AddIfNewResult, BatchMatches } from '../engine.ts';

/** A held entry near the fingerprint asked for. */
export interface Match {
  readonly id: number;
  /** Hamming distance in bits. */
  readonly distance: number;
}

/** What addIfNew did: added the entry, or found something near it. */
export type AddResult = { readonly added: true } | { readonly added: false; readonly match: Match };

/** Matches from ids and distances in turn. */
export function matchesIn(list: Float64Array | undefined): Match[] {
  const matches: Match[] = [];
  if (list === undefined) return matches;
  for (let i = 0; i < list.length; i += 2) {
    matches.push({ id: list[i] as number, distance: list[i + 1] as number });
  }
  return matches;
}

/** The matches of a batch of one query. */
export function matchesOf({ ids, distances }: BatchMatches): Match[] {
  return Array.from(ids, (id, i) => ({ id, distance: distances[i] as number }));
}

/** What became of the entry of a batch of one. */
export function firstOf({ added, nearestIds, nearestDistances }: AddIfNewResult): AddResult {
  if (added[0] === 1) return { added: true };
  const match = { id: nearestIds[0] as number, distance: nearestDistances[0] as number };
  return { added: false, match };
}
