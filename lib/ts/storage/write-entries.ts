/** A payload of layout 1 (entries), made piece by piece as it is read. */
import type { IndexColumns } from '../../engine.ts';
import type { Rows } from '../index/columns.ts';
import { columnBits, ENTRIES_LAYOUT } from './description.ts';
import { type ColumnSection, layOutEntries } from './entries-layout.ts';

/** Items made at a time. */
const PIECE = 1 << 13;

/** Entries in the order of (fingerprint, id, time, tag, second). */
export interface OrderedEntries {
  readonly kinds: IndexColumns;
  readonly count: number;
  /** Fingerprints in order, as lanes. */
  readonly lanes: Uint32Array;
  /** order[i]: where the other columns of the i-th stand in `columns`. */
  readonly order: Uint32Array;
  readonly columns: Omit<Rows, 'lanes'>;
}

/** Immutable; as large as what it was made of, beside a piece. */
export class EntriesPayload {
  /** Bytes. */
  readonly length: number;
  private readonly description: Uint8Array;
  private readonly sections: readonly ColumnSection[];
  private readonly piece = new Uint32Array(2 * PIECE);

  constructor(private readonly entries: OrderedEntries) {
    const { kinds, count } = entries;
    const { words, sections, length } = layOutEntries(count, kinds);
    this.length = length;
    this.sections = sections;
    const offsets = sections.map(({ offset }) => offset);
    const numbers = [ENTRIES_LAYOUT, count, columnBits(kinds), length, words, ...offsets];
    const lanes = new Uint32Array(2 * words);
    for (const [i, number] of numbers.entries()) putNumber(lanes, i, number);
    this.description = new Uint8Array(lanes.buffer);
  }

  /** Copies the bytes from `offset` on. */
  read(offset: number, out: Uint8Array): void {
    out.fill(0);
    copyPart(this.description, 0, offset, out);
    for (const section of this.sections) {
      const first = Math.max(0, Math.floor((offset - section.offset) / section.size));
      const end = Math.min(
        this.entries.count,
        Math.ceil((offset + out.length - section.offset) / section.size),
      );
      for (let from = first; from < end; from += PIECE) {
        const items = this.make(section, from, Math.min(end, from + PIECE));
        copyPart(items, section.offset + section.size * from, offset, out);
      }
    }
  }

  /** Items from..to-1 of a section. */
  private make({ name, size }: ColumnSection, from: number, to: number): Uint8Array {
    const { piece } = this;
    const { lanes, order, columns } = this.entries;
    if (name === 'fingerprints') {
      piece.set(lanes.subarray(2 * from, 2 * to));
    } else if (name === 'tags') {
      const tags = columns.tags as Uint32Array;
      for (let i = from; i < to; i++) piece[i - from] = tags[order[i] as number] as number;
    } else if (name === 'secondFingerprints') {
      const secondFingerprints = columns.secondFingerprints as Uint32Array;
      for (let i = from; i < to; i++) {
        const slot = order[i] as number;
        piece[2 * (i - from)] = secondFingerprints[2 * slot] as number;
        piece[2 * (i - from) + 1] = secondFingerprints[2 * slot + 1] as number;
      }
    } else {
      const column = columns[name] as Float64Array | Uint32Array;
      for (let i = from; i < to; i++) putNumber(piece, i - from, column[order[i] as number] as number);
    }
    return new Uint8Array(piece.buffer, 0, size * (to - from));
  }
}

/** Writes word `i`. */
function putNumber(lanes: Uint32Array, i: number, value: number): void {
  lanes[2 * i] = value;
  lanes[2 * i + 1] = Math.floor(value / 2 ** 32);
}

/** Copies what `bytes`, which stand at `at`, and `out`, which stands at `offset`, have in common. */
function copyPart(bytes: Uint8Array, at: number, offset: number, out: Uint8Array): void {
  const from = Math.max(at, offset);
  const to = Math.min(at + bytes.length, offset + out.length);
  if (from < to) out.set(bytes.subarray(from - at, to - at), from - offset);
}
