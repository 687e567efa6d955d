/** Builds a segment: sorts the entries, plans the tables, and makes them. O(n), in steps. */
import { inStrides, type Steps } from '../base/steps.ts';
import type { Entries } from './entries.ts';
import { planSegment } from './plan.ts';
import { Segment } from './segment.ts';
import { distinctLanes, gatherColumns, sortEntries } from './sorted.ts';
import { Table } from './table.ts';

/** About how many units of work the steps of building from `count` entries are. */
export function buildUnits(count: number): number {
  return 24 * count;
}

/** A segment for queries within maxDistance. The entries' lanes lose their contents. */
export function* buildSegment(entries: Entries, maxDistance: number): Steps<Segment> {
  const sorted = yield* sortEntries(entries);
  const { groups, count } = sorted;
  const distinct = yield* distinctLanes(sorted);
  const hasStarts = groups.length - 1 < count;
  const [first, ...others] = planSegment(distinct, groups.length - 1, maxDistance);
  if (first === undefined) {
    const columns = yield* gatherColumns(sorted, undefined);
    return new Segment(distinct, hasStarts ? groups : undefined, columns, []);
  }
  // The rows of the segment stand in the order of its first table.
  const table = yield* Table.build(first, distinct);
  const order = table.rows as Uint32Array;
  const columns = yield* gatherColumns(sorted, order);
  const starts = hasStarts ? yield* startsOf(groups, order) : undefined;
  const tables = [table.asSegmentOrder(first)];
  for (const each of others) tables.push(yield* Table.build(each, table.lanes));
  return new Segment(table.lanes, starts, columns, tables);
}

/** Where each row's entries start when the groups stand in the order of `rows`. */
function* startsOf(groups: Uint32Array, rows: Uint32Array): Steps<Uint32Array> {
  const starts = new Uint32Array(groups.length);
  yield* inStrides(rows.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const row = rows[i] as number;
      starts[i + 1] = (starts[i] as number) + (groups[row + 1] as number) - (groups[row] as number);
    }
  });
  return starts;
}
