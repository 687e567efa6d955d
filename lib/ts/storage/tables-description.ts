/** What the description of a payload of layout 2 (tables) says, each number checked against the others. */
import type { SegmentPayload } from '../../engine.ts';
import { BlockValues, CODE_KINDS } from './block-values.ts';
import type { Description, Section } from './description.ts';
import { packedBytes } from './packed-reader.ts';
import { type KeyRange, WordMap } from './word-map.ts';

const MAX_TABLES = 32;
const MAX_SUPERBLOCKS = 2048;
const MAX_RANGE_BITS = 8;
const SECONDARY_CAPACITY = 15;
const MAX_WIDTH = 57;
/** Bytes of a line. */
export const LINE = 64;
/** Bytes of a rank, and the lines that it serves. */
export const RANK = 24;
export const RANK_LINES = 16;

/** One table. Numbers as docs/format.md names them. */
export interface TableDescription {
  readonly isPrimary: boolean;
  readonly key: readonly KeyRange[];
  /** Bits of the key that may differ. */
  readonly radius: number;
  /** Distinct ones. */
  readonly fingerprints: number;
  readonly map: WordMap;
  readonly bucketBits: number;
  readonly capacity: number;
  readonly tailBits: number;
  readonly rangeBits: number;
  readonly superblockShift: number;
  readonly superblocks: number;
  readonly homeRows: number;
  readonly overflowItems: number;
  readonly lineCount: number;
  readonly directory: Section;
  readonly lines: Section;
  readonly overflow: Section;
  readonly overflowBase: Section;
  readonly ranks: Section;
}

export interface PackedSection {
  readonly width: number;
  readonly section: Section;
}

/** Numbers less `least`. */
export interface PackedColumn extends PackedSection {
  readonly least: number;
}

export interface TablesDescription {
  readonly fingerprints: number;
  /** The plan's, in bits. */
  readonly maxDistance: number;
  readonly tables: readonly [TableDescription, ...TableDescription[]];
  /** Rows, those without entries included. */
  readonly rowCount: number;
  readonly rows: PackedSection;
  readonly lists: PackedSection;
  readonly listItems: number;
  readonly ids: PackedColumn | undefined;
  readonly times: PackedColumn | undefined;
  readonly tags: Section | undefined;
  readonly secondFingerprints: Section | undefined;
}

/** The key and codes of a table, as bit masks and lists. */
interface Key {
  readonly ranges: readonly KeyRange[];
  readonly mask: bigint;
  readonly radius: number;
  readonly codes: readonly number[];
  readonly bucketBits: number;
}

/** Throws ERR_NEARDUP_CORRUPT for what no engine writes. */
export function describeTables(file: SegmentPayload, description: Description): TablesDescription {
  const { entries, columns } = description;
  const sections: Section[] = [];
  const section = (name: string, length: number): Section => {
    const read = description.section(name);
    if (read.length !== length) description.fail(`${name} has ${read.length} bytes, ${length} are needed`);
    sections.push(read);
    return read;
  };
  const fingerprints = description.number('the number of fingerprints', entries);
  const maxDistance = readDistance(description);
  const order = readOrder(description);
  const count = description.number('the number of tables', MAX_TABLES);
  const tables: TableDescription[] = [];
  let primaryKey: bigint | undefined;
  for (let t = 0; t < count; t++) {
    const key = readKey(description, primaryKey);
    tables.push(readTable(description, key, primaryKey, order, section));
    primaryKey ??= key.mask;
  }
  const [primary, ...others] = tables;
  if (primary === undefined) return description.fail('it has no table');
  const rowCount = primary.homeRows + primary.overflowItems;
  const width = readWidth(description, 'ids');
  const listItems = description.number('the number of list items', 8 * file.length);
  if (fingerprints === 0 || fingerprints > rowCount || fingerprints !== primary.fingerprints) {
    description.fail(`${fingerprints} fingerprints are not those of the first table`);
  }
  if (rowCount + listItems < entries) description.fail(`${rowCount} rows cannot hold ${entries} entries`);
  const rows = { width, section: section('rows', packedBytes(rowCount, width)) };
  const listBytes = listItems === 0 ? 0 : packedBytes(listItems, width);
  const lists = { width, section: section('lists', listBytes) };
  const packed = (name: string): PackedColumn => {
    const least = description.number(`the least of the ${name}`);
    const bits = readWidth(description, name);
    return { least, width: bits, section: section(name, packedBytes(entries, bits)) };
  };
  const hasColumns = columns.time || columns.tag || columns.second;
  const all: TablesDescription = {
    fingerprints,
    maxDistance,
    tables: [primary, ...others],
    rowCount,
    rows,
    lists,
    listItems,
    ids: hasColumns ? packed('ids') : undefined,
    times: columns.time ? packed('times') : undefined,
    tags: columns.tag ? section('tags', 4 * entries) : undefined,
    secondFingerprints: columns.second ? section('second fingerprints', 8 * entries) : undefined,
  };
  description.checkEnd();
  checkPlaces(description, sections, tables);
  return all;
}

function readDistance(description: Description): number {
  const distance = description.number('the largest distance', 16);
  const load = new DataView(description.bytes(8).slice().buffer).getFloat64(0, true);
  if (!(load > 0 && load <= 1)) description.fail(`the load is ${load}`);
  return distance;
}

/** Undefined where the bits stay. */
function readOrder(description: Description): Uint8Array | undefined {
  const order = description.bytes(64);
  if (order.every((bit) => bit === 0)) return undefined;
  if (new Set(order).size !== 64 || order.some((bit) => bit > 63)) {
    description.fail('the order of bits is no permutation');
  }
  return order;
}

