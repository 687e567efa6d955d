/**
 * Near pairs by the simple batch method: rotate the bits, sort, compare each fingerprint with the next ones, and again
 * for each rotation. Two near fingerprints stand close to each other where their first bits agree.
 */
import type { EntryBatch, IndexColumns, PairBatch } from '../engine.ts';
import { distance64 } from '../ts/base/bits.ts';
import { checkInteger, checkNamedOptions } from '../validate.ts';
import { type Gathered, gather } from './gathered.ts';
import { ASYNC_NAMES, type AsyncOptions, checkAsync } from './options.ts';
import { numbered, Pace, sortBy } from './order.ts';
import { guardMemory } from './work.ts';

const DEFAULT_ROTATIONS = 8;
const DEFAULT_WINDOW = 16;
const MAX_WINDOW = 2 ** 20;
/** Pairs of a batch. */
const BATCH = 1 << 13;

/** Options of `approximatePairs`. */
export interface ApproximatePairsOptions extends AsyncOptions {
  /** How many times the fingerprints are sorted, rotated by 64 / rotations bits more each time: 1 to 64; 8. */
  readonly rotations?: number | undefined;
  /** With how many of the next ones each fingerprint is compared: 1 to 2^20; 16. */
  readonly window?: number | undefined;
  /** Distance in bits, 0 to 64; the index's when not given. */
  readonly maxDistance?: number | undefined;
}

/** The options, all given and checked. */
export interface CheckedApproximate extends AsyncOptions {
  readonly rotations: number;
  readonly window: number;
  readonly distance: number;
}

export function checkApproximate(
  planned: number,
  options: ApproximatePairsOptions | undefined,
): CheckedApproximate {
  const names = ['rotations', 'window', 'maxDistance', ...ASYNC_NAMES] as const;
  const checked = checkNamedOptions('options', options, names);
  const { rotations = DEFAULT_ROTATIONS, window = DEFAULT_WINDOW, maxDistance = planned } = checked;
  return {
    ...checkAsync(checked),
    rotations: checkInteger('options.rotations', rotations, 1, 64),
    window: checkInteger('options.window', window, 1, MAX_WINDOW),
    distance: checkInteger('options.maxDistance', maxDistance, 0, 64),
  };
}

/** The pairs in batches, in the order of pairs(); of entries with tags only those of one tag. */
export async function* approximatePairs(
  batches: AsyncIterable<EntryBatch>,
  columns: IndexColumns,
  options: CheckedApproximate,
): AsyncGenerator<PairBatch, void, undefined> {
  const { signal, onProgress } = options;
  const { pairs, ids, order } = await guardMemory(options, async (guarded) => {
    const entries = await gather(batches, columns);
    const pace = new Pace(signal);
    const found = await findPairs(entries, guarded, pace);
    return { pairs: found, ids: entries.ids, order: await orderPairs(found, entries, pace) };
  });
  for (let from = 0; from < order.length; from += BATCH) {
    const batch = order.subarray(from, from + BATCH);
    yield {
      firstIds: Float64Array.from(batch, (pair) => ids[pairs.firsts[pair] as number] as number),
      secondIds: Float64Array.from(batch, (pair) => ids[pairs.seconds[pair] as number] as number),
      distances: Uint8Array.from(batch, (pair) => pairs.distances[pair] as number),
    };
    signal?.throwIfAborted();
  }
  onProgress?.(1);
}

/** A growing list of pairs of entries, the one that stands first first. */
class PairList {
  count = 0;
  firsts = new Uint32Array(1024);
  seconds = new Uint32Array(1024);
  distances = new Uint8Array(1024);

  push(a: number, b: number, distance: number): void {
    if (this.count === this.firsts.length) this.grow();
    this.firsts[this.count] = Math.min(a, b);
    this.seconds[this.count] = Math.max(a, b);
    this.distances[this.count++] = distance;
  }

  private grow(): void {
    const firsts = new Uint32Array(2 * this.count);
    const seconds = new Uint32Array(2 * this.count);
    const distances = new Uint8Array(2 * this.count);
    firsts.set(this.firsts);
    seconds.set(this.seconds);
    distances.set(this.distances);
    [this.firsts, this.seconds, this.distances] = [firsts, seconds, distances];
  }
}

