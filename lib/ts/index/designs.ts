/** The designs a planner chooses from: which bits key which tables. planner.ts says what the families are. */
import type { BitRange } from '../../engine.ts';
import { type BlockCode, GOLAY_23, HAMMING_7, HAMMING_15, HAMMING_31 } from './block-code.ts';
import { SECONDARY_CAPACITY, type TableShape } from './table-model.ts';

/** One table: its key, and the bits of it that may differ. */
export interface DesignTable {
  readonly key: readonly BitRange[];
  readonly radius: number;
}

export interface Design {
  /**
   * Tables, then the blocks: `3 tables: 2 x exact + 1 flip`; `2 of 5 parts` are the exact choices of 2 parts of a block
   * cut in 5.
   */
  readonly name: string;
  readonly tables: readonly DesignTable[];
}

/** A block: looked up with `radius` flips, or by the exact choices of parts - radius of its parts; 0 parts: flips. */
interface Block {
  readonly radius: number;
  readonly parts: number;
}

const MAX_TABLES = 32;
const MIN_KEY = 8;
const MAX_KEY = 32;
const MAX_FLIPS = 4;
const MAX_PARTS = 12;

export function keyBits(key: readonly BitRange[]): number {
  let bits = 0;
  for (const { width } of key) bits += width;
  return bits;
}

const keyShare = ({ radius, parts }: Block) => (parts === 0 ? 1 : (parts - radius) / parts);

/** Cuts a range into pieces of nearly equal width, from the top. */
function cut({ low, width }: BitRange, parts: number): BitRange[] {
  let top = low + width;
  return Array.from({ length: parts }, (_, i) => {
    const piece = Math.floor(width / parts) + (i < width % parts ? 1 : 0);
    top -= piece;
    return { low: top, width: piece };
  });
}

/** Each choice of `count` of the numbers below n, ascending, in lexicographic order. */
function choices(n: number, count: number, from = 0): number[][] {
  if (count === 0) return [[]];
  const made: number[][] = [];
  for (let i = from; i < n; i++) {
    for (const rest of choices(n, count - 1, i + 1)) made.push([i, ...rest]);
  }
  return made;
}

const CHOICES = new Map<number, number[][]>();

/** The choices of parts of a block that make its keys. */
function keyParts({ parts, radius }: Block): number[][] {
  const id = parts * MAX_TABLES + radius;
  let known = CHOICES.get(id);
  if (known === undefined) {
    known = choices(parts, parts - radius);
    CHOICES.set(id, known);
  }
  return known;
}

function binomial(n: number, k: number): number {
  let result = 1;
  for (let i = 0; i < k; i++) result = (result * (n - i)) / (i + 1);
  return result;
}

/**
 * Widths of the blocks: exact keys get the bits that number the lines, if there is room; what is left goes to flipped
 * blocks, whose codes can use it. Undefined where there are too few bits.
 */
function widthsOf(blocks: readonly Block[], need: number): number[] | undefined {
  const isExact = (block: Block) => block.radius === 0 || block.parts !== 0;
  let exact = 0;
  let flips = 0;
  for (const block of blocks) {
    if (isExact(block)) exact += 1 / keyShare(block);
    else flips += 1 / keyShare(block);
  }
  const equal = 64 / (exact + flips);
  const wished = Math.max(need, (64 - flips * MAX_KEY) / Math.max(exact, 1));
  const key = flips === 0 ? equal : Math.min(Math.max(wished, Math.min(8, equal)), equal);
  const flipped = flips === 0 ? 0 : (64 - exact * key) / flips;
  let used = 0;
  const widths: number[] = [];
  for (const block of blocks) {
    const isLast = widths.length + 1 === blocks.length;
    const width = isLast ? 64 - used : Math.round(isExact(block) ? key / keyShare(block) : flipped);
    used += width;
    if (used > 64 || width <= 0) return undefined;
    widths.push(width);
  }
  return used === 64 ? widths : undefined;
}

/**
 * A key of these ranges, the long one cut to what a table can number: fewer bits have no more errors. Undefined where it
 * is too short, or would be another table's key as a whole part is cut.
 */
function keyOf(ranges: readonly BitRange[]): BitRange[] | undefined {
  const key: BitRange[] = [];
  let bits = 0;
  for (const { low, width } of ranges) {
    const kept = Math.min(width, MAX_KEY - bits);
    if (kept === 0) return undefined;
    bits += kept;
    key.push({ low: low + width - kept, width: kept });
  }
  return bits >= MIN_KEY ? key : undefined;
}

/** The tables of blocks, or undefined where there is no such key or there are too many. */
function tablesOf(blocks: readonly Block[], need: number): DesignTable[] | undefined {
  const widths = widthsOf(blocks, need);
  if (widths === undefined) return undefined;
  const tables: DesignTable[] = [];
  let top = 64;
  for (const [i, block] of blocks.entries()) {
    const width = widths[i] as number;
    top -= width;
    const pieces = cut({ low: top, width }, Math.max(1, block.parts));
    const isFlipped = block.parts === 0;
    for (const chosen of isFlipped ? [[0]] : keyParts(block)) {
      const key = keyOf(chosen.map((part) => pieces[part] as BitRange));
      if (key === undefined) return undefined;
      tables.push({ key, radius: isFlipped ? block.radius : 0 });
    }
  }
  return tables.length <= MAX_TABLES ? tables : undefined;
}

