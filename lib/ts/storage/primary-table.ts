/**
 * Reads the primary table of a payload of layout 2, superblock by superblock: every fingerprint with its values and
 * slots. docs/format.md tells how lines, runs, rows and lists are built up; all that it says of them is checked on
 * the way, so that what is read through is whole. O(n); memory for some windows of a few hundred KiB.
 */
import type { SegmentPayload } from '../../engine.ts';
import { corrupt } from './corrupt.ts';
import { type Damage, isCorrupt } from './damage.ts';
import { PackedReader } from './packed-reader.ts';
import { PayloadWindow } from './payload-window.ts';
import { TableDirectory } from './table-directory.ts';
import { CONTINUES, checkEnds } from './table-ends.ts';
import {
  LINE,
  RANK,
  RANK_LINES,
  type TableDescription,
  type TablesDescription,
} from './tables-description.ts';

/** Takes what is read. */
export interface ValueSink {
  /** Whether the reader is to pause. */
  readonly isFull: boolean;
  /** A value (id, or number of the entry) of a fingerprint. */
  add(low: number, high: number, value: number, slot: number): void;
}

export class PrimaryTable {
  /** Distinct fingerprints read. */
  fingerprints = 0;
  private readonly table: TableDescription;
  private readonly directory: TableDirectory;
  private readonly lines: PayloadWindow;
  private readonly ranks: PayloadWindow;
  private readonly overflow: PayloadWindow;
  private readonly homeRows: PackedReader;
  private readonly overflowRows: PackedReader;
  private readonly lists: PackedReader;
  /** Where the next list starts; with damage: no sooner. */
  private nextList = 0;
  /** The next row of a line; undefined where damage hides it. */
  private nextRow: number | undefined = 0;
  /** The word that was read last. */
  private lastLow = -1;
  private lastHigh = -1;

  /** `onDamage`: hears of each superblock or list that cannot be read, and is left out; without it, an error. */
  constructor(
    private readonly file: SegmentPayload,
    private readonly description: TablesDescription,
    private readonly sink: ValueSink,
    private readonly onDamage: ((damage: Damage) => void) | undefined,
  ) {
    const [table] = description.tables;
    const { rows, lists } = description;
    this.table = table;
    this.directory = new TableDirectory(file, table);
    this.lines = new PayloadWindow(file, table.lines);
    this.ranks = new PayloadWindow(file, table.ranks);
    this.overflow = new PayloadWindow(file, table.overflow);
    this.homeRows = new PackedReader(new PayloadWindow(file, rows.section), rows.width);
    this.overflowRows = new PackedReader(new PayloadWindow(file, rows.section), rows.width);
    this.lists = new PackedReader(new PayloadWindow(file, lists.section), lists.width);
  }

  /** Reads all; yields whenever the sink is full. */
  *read(): Generator<undefined, void> {
    for (let s = 0; s < this.table.superblocks; s++) {
      try {
        yield* this.readSuperblock(s);
      } catch (error) {
        if (this.onDamage === undefined || !isCorrupt(error)) throw error;
        this.onDamage({ section: `superblock ${s}`, error });
        this.nextRow = undefined;
      }
    }
    if (this.onDamage === undefined) this.checkTotals();
  }

  private *readSuperblock(s: number): Generator<undefined, void> {
    const { directory } = this;
    const count = directory.lineCount(s);
    if (count > 0) {
      yield* this.readLines(s, directory.firstLine(s), count);
    } else if (directory.isThin(s)) {
      const width = 2 ** this.table.superblockShift;
      yield* this.readWordsOfRun(directory.base(s), directory.base(s + 1), s * width, (s + 1) * width);
    }
  }