function readWidth(description: Description, name: string): number {
  const width = description.number(`the width of ${name}`, MAX_WIDTH);
  if (width === 0) description.fail(`${name} have no bits`);
  return width;
}

function readKey(description: Description, primary: bigint | undefined): Key {
  const ranges: KeyRange[] = [];
  let mask = 0n;
  let bits = 0;
  for (let left = description.number('the number of ranges', 32); left > 0; left--) {
    const word = description.number('a range', 0xffff);
    const range = { low: word & 255, width: word >> 8 };
    const own = ((1n << BigInt(range.width)) - 1n) << BigInt(range.low);
    if (range.width === 0 || range.low + range.width > 64 || (mask & own) !== 0n) {
      description.fail(`bits ${range.low} + ${range.width} are no range of a key`);
    }
    mask |= own;
    bits += range.width;
    ranges.push(range);
  }
  const radius = description.number('a radius', 4);
  const codes: number[] = [];
  let plain = bits;
  let information = 0;
  for (let left = description.number('the number of codes', 4); left > 0; left--) {
    const kind = description.number('the kind of a code', CODE_KINDS - 1);
    const code = new BlockValues(kind);
    plain -= code.length;
    information += code.information;
    codes.push(kind);
  }
  const sharesKey = primary !== undefined && (primary & mask) !== 0n;
  const isKey = bits > 0 && bits <= 32 && plain >= 0;
  if (!isKey || (codes.length > 0 && radius !== 1) || (sharesKey && radius !== 0)) {
    description.fail('a key is none that a table has');
  }
  const bucketBits = description.number('the bits of the bucket number', information + plain);
  if (bucketBits < Math.max(1, information)) description.fail(`bucket numbers have ${bucketBits} bits`);
  return { ranges, mask, radius, codes, bucketBits };
}

/** Reads the rest of a table; `primary` is the key of the first one, undefined for itself. */
function readTable(
  description: Description,
  { ranges, radius, codes, bucketBits }: Key,
  primary: bigint | undefined,
  order: Uint8Array | undefined,
  section: (name: string, length: number) => Section,
): TableDescription {
  const isPrimary = primary === undefined;
  const last = primary ?? 0n;
  const [low, high] = description.pair();
  if ((BigInt(high) << 32n) + BigInt(low) !== last) description.fail('the mask of last bits is another one');
  const capacity = description.number('the capacity of lines');
  const tailBits = description.number('the bits of tails');
  const rangeBits = description.number('the range bits', isPrimary ? MAX_RANGE_BITS : 0);
  const superblockShift = description.number('the superblock shift', Math.min(bucketBits, 31));
  const superblocks = description.number('the number of superblocks', MAX_SUPERBLOCKS);
  const lineBits = isPrimary ? 64 - bucketBits + rangeBits : 32;
  const mostLanes = isPrimary ? Math.min(15, Math.floor(504 / lineBits)) : SECONDARY_CAPACITY;
  if (
    rangeBits > Math.min(superblockShift, bucketBits) ||
    capacity !== mostLanes ||
    tailBits !== lineBits - 32 ||
    superblocks !== 2 ** (bucketBits - superblockShift)
  ) {
    description.fail('the lines of a table are none that can be');
  }
  const homeRows = description.number('the number of rows in lines');
  const overflowItems = description.number('the number of overflow items');
  const lineCount = description.number('the number of lines', 2 ** 32 - 1);
  const fingerprints = description.number('the number of entries of a table');
  description.number('the number of overflowing lines');
  const overflowEntries = description.number('the number of overflow entries');
  description.number('the longest run');
  if (overflowEntries !== overflowItems) description.fail(`it counts ${overflowEntries} overflow entries`);
  if (lineCount < 2 || homeRows > (isPrimary ? capacity * lineCount : 0)) {
    description.fail(`${lineCount} lines cannot hold ${homeRows} rows`);
  }
  const isLast = (bit: number) => ((last >> BigInt(bit)) & 1n) === 1n;
  return {
    isPrimary,
    key: ranges,
    radius,
    fingerprints,
    map: new WordMap({ key: ranges, codes, isLast }, order),
    bucketBits,
    capacity,
    tailBits,
    rangeBits,
    superblockShift,
    superblocks,
    homeRows,
    overflowItems,
    lineCount,
    directory: section('directory', 8 * superblocks),
    lines: section('lines', LINE * lineCount),
    overflow: section('overflow', (isPrimary ? 8 : 4) * (overflowItems + 2)),
    overflowBase: section('overflow base', 8 * (superblocks + 1)),
    ranks: section('ranks', isPrimary ? RANK * (Math.floor(lineCount / RANK_LINES) + 1) : 0),
  };
}

/** Sections do not meet, and those that are read first stand first. */
function checkPlaces(
  description: Description,
  sections: readonly Section[],
  tables: readonly TableDescription[],
): void {
  const head = new Set(tables.flatMap(({ directory, overflowBase }) => [directory, overflowBase]));
  let end = description.length;
  const placed = sections.filter(({ length }) => length > 0).sort((a, b) => a.offset - b.offset);
  for (const section of placed) {
    const from = head.has(section) ? end : Math.max(end, description.head);
    end = section.offset + section.length;
    if (section.offset < from || (head.has(section) && end > description.head)) {
      description.fail(`${section.name} cannot start at ${section.offset}`);
    }
  }
}
