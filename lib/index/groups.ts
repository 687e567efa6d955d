/**
 * Groups of near ids: by representative, or as connected components. The same entries give the same groups, in
 * whatever order they were added.
 */
import { currentEngine } from '../backend.ts';
import type { EntryBatch, IndexColumns } from '../engine.ts';
import { checkInteger, checkNamedOptions, MAX_ID, outOfRange, wrongType } from '../validate.ts';
import { findComponents } from './components.ts';
import { gather } from './gathered.ts';
import { collectGroups } from './group-list.ts';
import {
  ASYNC_NAMES,
  type AsyncOptions,
  checkAsync,
  checkSearch,
  NEAREST_NAMES,
  type NearestOptions,
  type Searched,
} from './options.ts';
import { Pace } from './order.ts';
import { findRepresentatives } from './representatives.ts';
import { guardMemory } from './work.ts';

/** Options of `groups`. */
export interface GroupsOptions extends NearestOptions, AsyncOptions {
  /**
   * `representative` (when not given): entries, in ascending order of id, then fingerprint, join the nearest
   * representative (smallest distance, then id) within maxDistance, or become one. No member is further than that from
   * its representative. An id with several fingerprints may be in several groups. The cost of an addIfNewBatch of all
   * into an empty index.
   *
   * `component`: ids are in one group where a chain of pairs, each within maxDistance, leads from one to the other:
   * members may be far from each other. The smallest id stands for its group. The cost of pairs() over the distinct
   * fingerprints.
   */
  readonly link?: 'representative' | 'component' | undefined;
  /** Groups of more ids than this are left out, and reported in `oversized`: 2 to 2^53 - 1; none when not given. */
  readonly maxGroup?: number | undefined;
}

/** Groups of two ids and more, by the id that represents them, ascending. */
export interface Groups {
  /** Group g has the members offsets[g] to offsets[g + 1] - 1; one more entry than there are groups. */
  readonly offsets: Float64Array;
  /** Ids: of each group first its representative, which is to be kept, then the others, ascending. */
  readonly ids: Float64Array;
  /** Beside the ids: bits between the member and its representative, of their fingerprints the two nearest. */
  readonly distances: Uint8Array;
  /** For each group the smallest distance of a member other than the representative from it. */
  readonly smallestDistances: Uint8Array;
  /** For each group the greatest distance from the representative; members are at most twice that apart. */
  readonly greatestDistances: Uint8Array;
  /** Groups over maxGroup: what represents them, ascending, and how many ids they have. */
  readonly oversized: { readonly ids: Float64Array; readonly sizes: Float64Array };
}

/** Options of groups, checked. */
export interface CheckedGroups extends AsyncOptions {
  readonly link: 'representative' | 'component';
  readonly distance: number;
  readonly secondDistance: number | undefined;
  readonly maxGroup: number;
}

export function checkGroups(index: Searched, options: GroupsOptions | undefined): CheckedGroups {
  const names = ['link', 'maxGroup', ...NEAREST_NAMES, ...ASYNC_NAMES] as const;
  const checked = checkNamedOptions('options', options, names);
  const { link = 'representative', maxGroup } = checked;
  const links = `'representative' or 'component'`;
  if (typeof link !== 'string') wrongType('options.link', links, link);
  if (link !== 'representative' && link !== 'component') outOfRange('options.link', links, link);
  const { distance, secondDistance } = checkSearch(index, checked, true);
  return {
    ...checkAsync(checked),
    link,
    distance,
    secondDistance,
    maxGroup:
      maxGroup === undefined
        ? Number.POSITIVE_INFINITY
        : checkInteger('options.maxGroup', maxGroup, 2, MAX_ID),
  };
}

/** Groups the entries of an index with tags and second fingerprints as `columns` says. */
export function groupEntries(
  batches: AsyncIterable<EntryBatch>,
  columns: IndexColumns,
  options: CheckedGroups,
): Promise<Groups> {
  return guardMemory(options, async (guarded) => {
    const { distance, secondDistance, signal, onProgress } = guarded;
    const entries = await gather(batches, columns);
    const pace = new Pace(signal);
    const kinds = { time: false, tag: columns.tag, second: secondDistance !== undefined };
    const index = currentEngine().createIndex({ maxDistance: distance, columns: kinds });
    try {
      const find = options.link === 'component' ? findComponents : findRepresentatives;
      const members = await find(index, entries, guarded, pace);
      const groups = await collectGroups(members, options.maxGroup, pace);
      onProgress?.(1);
      return groups;
    } finally {
      index.close();
    }
  });
}
