/**
 * Checks that a secondary table of a payload of layout 2 has the lane of every fingerprint in the line where probes
 * look for it, and nothing else. docs/format.md says how lines and runs are built up. Some superblocks at a time are
 * held in memory, and all fingerprints put beside them: O(n) for each 64 MiB of the table.
 */
import type { SegmentPayload } from '../../engine.ts';
import { corrupt } from './corrupt.ts';
import { PrimaryTable } from './primary-table.ts';
import { TableDirectory } from './table-directory.ts';
import { CONTINUES, checkEnds } from './table-ends.ts';
import { LINE, type TableDescription, type TablesDescription } from './tables-description.ts';

/** Lines held at a time, but for a superblock that has more. */
const LINES = 1 << 20;
/** What is done in a step: lines read and checked, fingerprints looked up. */
const STEP_LINES = 1 << 14;
const STEP_FINGERPRINTS = 1 << 13;
/** Lines with more lanes than this, those of the run included, have them in ascending order. */
const SORTED = 64;
/** The length of a run from which on it stands in the run itself, in so many items. */
const LENGTH_CAP = 255;
const LENGTH_ITEMS = 2;
/** Lanes of a line. */
const LANES = LINE / 4;

/** Throws ERR_NEARDUP_CORRUPT where a secondary table does not agree with the primary. In steps of some milliseconds. */
export function* checkSecondaries(
  file: SegmentPayload,
  description: TablesDescription,
): Generator<undefined, void> {
  for (const [t, table] of description.tables.entries()) {
    if (t === 0) continue;
    checkEnds(file, table);
    const directory = new TableDirectory(file, table);
    for (let first = 0, end = 0; first < table.superblocks; first = end) {
      let lines = 0;
      do lines += directory.lineCount(end++);
      while (end < table.superblocks && lines + directory.lineCount(end) <= LINES);
      const part = new SecondaryPart(file, `table ${t + 1}`, table, directory, first, end);
      yield* part.load();
      yield* new PrimaryTable(file, description, part, undefined).read();
      yield* part.checkAllFound();
    }
  }
}

/** Superblocks first..end-1 of a table. */
class SecondaryPart {
  private added = 0;
  private readonly firstLine: number;
  private readonly firstItem: number;
  private readonly bytes: Uint8Array;
  /** The bytes, 16 for each line. */
  private readonly lines: Uint32Array;
  private readonly overflow: Uint32Array;
  /** For each line, where its run starts in `overflow` and ends; both 0 where there is none. */
  private readonly runs: Float64Array;
  /** 1 for each lane of `lines`, and each item of `overflow`, that a fingerprint has. */
  private readonly foundInLines: Uint8Array;
  private readonly foundInOverflow: Uint8Array;

  constructor(
    private readonly file: SegmentPayload,
    private readonly name: string,
    private readonly table: TableDescription,
    private readonly directory: TableDirectory,
    private readonly first: number,
    private readonly end: number,
  ) {
    let lines = 0;
    let firstLine = 0;
    for (let s = first; s < end; s++) {
      if (lines === 0) firstLine = directory.firstLine(s);
      lines += directory.lineCount(s);
    }
    this.firstLine = firstLine;
    this.firstItem = directory.base(first);
    this.bytes = new Uint8Array(LINE * lines);
    this.lines = new Uint32Array(this.bytes.buffer);
    this.overflow = new Uint32Array(directory.base(end) - this.firstItem);
    this.runs = new Float64Array(2 * lines);
    this.foundInLines = new Uint8Array(LANES * lines);
    this.foundInOverflow = new Uint8Array(this.overflow.length);
  }

  /** Reads the lines and their runs, and checks how they are built up. */
  *load(): Generator<undefined, void> {
    const { lines, overflow } = this.table;
    yield* this.read(lines.offset + LINE * this.firstLine, this.bytes);
    yield* this.read(overflow.offset + 4 * this.firstItem, new Uint8Array(this.overflow.buffer));
    for (let s = this.first; s < this.end; s++) yield* this.checkSuperblock(s);
  }

  /** Never full: what reads makes a pause. */
  get isFull(): boolean {
    return this.added % STEP_FINGERPRINTS === 0;
  }

  /** Marks the lane of a fingerprint. */
  add(low: number, high: number): void {
    this.added++;
    const { bucketBits, superblockShift, map } = this.table;
    map.encode(low, high);
    const bucket = map.high >>> (32 - bucketBits);
    const s = Math.floor(bucket / 2 ** superblockShift);
    if (s < this.first || s >= this.end) return;
    const within = bucket - s * 2 ** superblockShift;
    const count = this.directory.lineCount(s);
    const line = this.directory.firstLine(s) - this.firstLine + shareOf(within, count, superblockShift);
    if (count === 0 || !this.mark(line, map.low >>> 0)) {
      this.fail(`it lacks a fingerprint in superblock ${s}`);
    }
  }

