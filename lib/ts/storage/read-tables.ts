/**
 * Reads a payload of layout 2 (tables): its primary table, and the columns. O(n); without columns in some windows of
 * a few hundred KiB, with columns 9 bytes for each entry beside them.
 */
import type { EntryBatch, SegmentPayload } from '../../engine.ts';
import { BatchBuffer, bytesOf } from './batch-buffer.ts';
import { corrupt } from './corrupt.ts';
import { type Damage, isCorrupt } from './damage.ts';
import { checkRemoved, type Description, isRemoved, type Section } from './description.ts';
import { PackedReader } from './packed-reader.ts';
import { PayloadWindow } from './payload-window.ts';
import { PrimaryTable, type ValueSink } from './primary-table.ts';
import { describeTables, type PackedColumn, type TablesDescription } from './tables-description.ts';

/** Entries of a batch. */
const BATCH = 1 << 13;

/**
 * The entries, but those whose slots are removed, in batches that last until the next one, each of which follows from
 * its part of the payload alone; undefined where the columns are still to come, to pause. What is wrong is ERR_NEARDUP_CORRUPT, or, with `onDamage`, told and left out.
 */
export function* readTables(
  file: SegmentPayload,
  description: Description,
  removed: Uint8Array | undefined,
  onDamage?: (damage: Damage) => void,
): Generator<EntryBatch | undefined, void> {
  const tables = describeTables(file, description);
  checkRemoved(file, removed, tables.rowCount + tables.listItems);
  const sink =
    tables.ids === undefined ? new IdSink(removed) : new NumberSink(file, description.entries, removed);
  const primary = new PrimaryTable(file, tables, sink, onDamage);
  for (const _ of primary.read()) yield sink instanceof IdSink ? sink.take() : undefined;
  if (onDamage === undefined && sink.seen !== description.entries) {
    throw corrupt(file, 'rows', `they have ${sink.seen} entries, not ${description.entries}`);
  }
  if (sink instanceof NumberSink) yield* readColumns(file, description, tables, sink, onDamage);
  else if (sink.size > 0) yield sink.take();
}

/** Without columns: values are ids. */
class IdSink implements ValueSink {
  /** Entries, removed ones included. */
  seen = 0;
  size = 0;
  private readonly fingerprints = new BigUint64Array(BATCH);
  private readonly ids = new Float64Array(BATCH);
  private readonly lanes = new Uint32Array(this.fingerprints.buffer);

  constructor(private readonly removed: Uint8Array | undefined) {}

  get isFull(): boolean {
    return this.size === BATCH;
  }

  add(low: number, high: number, value: number, slot: number): void {
    this.seen++;
    if (isRemoved(this.removed, slot)) return;
    this.lanes[2 * this.size] = low;
    this.lanes[2 * this.size + 1] = high;
    this.ids[this.size++] = value;
  }

  take(): EntryBatch {
    const { size } = this;
    this.size = 0;
    return { fingerprints: this.fingerprints.subarray(0, size), ids: this.ids.subarray(0, size) };
  }
}

const UNSEEN = 0;
const KEPT = 1;
const REMOVED = 2;

/** With columns: values are numbers of entries, each there once. Fingerprints wait for the columns. */
class NumberSink implements ValueSink {
  /** Entries, removed ones included. */
  seen = 0;
  readonly lanes: Uint32Array;
  readonly states: Uint8Array;

  constructor(
    private readonly file: SegmentPayload,
    private readonly entries: number,
    private readonly removed: Uint8Array | undefined,
  ) {
    this.lanes = new Uint32Array(2 * entries);
    this.states = new Uint8Array(entries);
  }

  /** Never full: what reads makes a pause. */
  get isFull(): boolean {
    return this.seen % BATCH === 0;
  }

  add(low: number, high: number, number: number, slot: number): void {
    if (number >= this.entries || this.states[number] !== UNSEEN) {
      throw corrupt(this.file, 'rows', `entry ${number} is not there, or twice`);
    }
    this.seen++;
    this.lanes[2 * number] = low;
    this.lanes[2 * number + 1] = high;
    this.states[number] = isRemoved(this.removed, slot) ? REMOVED : KEPT;
  }
}

/** Brings fingerprints and columns together, some thousand entries at a time. */
function* readColumns(
  file: SegmentPayload,
  { entries, columns }: Description,
  tables: TablesDescription,
  { lanes, states }: NumberSink,
  onDamage: ((damage: Damage) => void) | undefined,
): Generator<EntryBatch, void> {
  const buffer = new BatchBuffer(columns, BATCH);
  const part = new ColumnPart(file, tables, buffer.entries);
  for (let from = 0; from < entries; from += BATCH) {
    const to = Math.min(entries, from + BATCH);
    try {
      part.read(from, to);
    } catch (error) {
      if (onDamage === undefined || !isCorrupt(error)) throw error;
      onDamage({ section: `entries ${from} to ${to - 1}`, error });
      continue;
    }
    buffer.rows.lanes.set(lanes.subarray(2 * from, 2 * to));
    const kept = buffer.keep(0, to - from, (i) => states[from + i] === KEPT);
    if (kept > 0) yield buffer.batch(0, kept);
  }
}

/** The columns of entries one after the other. */
class ColumnPart {
  private readonly ids: NumberReader;
  private readonly times: NumberReader | undefined;
  private lastId = 0;

  constructor(
    private readonly file: SegmentPayload,
    private readonly tables: TablesDescription,
    private readonly to: EntryBatch,
  ) {
    this.ids = new NumberReader(file, tables.ids as PackedColumn);
    this.times = tables.times && new NumberReader(file, tables.times);
  }

  /** Reads entries from..to-1 into the first places. */
  read(from: number, to: number): void {
    const { ids, times, tags, secondFingerprints } = this.to;
    this.ids.read(from, ids.subarray(0, to - from));
    for (let i = 0; i < to - from; i++) {
      const id = ids[i] as number;
      if (id < this.lastId) throw corrupt(this.file, 'ids', `that of entry ${from + i} is not in order`);
      this.lastId = id;
    }
    if (times !== undefined) this.times?.read(from, times.subarray(0, to - from));
    if (tags !== undefined) this.readItems(this.tables.tags, from, tags.subarray(0, to - from));
    if (secondFingerprints !== undefined)
      this.readItems(this.tables.secondFingerprints, from, secondFingerprints.subarray(0, to - from));
  }

  private readItems(section: Section | undefined, from: number, to: BigUint64Array | Uint32Array): void {
    this.file.read((section?.offset ?? 0) + to.BYTES_PER_ELEMENT * from, bytesOf(to));
  }
}

/** Numbers of a packed column. */
class NumberReader {
  private readonly reader: PackedReader;

  constructor(
    private readonly file: SegmentPayload,
    private readonly column: PackedColumn,
  ) {
    this.reader = new PackedReader(new PayloadWindow(file, column.section), column.width);
  }

  /** Reads the items from `from` on. */
  read(from: number, to: Float64Array): void {
    const { reader } = this;
    const { least, section } = this.column;
    reader.seek(from);
    for (let i = 0; i < to.length; i++) {
      reader.next();
      const value = reader.value + least;
      if (value > Number.MAX_SAFE_INTEGER) {
        throw corrupt(this.file, section.name, `that of entry ${from + i} is 2^53 or more`);
      }
      to[i] = value;
    }
  }
}
