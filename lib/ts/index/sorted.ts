/** Entries brought into the order of (fingerprint, id, time, tag, second). */
import type { IndexColumns } from '../../engine.ts';
import { radixSort } from '../base/radix.ts';
import { copyOf, inStrides, type Steps } from '../base/steps.ts';
import { allocateColumns, type Columns, compareColumns, copyColumns } from './columns.ts';
import type { Entries } from './entries.ts';

/** Runs of this length are sorted at once, longer ones merged from them. */
const RUN = 1024;

/** Where the sorted entries are found. */
export interface Sorted {
  readonly kinds: IndexColumns;
  /** Entries. */
  readonly count: number;
  /** Their fingerprints, ascending, as lanes. */
  readonly lanes: Uint32Array;
  /** order[i]: where the other columns of the i-th stand in `columns`. */
  readonly order: Uint32Array;
  readonly columns: Columns;
  /** The entries of the r-th distinct fingerprint are groups[r] to groups[r + 1] - 1. */
  readonly groups: Uint32Array;
}

/** O(n), and O(m log m) for m entries of one fingerprint that are out of order. The entries lose their lanes. */
export function* sortEntries(entries: Entries): Steps<Sorted> {
  const { kinds, size: count, rows: columns } = entries;
  const { lanes, order } = yield* sortLanes(columns.lanes.subarray(0, 2 * count));
  const starts = new Uint32Array(count + 1);
  let distinct = 0;
  yield* inStrides(count, (from, to) => {
    for (let i = from; i < to; i++) {
      if (i > 0 && lanes[2 * i] === lanes[2 * i - 2] && lanes[2 * i + 1] === lanes[2 * i - 1]) continue;
      starts[distinct++] = i;
    }
  });
  starts[distinct] = count;
  const groups = distinct === count ? starts : yield* copyOf(starts, distinct + 1);
  for (let r = 0; distinct < count && r < distinct; r++) {
    const from = groups[r] as number;
    const to = groups[r + 1] as number;
    if (to > from + 1) yield* sortGroup(order, columns, from, to);
    else if ((r & 0xfff) === 0) yield 0;
  }
  return { kinds, count, lanes, order, columns, groups };
}

/** As radixSort; values that are in order, such as those of a file, need no room to be sorted in. */
function* sortLanes(lanes: Uint32Array): Steps<{ lanes: Uint32Array; order: Uint32Array }> {
  const count = lanes.length / 2;
  let isAscending = true;
  yield* inStrides(count, (from, to) => {
    for (let i = Math.max(1, from); isAscending && i < to; i++) {
      const high = (lanes[2 * i + 1] as number) - (lanes[2 * i - 1] as number);
      isAscending = high > 0 || (high === 0 && (lanes[2 * i] as number) >= (lanes[2 * i - 2] as number));
    }
  });
  if (!isAscending) return yield* radixSort(lanes);
  const order = new Uint32Array(count);
  yield* inStrides(count, (from, to) => {
    for (let i = from; i < to; i++) order[i] = i;
  });
  const isView = lanes.byteLength < lanes.buffer.byteLength;
  return { lanes: isView ? yield* copyOf(lanes, lanes.length) : lanes, order };
}

/** Sorts the entries from..to of one fingerprint. */
function* sortGroup(order: Uint32Array, columns: Columns, from: number, to: number): Steps<void> {
  const compare = (a: number, b: number) => compareColumns(columns, a, b);
  let ascending = true;
  yield* inStrides(to - from - 1, (first, end) => {
    for (let i = from + first; ascending && i < from + end; i++) {
      ascending = compare(order[i] as number, order[i + 1] as number) <= 0;
    }
  });
  if (ascending) return;
  for (let at = from; at < to; at += RUN) {
    order.subarray(at, Math.min(at + RUN, to)).sort(compare);
    yield 0;
  }
  let source = order.subarray(from, to);
  let target: Uint32Array = new Uint32Array(to > from + RUN ? to - from : 0);
  for (let width = RUN; width < source.length; width *= 2) {
    yield* mergeRuns(source, target, width, compare);
    [source, target] = [target, source];
  }
  if (source.buffer !== order.buffer) order.set(source, from);
}

/** Merges each two neighbouring runs of `width` (the last one may be shorter) of `source` into `target`. */
function* mergeRuns(
  source: Uint32Array,
  target: Uint32Array,
  width: number,
  compare: (a: number, b: number) => number,
): Steps<void> {
  let left = 0;
  let right = width;
  yield* inStrides(source.length, (from, to) => {
    for (let at = from; at < to; at++) {
      const pair = at - (at % (2 * width));
      if (at === pair) [left, right] = [pair, Math.min(pair + width, source.length)];
      const middle = Math.min(pair + width, source.length);
      const isRight =
        left === middle ||
        (right < Math.min(pair + 2 * width, source.length) &&
          compare(source[right] as number, source[left] as number) < 0);
      target[at] = source[isRight ? right++ : left++] as number;
    }
  });
}

/** The fingerprints, each once. */
export function* distinctLanes({ lanes, count, groups }: Sorted): Steps<Uint32Array> {
  const distinct = groups.length - 1;
  if (distinct === count) return lanes;
  const gathered = new Uint32Array(2 * distinct);
  yield* inStrides(distinct, (first, end) => {
    for (let row = first; row < end; row++) {
      const from = 2 * (groups[row] as number);
      gathered[2 * row] = lanes[from] as number;
      gathered[2 * row + 1] = lanes[from + 1] as number;
    }
  });
  return gathered;
}

/** The other columns of each fingerprint's entries, fingerprints in the order of `rows` (or as they are). */
export function* gatherColumns(sorted: Sorted, rows: Uint32Array | undefined): Steps<Columns> {
  const { kinds, count, order, columns, groups } = sorted;
  const { ids } = columns;
  let isNarrow = true;
  yield* inStrides(count, (from, to) => {
    for (let i = from; isNarrow && i < to; i++) isNarrow = (ids[i] as number) <= 0xffff_ffff;
  });
  const gathered = allocateColumns(kinds, count, isNarrow);
  let at = 0;
  for (let i = 0; i < groups.length - 1; i++) {
    const row = rows === undefined ? i : (rows[i] as number);
    const end = groups[row + 1] as number;
    for (let j = groups[row] as number; j < end; j++) {
      copyColumns(columns, order[j] as number, gathered, at);
      if ((++at & 0x3fff) === 0) yield 0x4000;
    }
  }
  return gathered;
}
