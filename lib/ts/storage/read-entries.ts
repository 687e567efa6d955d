/** Reads a payload of layout 1 (entries) in blocks, and checks that it is what an engine writes. O(n). */
import type { EntryBatch, SegmentPayload } from '../../engine.ts';
import { compareColumns, copyColumns, type Rows, rowsOf } from '../index/columns.ts';
import { corrupt } from './corrupt.ts';
import { checkRemoved, type Description, isRemoved } from './description.ts';
import { type ColumnSection, type EntriesLayout, layOutEntries } from './entries-layout.ts';

/** Entries of a block. */
const BLOCK = 1 << 14;

/** The entries in order, but the removed ones, in batches that last until the next one. */
export function* readEntries(
  file: SegmentPayload,
  description: Description,
  removed: Uint8Array | undefined,
): Generator<EntryBatch, void> {
  const { entries } = description;
  const layout = checkedLayout(file, description);
  checkRemoved(file, removed, entries);
  const block = new Block(file, description, layout);
  for (let from = 0; from < entries; from += BLOCK) {
    const count = Math.min(BLOCK, entries - from);
    block.read(from, count);
    const kept = block.keep(count, (i) => !isRemoved(removed, from + i));
    if (kept > 0) yield block.batch(kept);
  }
}

function checkedLayout(file: SegmentPayload, description: Description): EntriesLayout {
  const layout = layOutEntries(description.entries, description.columns);
  description.checkWords(layout.words);
  if (file.length !== layout.length || description.head !== file.length) {
    description.fail(`${description.entries} entries take ${layout.length} bytes, not ${file.length}`);
  }
  let end = description.length;
  for (const { name, offset, size } of layout.sections) {
    if (description.number(`the offset of ${name}`) !== offset) description.fail(`${name} start elsewhere`);
    const gap = new Uint8Array(offset - end);
    file.read(end, gap);
    if (gap.some((byte) => byte !== 0)) throw corrupt(file, name, 'the bytes before it are not zero');
    end = offset + size * description.entries;
  }
  return layout;
}

/** A block of entries; place 0 holds the last entry of the block before. */
class Block {
  private readonly entries: EntryBatch;
  private readonly rows: Rows;
  /** Numbers as they stand in the file. */
  private readonly words: Uint32Array;
  private before = 0;

  constructor(
    private readonly file: SegmentPayload,
    description: Description,
    private readonly layout: EntriesLayout,
  ) {
    const room = Math.min(BLOCK, description.entries) + 1;
    const { time, tag, second } = description.columns;
    this.entries = {
      fingerprints: new BigUint64Array(room),
      ids: new Float64Array(room),
      ...(time && { times: new Float64Array(room) }),
      ...(tag && { tags: new Uint32Array(room) }),
      ...(second && { seconds: new BigUint64Array(room) }),
    };
    this.rows = rowsOf(this.entries);
    this.words = new Uint32Array(2 * room);
  }

  /** Reads entries from..from+count-1. */
  read(from: number, count: number): void {
    if (from > 0) {
      const { lanes } = this.rows;
      lanes.copyWithin(0, 2 * this.before, 2 * this.before + 2);
      copyColumns(this.rows, this.before, this.rows, 0);
    }
    this.before = count;
    for (const section of this.layout.sections) {
      const { name } = section;
      const column = this.entries[name];
      if (column instanceof Float64Array) {
        this.fill(section, from, this.words.subarray(0, 2 * count));
        this.readNumbers(section, from, count, column);
      } else {
        this.fill(section, from, (column as BigUint64Array | Uint32Array).subarray(1, 1 + count));
      }
    }
    this.checkOrder(from, count);
  }

  private fill({ offset, size }: ColumnSection, from: number, to: BigUint64Array | Uint32Array): void {
    this.file.read(offset + size * from, new Uint8Array(to.buffer, to.byteOffset, to.byteLength));
  }

  private readNumbers({ name }: ColumnSection, from: number, count: number, column: Float64Array): void {
    const { words } = this;
    for (let i = 0; i < count; i++) {
      const high = words[2 * i + 1] as number;
      if (high >= 2 ** 21) throw corrupt(this.file, name, `that of entry ${from + i} is 2^53 or more`);
      column[i + 1] = high * 2 ** 32 + (words[2 * i] as number);
    }
  }

  private checkOrder(from: number, count: number): void {
    const { rows } = this;
    const { lanes } = rows;
    for (let i = from === 0 ? 2 : 1; i <= count; i++) {
      let order = (lanes[2 * i + 1] as number) - (lanes[2 * i - 1] as number);
      if (order === 0) order = (lanes[2 * i] as number) - (lanes[2 * i - 2] as number);
      if (order === 0) order = compareColumns(rows, i, i - 1);
      if (order < 0) throw corrupt(this.file, 'entries', `entry ${from + i - 1} is not in order`);
    }
  }

  /** Moves those of the `count` entries together that are kept; how many. The last one stays where it is. */
  keep(count: number, isKept: (i: number) => boolean): number {
    const { rows } = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      if (!isKept(i)) continue;
      if (kept++ === i) continue;
      rows.lanes[2 * kept] = rows.lanes[2 * i + 2] as number;
      rows.lanes[2 * kept + 1] = rows.lanes[2 * i + 3] as number;
      copyColumns(rows, i + 1, rows, kept);
    }
    return kept;
  }

  /** The first `count` entries. */
  batch(count: number): EntryBatch {
    const { fingerprints, ids, times, tags, seconds } = this.entries;
    return {
      fingerprints: fingerprints.subarray(1, 1 + count),
      ids: ids.subarray(1, 1 + count),
      ...(times && { times: times.subarray(1, 1 + count) }),
      ...(tags && { tags: tags.subarray(1, 1 + count) }),
      ...(seconds && { seconds: seconds.subarray(1, 1 + count) }),
    };
  }
}
