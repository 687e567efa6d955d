/**
 * How a segment finds what is near: a few tables, each keyed by its own bits of the fingerprint and probed
 * with every key within its radius of flips. By the pigeonhole principle, tables of disjoint bits whose
 * radii satisfy sum(radius + 1) = d + 1 miss nothing within distance d: were there more than `radius`
 * errors in every key, there would be more than d in all.
 *
 * Bits are dealt to the keys by how much they tell apart in a sample, so that constant or nearly constant
 * bits do not spoil a key; the number of tables is the one of least estimated cost.
 */
import { flipCount } from './flips.ts';

/** Up to this many rows a segment is scanned. */
export const SCAN_ROWS = 512;

/** More tables cost 12 bytes a row each; beyond four they rarely save time. */
const MAX_TABLES = 4;
/** Time of a probe, when the time of verifying one candidate is 1. */
const PROBE_COST = 24;
const SAMPLE_ROWS = 1024;
/** Bits that differ in fewer pairs than this tell nothing apart. */
const LEAST_DIFFERENCE = 0.002;

/** One table of a plan. */
export interface TablePlan {
  /** Positions (0 = lowest bit) of the key's bits. Keys of different tables share no bit. */
  readonly bits: readonly number[];
  /**
   * radii[d]: how many flips of the key a query within d needs; -1 where it may skip the table. Queries within
   * distances from radii.length on verify every row.
   */
  readonly radii: Int8Array;
}

/** The tables of a segment, for the same distances; none means that every row is verified. */
export type Plan = readonly TablePlan[];

/** For each bit, how likely two fingerprints of the sample differ in it. */
function differences(lanes: Uint32Array, rows: number): Float64Array {
  const sample = Math.min(rows, SAMPLE_ROWS);
  const ones = new Float64Array(64);
  for (let i = 0; i < sample; i++) {
    const row = Math.floor((i * rows) / sample);
    const low = lanes[2 * row] as number;
    const high = lanes[2 * row + 1] as number;
    for (let bit = 0; bit < 32; bit++) {
      ones[bit] += (low >>> bit) & 1;
      ones[32 + bit] += (high >>> bit) & 1;
    }
  }
  return ones.map((count) => 2 * (count / sample) * (1 - count / sample));
}

/** Deals the bits (most telling first) to `tables` keys, there and back, so that all tell about as much. */
function deal(bits: readonly number[], tables: number, width: number): number[][] {
  const keys: number[][] = Array.from({ length: tables }, () => []);
  bits.forEach((bit, i) => {
    const turn = i % (2 * tables);
    const key = keys[turn < tables ? turn : 2 * tables - 1 - turn] as number[];
    if (key.length < width) key.push(bit);
  });
  return keys;
}

/** stepCosts[r]: what raising a table's radius from r - 1 to r costs, in candidates verified. */
function stepCosts(key: readonly number[], rows: number, differ: Float64Array, radius: number): Float64Array {
  // chance[r]: how likely two fingerprints differ in exactly r bits of the key, bits taken as independent.
  const chance = new Float64Array(radius + 1);
  chance[0] = 1;
  for (const bit of key) {
    const p = differ[bit] as number;
    for (let r = radius; r > 0; r--)
      chance[r] = (chance[r] as number) * (1 - p) + (chance[r - 1] as number) * p;
    chance[0] *= 1 - p;
  }
  return chance.map((p, r) => PROBE_COST * flipCount(key.length, r) + rows * p);
}

/** The radii for each distance up to maxDistance, found by raising the cheapest one at a time; with the cost. */
function chooseRadii(
  keys: readonly (readonly number[])[],
  rows: number,
  differ: Float64Array,
  maxDistance: number,
): { tables: TablePlan[]; cost: number } {
  const costs = keys.map((key) => stepCosts(key, rows, differ, maxDistance));
  const tables = keys.map((bits) => ({ bits, radii: new Int8Array(maxDistance + 1) }));
  const radii = new Int8Array(keys.length).fill(-1);
  let cost = 0;
  for (let distance = 0; distance <= maxDistance; distance++) {
    let best = 0;
    const step = (t: number) => (costs[t] as Float64Array)[(radii[t] as number) + 1] as number;
    for (let t = 1; t < keys.length; t++) if (step(t) < step(best)) best = t;
    cost += step(best);
    radii[best]++;
    tables.forEach((table, t) => {
      table.radii[distance] = radii[t] as number;
    });
  }
  return { tables, cost };
}

/**
 * Plans a segment of `rows` distinct fingerprints (lanes) for queries within maxDistance, or within the largest
 * distance below it for which tables are cheaper than verifying every row.
 */
export function planSegment(lanes: Uint32Array, rows: number, maxDistance: number): Plan {
  if (rows <= SCAN_ROWS) return [];
  const differ = differences(lanes, rows);
  const bits = Array.from(differ.keys())
    .filter((bit) => (differ[bit] as number) >= LEAST_DIFFERENCE)
    .sort((a, b) => (differ[b] as number) - (differ[a] as number) || a - b);
  // Buckets of two to four rows at the least: a wider key would only make the directory larger.
  const width = Math.min(30, Math.floor(Math.log2(rows)) - 1);
  for (let distance = maxDistance; distance >= 0; distance--) {
    let plan: Plan = [];
    let least = rows;
    for (let count = 1; count <= Math.min(MAX_TABLES, distance + 1); count++) {
      const { tables, cost } = chooseRadii(deal(bits, count, width), rows, differ, distance);
      if (cost < least) [plan, least] = [tables, cost];
    }
    if (plan.length > 0) return plan.filter((table) => (table.radii[distance] as number) >= 0);
  }
  return [];
}
