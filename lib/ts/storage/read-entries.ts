/** Reads a payload of layout 1 (entries) in blocks, and checks that it is what an engine writes. O(n). */
import type { EntryBatch, SegmentPayload } from '../../engine.ts';
import { compareColumns } from '../index/columns.ts';
import { BatchBuffer, bytesOf } from './batch-buffer.ts';
import { corrupt } from './corrupt.ts';
import { type Damage, isCorrupt } from './damage.ts';
import { checkRemoved, type Description, isRemoved } from './description.ts';
import { type ColumnName, type ColumnSection, type EntriesLayout, layOutEntries } from './entries-layout.ts';

/** Entries of a block. */
const BLOCK = 1 << 14;

/**
 * The entries in order, but the removed ones, in batches that last until the next one. What is wrong is
 * ERR_NEARDUP_CORRUPT, or, with `onDamage`, told and left out.
 */
export function* readEntries(
  file: SegmentPayload,
  description: Description,
  removed: Uint8Array | undefined,
  onDamage?: (damage: Damage) => void,
): Generator<EntryBatch, void> {
  const { entries } = description;
  const layout = checkedLayout(file, description, onDamage === undefined);
  checkRemoved(file, removed, entries);
  const block = new Block(file, description, layout);
  for (let from = 0; from < entries; from += BLOCK) {
    const count = Math.min(BLOCK, entries - from);
    try {
      block.read(from, count);
    } catch (error) {
      if (onDamage === undefined || !isCorrupt(error)) throw error;
      onDamage({ section: `entries ${from} to ${from + count - 1}`, error });
      continue;
    }
    const kept = block.buffer.keep(1, 1 + count, (i) => !isRemoved(removed, from + i - 1));
    if (kept > 0) yield block.buffer.batch(1, 1 + kept);
  }
}

function checkedLayout(file: SegmentPayload, description: Description, withGaps: boolean): EntriesLayout {
  const layout = layOutEntries(description.entries, description.columns);
  description.checkWords(layout.words);
  if (file.length !== layout.length || description.head !== file.length) {
    description.fail(`${description.entries} entries take ${layout.length} bytes, not ${file.length}`);
  }
  let end = description.length;
  for (const { name, offset, size } of layout.sections) {
    if (description.number(`the offset of ${name}`) !== offset) description.fail(`${name} start elsewhere`);
    if (!withGaps) continue;
    const gap = new Uint8Array(offset - end);
    file.read(end, gap);
    if (gap.some((byte) => byte !== 0)) throw corrupt(file, name, 'the bytes before it are not zero');
    end = offset + size * description.entries;
  }
  return layout;
}

/** A block of entries, from place 1 on; place 0 holds the last entry of the block before. */
class Block {
  readonly buffer: BatchBuffer;
  /** Numbers as they stand in the file. */
  private readonly words: Uint32Array;
  private last = 0;

  constructor(
    private readonly file: SegmentPayload,
    { entries, columns }: Description,
    private readonly layout: EntriesLayout,
  ) {
    const room = Math.min(BLOCK, entries) + 1;
    this.buffer = new BatchBuffer(columns, room);
    this.words = new Uint32Array(2 * room);
  }

  /** Reads entries from..from+count-1. */
  read(from: number, count: number): void {
    const { entries } = this.buffer;
    this.buffer.copy(this.last, 0);
    this.last = 0;
    for (const section of this.layout.sections) {
      const column = entries[section.name] as EntryBatch[ColumnName] & object;
      if (column instanceof Float64Array) this.readNumbers(section, from, count, column);
      else this.readItems(section, from, column.subarray(1, 1 + count));
    }
    this.checkOrder(from, count);
    this.last = count;
  }

  private readItems({ offset, size }: ColumnSection, from: number, to: BigUint64Array | Uint32Array): void {
    this.file.read(offset + size * from, bytesOf(to));
  }

  private readNumbers(section: ColumnSection, from: number, count: number, column: Float64Array): void {
    const { words } = this;
    this.readItems(section, from, words.subarray(0, 2 * count));
    for (let i = 0; i < count; i++) {
      const high = words[2 * i + 1] as number;
      if (high >= 2 ** 21)
        throw corrupt(this.file, section.name, `that of entry ${from + i} is 2^53 or more`);
      column[i + 1] = high * 2 ** 32 + (words[2 * i] as number);
    }
  }

  private checkOrder(from: number, count: number): void {
    const { rows } = this.buffer;
    const { lanes } = rows;
    for (let i = from === 0 ? 2 : 1; i <= count; i++) {
      let order = (lanes[2 * i + 1] as number) - (lanes[2 * i - 1] as number);
      if (order === 0) order = (lanes[2 * i] as number) - (lanes[2 * i - 2] as number);
      if (order === 0) order = compareColumns(rows, i, i - 1);
      if (order < 0) throw corrupt(this.file, 'entries', `entry ${from + i - 1} is not in order`);
    }
  }
}