  *checkAllFound(): Generator<undefined, void> {
    const { bytes, foundInLines, foundInOverflow, runs } = this;
    for (let line = 0; line < bytes.length / LINE; line++) {
      if (line % STEP_LINES === 0) yield;
      const used = (bytes[LINE * line + LINE - 1] as number) & 15;
      let isFound = true;
      for (let i = 0; i < used; i++) isFound &&= foundInLines[LANES * line + i] === 1;
      const end = runs[2 * line + 1] as number;
      for (let i = runs[2 * line] as number; i < end; i++) isFound &&= foundInOverflow[i] === 1;
      if (!isFound) this.fail(`line ${this.firstLine + line} has a lane of no fingerprint`);
    }
  }

  /** Marks a lane of a line or its run; whether it is there. */
  private mark(line: number, lane: number): boolean {
    const { lines, overflow, runs } = this;
    const used = (this.bytes[LINE * line + LINE - 1] as number) & 15;
    const at = LANES * line;
    for (let i = at; i < at + used; i++) {
      if (lines[i] !== lane) continue;
      this.foundInLines[i] = 1;
      return true;
    }
    let from = runs[2 * line] as number;
    const end = runs[2 * line + 1] as number;
    if (used + end - from > SORTED) {
      for (let to = end; from < to; ) {
        const middle = Math.floor((from + to) / 2);
        if ((overflow[middle] as number) < lane) from = middle + 1;
        else to = middle;
      }
    } else {
      while (from < end && overflow[from] !== lane) from++;
    }
    if (from === end || overflow[from] !== lane) return false;
    this.foundInOverflow[from] = 1;
    return true;
  }

  private *read(offset: number, out: Uint8Array): Generator<undefined, void> {
    const length = LINE * STEP_LINES;
    for (let at = 0; at < out.length; at += length) {
      this.file.read(offset + at, out.subarray(at, at + length));
      yield;
    }
  }

  /** Headers of lines, and their runs, which follow one another. */
  private *checkSuperblock(s: number): Generator<undefined, void> {
    const { bytes, lines, runs, directory, firstItem } = this;
    const base = directory.base(s) - firstItem;
    const end = directory.base(s + 1) - firstItem;
    const first = directory.firstLine(s) - this.firstLine;
    let next = base;
    for (let line = first; line < first + directory.lineCount(s); line++) {
      if (line % STEP_LINES === 0) yield;
      const header = bytes[LINE * line + LINE - 1] as number;
      const used = header & 15;
      const continues = (header & CONTINUES) !== 0;
      if ((header & 0x70) !== 0 || (continues && used !== this.table.capacity - 1)) {
        this.fail(`line ${this.firstLine + line} has the header ${header}`);
      }
      if (!continues) continue;
      const place = base + (lines[LANES * line + used] as number);
      if (place !== next) this.fail(`a run starts at ${place}, not at ${next}`);
      const [from, to] = this.runAt(place, bytes[LINE * line + LINE - 4] as number, end);
      runs[2 * line] = from;
      runs[2 * line + 1] = to;
      next = to;
      if (used + to - from > SORTED && !this.ascends(LANES * line, used, from, to)) {
        this.fail(`line ${this.firstLine + line} does not ascend`);
      }
    }
    if (next !== end) this.fail(`superblock ${s} has more overflow than its lines`);
  }

  /** Where the lanes of a run start and end. */
  private runAt(place: number, length: number, end: number): [from: number, to: number] {
    const { overflow } = this;
    const isCapped = length === LENGTH_CAP;
    const from = place + (isCapped ? LENGTH_ITEMS : 0);
    let count = length;
    if (isCapped && from <= end) {
      count = (overflow[place + 1] as number) * 2 ** 32 + (overflow[place] as number);
    }
    if (count < 2 || count > end - from || (isCapped && count < LENGTH_CAP)) {
      this.fail(`the run at ${place} has ${count} lanes`);
    }
    return [from, from + count];
  }

  /** Whether the lanes of a line, and those of its run behind them, ascend. */
  private ascends(at: number, used: number, from: number, to: number): boolean {
    let last = -1;
    let ascending = true;
    const take = (lane: number): void => {
      ascending &&= lane > last;
      last = lane;
    };
    for (let i = at; i < at + used; i++) take(this.lines[i] as number);
    for (let i = from; i < to; i++) take(this.overflow[i] as number);
    return ascending;
  }

  private fail(what: string): never {
    throw corrupt(this.file, this.name, what);
  }
}

/** floor(within * count / 2^shift), for values below 2^32. */
function shareOf(within: number, count: number, shift: number): number {
  if (shift < 16) return Math.floor((within * count) / 2 ** shift);
  const high = Math.floor(within / 2 ** 16);
  const low = within % 2 ** 16;
  return Math.floor((high * count + Math.floor((low * count) / 2 ** 16)) / 2 ** (shift - 16));
}