  private *readLines(s: number, firstLine: number, count: number): Generator<undefined, void> {
    const { capacity, tailBits, rangeBits, bucketBits, superblockShift } = this.table;
    const { lines, homeRows } = this;
    const width = 2 ** superblockShift;
    const shift = 32 - bucketBits;
    const highMask = 2 ** shift - 1;
    const rangeMask = 2 ** rangeBits - 1;
    const tailMask = 2 ** tailBits - 1;
    const base = this.directory.base(s);
    const end = this.directory.base(s + 1);
    let item = base;
    let row = this.firstRow(firstLine);
    // The line's first bucket is ceil(l * width / count), by whole part and remainder.
    const step = Math.floor(width / count);
    const stepRest = width % count;
    let whole = s * width;
    let rest = 0;
    for (let l = 0; l < count; l++) {
      const firstBucket = rest > 0 ? whole + 1 : whole;
      whole += step;
      rest += stepRest;
      if (rest >= count) {
        rest -= count;
        whole++;
      }
      const endBucket = rest > 0 ? whole + 1 : whole;
      this.checkRank(firstLine + l, row);
      const at = lines.find(LINE * (firstLine + l), LINE);
      const header = lines.bytes[at + 63] as number;
      const used = header & 15;
      const continues = (header & CONTINUES) !== 0;
      if ((header & 0x70) !== 0 || (continues ? used !== capacity - 1 : used > capacity)) {
        this.fail('lines', `line ${firstLine + l} has the header ${header}`);
      }
      if (row + used > this.table.homeRows) this.fail('lines', `line ${firstLine + l} has too many rows`);
      const lane = at / 4;
      homeRows.seek(row);
      for (let slot = 0; slot < used; slot++) {
        const tail = tailAt(lines.lanes, lane, 32 * capacity + slot * tailBits) & tailMask;
        const bucket = firstBucket + (((tail >>> shift) - firstBucket) & rangeMask);
        const high = ((bucket << shift) | (tail & highMask)) >>> 0;
        if (bucket >= endBucket) this.fail('lines', `line ${firstLine + l} has an entry of another`);
        this.takeWord(lines.lanes[lane + slot] as number, high);
        homeRows.next();
        const list = this.takeValue(homeRows, row);
        if (list >= 0) yield* this.readList(list);
        row++;
        if (this.sink.isFull) yield;
      }
      if (!continues) continue;
      const length = (tailAt(lines.lanes, lane, 32 * capacity + used * tailBits) & tailMask) >>> 0;
      const place = base + (lines.lanes[lane + used] as number);
      const [from, to] = this.findRun(place, item, length, tailMask, end);
      yield* this.readWordsOfRun(from, to, firstBucket, endBucket);
      item = to;
    }
    if (item !== end) this.fail('overflow', `superblock ${s} has more than its lines`);
    this.nextRow = row;
  }

  /** Where the words of a run start and end. */
  private findRun(place: number, next: number, length: number, cap: number, end: number): [number, number] {
    if (place !== next || place >= end) this.fail('overflow', `a run starts at ${place}, not at ${next}`);
    let from = place;
    let count = length;
    if (length === cap) {
      const at = this.overflow.find(8 * from++, 8) / 4;
      const { lanes } = this.overflow;
      count = (lanes[at + 1] as number) * 2 ** 32 + (lanes[at] as number);
    }
    if (count < 2 || (length === cap && count < cap) || count > end - from) {
      this.fail('overflow', `the run at ${place} has ${count} items`);
    }
    return [from, from + count];
  }

  /** Reads words of the overflow, whose buckets must be firstBucket to endBucket - 1. */
  private *readWordsOfRun(
    from: number,
    to: number,
    firstBucket: number,
    endBucket: number,
  ): Generator<undefined, void> {
    const { overflow, overflowRows } = this;
    const first = this.table.homeRows;
    const shift = 32 - this.table.bucketBits;
    overflowRows.seek(first + from);
    for (let item = from; item < to; item++) {
      const at = overflow.find(8 * item, 8) / 4;
      const high = overflow.lanes[at + 1] as number;
      const bucket = high >>> shift;
      if (bucket < firstBucket || bucket >= endBucket) {
        this.fail('overflow', `item ${item} belongs to another line`);
      }
      this.takeWord(overflow.lanes[at] as number, high);
      overflowRows.next();
      const list = this.takeValue(overflowRows, first + item);
      if (list >= 0) yield* this.readList(list);
      if (this.sink.isFull) yield;
    }
  }

