/** What a table will look like for n evenly spread entries: its lines, overflow and probes, from the Poisson law. */
import type { BlockCode } from './block-code.ts';

/** How the buckets of a table are numbered. */
export interface TableShape {
  /** Bits of the key that may differ. */
  readonly radius: number;
  /** Taken from the start of the key; only with radius 1. */
  readonly codes: readonly BlockCode[];
  /** Bits of the bucket number: what the codes give, then plain key bits. */
  readonly bucketBits: number;
}

export interface TableModel {
  /** Of lines, overflow and ranks. */
  readonly bytes: number;
  /** Per query. */
  readonly probes: number;
  /** Share of probed lines that continue in an overflow run. */
  readonly continued: number;
  /** Mean length of those runs. */
  readonly runItems: number;
  /** Entries compared per query. */
  readonly candidates: number;
}

/** Lanes of a secondary line. */
export const SECONDARY_CAPACITY = 15;

/** Buckets that a query reads, on average. */
function meanProbes({ radius, codes, bucketBits }: TableShape): number {
  let probes = 0;
  let plain = bucketBits;
  for (const code of codes) {
    probes += code.meanNeighbours;
    plain -= code.information;
  }
  let choices = 1;
  for (let flips = 0; flips <= radius && flips <= plain; flips++) {
    probes += choices;
    choices = (choices * (plain - flips)) / (flips + 1);
  }
  return probes;
}

/**
 * Of a Poisson variable X with this mean: the chance of X > capacity, and the expectation of X - (capacity - 1) where
 * X > capacity (one lane of a line that continues holds the pointer).
 */
function overflow(mean: number, capacity: number): { chance: number; items: number } {
  let p = Math.exp(-mean);
  let atMost = 0;
  let sum = 0;
  for (let x = 0; x <= capacity; x++) {
    atMost += p;
    sum += x * p;
    p *= mean / (x + 1);
  }
  const chance = Math.max(0, 1 - atMost);
  return { chance, items: Math.max(0, mean - sum - chance * (capacity - 1)) };
}

/** Lines, and the lanes of each, of a primary table: as few range bits as the buckets of a line need. */
function primaryLines(bucketBits: number, load: number, entries: number): [lines: number, capacity: number] {
  const buckets = 2 ** bucketBits;
  let result: [number, number] = [0, 1];
  let best = Number.POSITIVE_INFINITY;
  for (let range = 0; range <= 8 && range <= bucketBits; range++) {
    const capacity = Math.min(15, Math.floor(504 / (64 - bucketBits + range)));
    const wanted = entries / (load * capacity) + 1;
    const least = buckets / 2 ** range;
    const lines = Math.min(buckets, Math.max(wanted, least));
    const cost = least > 4 * wanted ? 32 * entries : 64 * lines;
    if (cost >= best) continue;
    best = cost;
    result = [lines, capacity];
  }
  return result;
}

export function modelTable(table: TableShape, primary: boolean, load: number, entries: number): TableModel {
  const buckets = 2 ** table.bucketBits;
  const [lines, capacity] = primary
    ? primaryLines(table.bucketBits, load, entries)
    : [Math.min(buckets, entries / (load * SECONDARY_CAPACITY) + 1), SECONDARY_CAPACITY];
  // A line has the whole number of buckets below or above the mean.
  const perLine = buckets / lines;
  const fewer = Math.floor(perLine);
  const moreShare = perLine - fewer;
  const few = overflow((entries / buckets) * fewer, capacity);
  const more = overflow((entries / buckets) * (fewer + 1), capacity);
  const items = few.items * (1 - moreShare) + more.items * moreShare;
  const continuing = few.chance * (1 - moreShare) + more.chance * moreShare;
  // A probe takes a bucket, so lines with more buckets are read more often.
  const moreRead = (moreShare * (fewer + 1)) / perLine;
  const continued = few.chance * (1 - moreRead) + more.chance * moreRead;
  const runItems = continuing > 0 ? items / continuing : 0;
  const probes = meanProbes(table);
  return {
    bytes: lines * (64 + (primary ? 1.5 : 0)) + items * lines * (primary ? 8 : 4),
    probes,
    continued,
    runItems,
    candidates: probes * (Math.min(entries / lines, capacity) + continued * runItems),
  };
}