function describeBlock({ radius, parts }: Block): string {
  if (parts !== 0) return `${parts - radius} of ${parts} parts`;
  if (radius === 0) return 'exact';
  return radius === 1 ? '1 flip' : `${radius} flips`;
}

const countTables = (tables: number) => `${tables} ${tables === 1 ? 'table' : 'tables'}: `;

function nameOf(blocks: readonly Block[], tables: number): string {
  const runs: { what: string; times: number }[] = [];
  for (const what of blocks.map(describeBlock)) {
    const last = runs.at(-1);
    if (last?.what === what) last.times++;
    else runs.push({ what, times: 1 });
  }
  const names = runs.map(({ what, times }) => (times > 1 ? `${times} x ${what}` : what));
  return countTables(tables) + names.join(' + ');
}

/** A block of distance + 1, with one part of as many of the other bits. */
function twoLevels(distance: number): Design {
  const parts = distance + 1;
  const tables: DesignTable[] = [];
  for (const block of cut({ low: 0, width: 64 }, parts)) {
    const rest = 64 - block.width;
    const below = block.low;
    let at = 0;
    for (let part = 0; part < parts; part++) {
      const end = at + Math.floor(rest / parts) + (part < rest % parts ? 1 : 0);
      // At most two ranges around the block.
      const key = [block];
      if (at < below) key.push({ low: at, width: Math.min(end, below) - at });
      if (end > below) {
        const from = Math.max(at, below) + block.width;
        key.push({ low: from, width: end + block.width - from });
      }
      tables.push({ key, radius: 0 });
      at = end;
    }
  }
  return { name: `${countTables(tables.length)}two levels`, tables };
}

/**
 * Designs exact for `distance`, with block widths fit for this many entries; keys of 8 to 32 bits, at most 32 tables.
 */
export function listDesigns(distance: number, entries: number): Design[] {
  const designs: Design[] = [];
  const need = Math.log2(Math.max(2, entries / 9));
  const blocks: Block[] = [];
  // Radii in ascending order, so that the primary table is one with the fewest probes.
  const extend = (left: number, last: Block, tables: number) => {
    let least = 0; // Bits that keys of MIN_KEY bits take.
    for (const block of blocks) least += MIN_KEY / keyShare(block);
    if (tables > MAX_TABLES || least > 64 + 1e-9) return;
    if (left === 0) {
      const made = tablesOf(blocks, need);
      if (made !== undefined) designs.push({ name: nameOf(blocks, made.length), tables: made });
      return;
    }
    for (let radius = last.radius; radius + 1 <= left; radius++) {
      if (radius + 1 < left && left - (radius + 1) < radius + 1) continue; // The next radius would be smaller.
      for (let parts = radius === last.radius ? last.parts : 0; parts <= MAX_PARTS; parts++) {
        const more = parts === 0 ? 1 : binomial(parts, radius);
        if (parts !== 0 && (radius === 0 || parts <= radius || more > MAX_TABLES)) continue;
        if (parts === 0 && radius > MAX_FLIPS) continue;
        blocks.push({ radius, parts });
        extend(left - (radius + 1), { radius, parts }, tables + more);
        blocks.pop();
      }
    }
  };
  extend(distance + 1, { radius: 0, parts: 0 }, 0);
  // For smaller distances the keys would be longer than a table can number, for larger ones the tables too many.
  if (distance === 3 || distance === 4) designs.push(twoLevels(distance));
  return designs;
}

/** The published ones for distance 3. */
export function publishedDesigns(): Design[] {
  const designs = [4, 5, 6].map((parts) => {
    const blocks = [{ radius: 3, parts }];
    const tables = tablesOf(blocks, 0) as DesignTable[];
    return { name: nameOf(blocks, tables.length), tables };
  });
  return [...designs, twoLevels(3)];
}

const CODES: readonly (readonly BlockCode[])[] = [
  [],
  [HAMMING_7],
  [HAMMING_7, HAMMING_7],
  [HAMMING_7, HAMMING_7, HAMMING_7],
  [HAMMING_15],
  [HAMMING_15, HAMMING_7],
  [HAMMING_15, HAMMING_7, HAMMING_7],
  [HAMMING_15, HAMMING_15],
  [HAMMING_31],
  [GOLAY_23],
  [GOLAY_23, HAMMING_7],
];

/** Ways to number the buckets of a table: codes, and bits of the number. */
export function numberings(
  { key, radius }: DesignTable,
  primary: boolean,
  load: number,
  entries: number,
): TableShape[] {
  const bits = keyBits(key);
  const capacity = primary ? 11 : SECONDARY_CAPACITY;
  const need = Math.ceil(Math.log2(Math.max(2, entries / (load * capacity))));
  const shapes: TableShape[] = [];
  for (const codes of radius === 1 ? CODES : CODES.slice(0, 1)) {
    const length = codes.reduce((sum, code) => sum + code.length, 0);
    const information = codes.reduce((sum, code) => sum + code.information, 0);
    if (length > bits) continue;
    const least = Math.max(1, information);
    const most = information + bits - length;
    // The primary table tells at most 2^8 buckets of a line apart.
    if (primary && least > need + 6) continue;
    const last = Math.min(most, need + 4);
    for (let bucketBits = Math.max(least, Math.min(need - 1, most)); bucketBits <= last; bucketBits++) {
      shapes.push({ radius, codes, bucketBits });
    }
  }
  return shapes;
}