  /** The next fingerprint. */
  private takeWord(low: number, high: number): void {
    const isAscending = high > this.lastHigh || (high === this.lastHigh && low > this.lastLow);
    if (!isAscending) this.fail('lines', `word ${this.fingerprints} is not in order`);
    this.lastLow = low;
    this.lastHigh = high;
    this.fingerprints++;
    this.table.map.decode(low, high);
  }

  /** The row's value; where it has several, the place of their list, else -1. */
  private takeValue(rows: PackedReader, row: number): number {
    const { map } = this.table;
    if (this.description.listItems === 0) {
      this.checkValue(rows.high);
      this.sink.add(map.low, map.high, rows.value, row);
      return -1;
    }
    this.checkValue(rows.high >>> 1);
    const half = rows.high * 2 ** 31 + (rows.low >>> 1);
    if ((rows.low & 1) === 1) return half;
    this.sink.add(map.low, map.high, half, row);
    return -1;
  }

  private checkValue(high: number): void {
    if (high >= 2 ** 21) this.fail('rows', 'a value is 2^53 or more');
  }

  private *readList(place: number): Generator<undefined, void> {
    try {
      yield* this.readValues(place);
    } catch (error) {
      if (this.onDamage === undefined || !isCorrupt(error)) throw error;
      this.onDamage({ section: `list ${place}`, error });
    }
  }

  private *readValues(place: number): Generator<undefined, void> {
    const { lists, sink } = this;
    const { rowCount, listItems } = this.description;
    const { low, high } = this.table.map;
    const isPlace = this.onDamage === undefined ? place === this.nextList : place >= this.nextList;
    if (!isPlace || place >= listItems)
      this.fail('rows', `a list starts at ${place}, not at ${this.nextList}`);
    lists.seek(place);
    lists.next();
    const count = lists.value;
    if (count < 2 || count > listItems - place - 1)
      this.fail('lists', `the list at ${place} has ${count} items`);
    this.nextList = place + 1 + count;
    let last = -1;
    for (let i = place + 1; i <= place + count; i++) {
      lists.next();
      this.checkValue(lists.high);
      const { value } = lists;
      if (value < last) this.fail('lists', `item ${i} is not in order`);
      last = value;
      sink.add(low, high, value, rowCount + i);
      if (sink.isFull) yield;
    }
  }

  /** The row of the first lane of a line: as it must be, or as the ranks say. */
  private firstRow(line: number): number {
    if (this.nextRow !== undefined) return this.nextRow;
    const row = this.rankOf(line);
    if (row > this.table.homeRows) this.fail('ranks', `line ${line} has row ${row}`);
    return row;
  }

  private checkRank(line: number, row: number): void {
    if (this.onDamage !== undefined) return;
    if (this.rankOf(line) !== row) this.fail('ranks', `line ${line} has another row`);
  }

  private rankOf(line: number): number {
    const at = this.ranks.find(RANK * Math.floor(line / RANK_LINES), RANK);
    const { lanes, bytes } = this.ranks;
    const base = (lanes[at / 4 + 1] as number) * 2 ** 32 + (lanes[at / 4] as number);
    return base + (bytes[at + 8 + (line % RANK_LINES)] as number);
  }

  private checkTotals(): void {
    const { fingerprints, listItems } = this.description;
    const { homeRows } = this.table;
    if (this.fingerprints !== fingerprints) {
      this.fail('lines', `they have ${this.fingerprints} fingerprints, not ${fingerprints}`);
    }
    if (this.nextRow !== homeRows) this.fail('lines', `they have ${this.nextRow} rows, not ${homeRows}`);
    if (this.nextList !== listItems) this.fail('lists', `${this.nextList} of ${listItems} items are used`);
    checkEnds(this.file, this.table);
  }

  private fail(section: string, what: string): never {
    throw corrupt(this.file, section, what);
  }
}

/** The bits of a line from bit `bit` on, those of the next line behind them; the line's lanes start at `lane`. */
function tailAt(lanes: Uint32Array, lane: number, bit: number): number {
  const at = lane + (bit >>> 5);
  const shift = bit & 31;
  const first = lanes[at] as number;
  return shift === 0 ? first : (first >>> shift) | ((lanes[at + 1] as number) << (32 - shift));
}