/** The entries whose fingerprints, rotated left by `bits` and sorted, stand at each place. */
async function rotatedOrder(
  lanes: Uint32Array,
  count: number,
  bits: number,
  pace: Pace,
): Promise<Uint32Array> {
  const swap = bits >= 32 ? 1 : 0;
  const shift = bits % 32;
  // A lane of the rotated value: the higher bits of one lane, and the highest of the other.
  const lane = (i: number, from: number): number => {
    const high = lanes[2 * i + (from ^ swap)] as number;
    if (shift === 0) return high;
    return ((high << shift) | ((lanes[2 * i + (from ^ swap ^ 1)] as number) >>> (32 - shift))) >>> 0;
  };
  const byLow = await sortBy(pace, numbered(count), (i) => lane(i, 0));
  return await sortBy(pace, byLow, (i) => lane(i, 1));
}

async function findPairs(
  { count, lanes, ids, tags }: Gathered,
  { rotations, window, distance, onProgress }: CheckedApproximate,
  pace: Pace,
): Promise<PairList> {
  const pairs = new PairList();
  // places[q][i]: where entry i stood in rotation q. A pair is taken in the first rotation that brings it close.
  const places: Uint32Array[] = [];
  const wasClose = (a: number, b: number): boolean =>
    places.some((place) => Math.abs((place[a] as number) - (place[b] as number)) <= window);
  for (let rotation = 0; rotation < rotations; rotation++) {
    const order = await rotatedOrder(lanes, count, Math.floor((64 * rotation) / rotations), pace);
    const place = new Uint32Array(count);
    for (let at = 0; at < count; at++) {
      const a = order[at] as number;
      place[a] = at;
      const end = Math.min(count, at + window + 1);
      for (let next = at + 1; next < end; next++) {
        const b = order[next] as number;
        const d = distance64(lanes, a, lanes, b);
        if (d > distance || ids[a] === ids[b] || (tags !== undefined && tags[a] !== tags[b])) continue;
        if (!wasClose(a, b)) pairs.push(a, b, d);
      }
      if ((at & 0x3ff) === 0 || window > 1024) await pace.rest();
    }
    places.push(place);
    onProgress?.((0.99 * (rotation + 1)) / rotations);
  }
  return pairs;
}

/** Pairs by first entry, distance and id, those of one entry (fingerprint and id) with one id once. */
async function orderPairs(
  pairs: PairList,
  { count, lanes, ids }: Gathered,
  pace: Pace,
): Promise<Uint32Array> {
  const { firsts, seconds, distances } = pairs;
  // Copies of an entry stand beside each other and share its number.
  const numbers = new Uint32Array(count);
  await pace.each(count, (i) => {
    const isCopy =
      i > 0 &&
      ids[i] === ids[i - 1] &&
      lanes[2 * i] === lanes[2 * i - 2] &&
      lanes[2 * i + 1] === lanes[2 * i - 1];
    numbers[i] = i === 0 ? 0 : (numbers[i - 1] as number) + (isCopy ? 0 : 1);
  });
  const firstOf = (pair: number): number => numbers[firsts[pair] as number] as number;
  const idOf = (pair: number): number => ids[seconds[pair] as number] as number;
  const distanceOf = (pair: number): number => distances[pair] as number;
  let order = numbered(pairs.count);
  for (const key of [distanceOf, idOf, firstOf]) order = await sortBy(pace, order, key);
  let kept = 0;
  const unique = new Uint32Array(order.length);
  await pace.each(order.length, (at) => {
    const pair = order[at] as number;
    const before = unique[kept - 1] as number;
    if (kept === 0 || firstOf(pair) !== firstOf(before) || idOf(pair) !== idOf(before)) unique[kept++] = pair;
  });
  const byDistance = await sortBy(pace, unique.subarray(0, kept), distanceOf);
  return await sortBy(pace, byDistance, firstOf);
}
