/** The superblocks of a table: the lines and the part of the overflow that each has. Read whole, 16 KiB and 16 KiB. */
import type { SegmentPayload } from '../../engine.ts';
import { corrupt } from './corrupt.ts';
import type { Section } from './description.ts';
import type { TableDescription } from './tables-description.ts';

/** Those before it are an empty one, and the one that stands for thin superblocks. */
export const FIRST_LINE = 2;
const THIN_LINE = 1;

function readLanes(file: SegmentPayload, { offset, length }: Section): Uint32Array {
  const lanes = new Uint32Array(length / 4);
  file.read(offset, new Uint8Array(lanes.buffer));
  return lanes;
}

/** Immutable. */
export class TableDirectory {
  private readonly lines: Uint32Array;
  private readonly bases: Float64Array;

  /** Throws ERR_NEARDUP_CORRUPT where lines or overflow do not follow one another. */
  constructor(
    private readonly file: SegmentPayload,
    private readonly table: TableDescription,
  ) {
    this.lines = readLanes(file, table.directory);
    const bases = readLanes(file, table.overflowBase);
    this.bases = new Float64Array(table.superblocks + 1);
    for (let s = 0; s <= table.superblocks; s++) {
      this.bases[s] = (bases[2 * s + 1] as number) * 2 ** 32 + (bases[2 * s] as number);
    }
    this.checkBases();
    this.checkLines();
  }

  firstLine(superblock: number): number {
    return this.lines[2 * superblock] as number;
  }

  lineCount(superblock: number): number {
    return this.lines[2 * superblock + 1] as number;
  }

  /** Whether all words of a superblock stand in the overflow. */
  isThin(superblock: number): boolean {
    return this.firstLine(superblock) === THIN_LINE;
  }

  /** The first overflow item of a superblock; of the one after the last: the number of items. */
  base(superblock: number): number {
    return this.bases[superblock] as number;
  }

  private checkBases(): void {
    const { superblocks, overflowItems } = this.table;
    let isAscending = this.base(0) === 0;
    for (let s = 0; s < superblocks; s++) isAscending &&= this.base(s) <= this.base(s + 1);
    if (isAscending && this.base(superblocks) === overflowItems) return;
    throw corrupt(this.file, 'overflow base', 'it does not ascend to the number of items');
  }

  private checkLines(): void {
    const { superblocks, superblockShift, lineCount, isPrimary } = this.table;
    let next = FIRST_LINE;
    for (let s = 0; s < superblocks; s++) {
      const first = this.firstLine(s);
      const count = this.lineCount(s);
      const isEmpty = first === 0 && this.base(s) === this.base(s + 1);
      const isRight = count > 0 ? first === next : isEmpty || (isPrimary && this.isThin(s));
      if (!isRight || count > 2 ** superblockShift) {
        throw corrupt(this.file, 'directory', `superblock ${s} has other lines`);
      }
      next += count;
    }
    if (next !== lineCount) throw corrupt(this.file, 'directory', `it has ${next} lines of ${lineCount}`);
  }
}
