/** The description at the start of a payload: words, read in order, each checked to be a number that can be. */
import type { IndexColumns, SegmentPayload } from '../../engine.ts';
import { corrupt } from './corrupt.ts';

/** Words of the description that both layouts have. */
export const COMMON_WORDS = 5;
export const ENTRIES_LAYOUT = 1;
export const TABLES_LAYOUT = 2;
/** Sections start at multiples of so many bytes. */
export const ALIGNMENT = 64;
/** Far more words than a plan of 32 tables takes. */
const MAX_WORDS = 2 ** 16;
const SECTION = 'description';

/** Bytes of a payload. */
export interface Section {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/** The columns as bits: 1 time + 2 tag + 4 second fingerprint. */
export function columnBits({ time, tag, second }: IndexColumns): number {
  return (time ? 1 : 0) + (tag ? 2 : 0) + (second ? 4 : 0);
}

/** The description of an open payload; the words after the common ones are read one after the other. */
export class Description {
  readonly layout: number;
  /** At most eight for each byte of the payload. */
  readonly entries: number;
  readonly columns: IndexColumns;
  /** Bytes, from the start, that are read and checked when the file is opened. */
  readonly head: number;
  /** Bytes of the description. */
  readonly length: number;
  private readonly lanes: Uint32Array;
  private at = COMMON_WORDS;

  /** Throws ERR_NEARDUP_CORRUPT where the common words cannot be those of an index with these columns. */
  constructor(
    private readonly file: SegmentPayload,
    columns: IndexColumns,
  ) {
    if (file.length < 8 * COMMON_WORDS) throw corrupt(file, SECTION, `it has ${file.length} bytes`);
    this.lanes = this.read(COMMON_WORDS);
    const [layout, entries, bits, head, words] = Array.from({ length: COMMON_WORDS }, (_, i) => this.word(i));
    this.layout = layout as number;
    if (layout !== ENTRIES_LAYOUT && layout !== TABLES_LAYOUT) this.fail(`layout ${layout} is not known`);
    this.entries = entries as number;
    // An entry takes at least a bit.
    if (this.entries > 8 * file.length) this.fail(`it counts ${entries} entries in ${file.length} bytes`);
    this.columns = columns;
    if (bits !== columnBits(columns)) this.fail(`it has columns ${bits}, the index ${columnBits(columns)}`);
    this.length = 8 * (words as number);
    const isPossible = (words as number) >= COMMON_WORDS && (words as number) <= MAX_WORDS;
    if (!isPossible || this.length > file.length) this.fail(`it counts ${words} words`);
    this.head = head as number;
    if (this.head < this.length || this.head > file.length) this.fail(`${head} bytes are no head`);
    this.lanes = this.read(words as number);
  }

  /** The next word, 0 to `most`. */
  number(what: string, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.word(this.next());
    if (value > most) this.fail(`${what} is ${value}`);
    return value;
  }

  /** The next word, as lanes. */
  pair(): readonly [low: number, high: number] {
    const at = this.next();
    return [this.lanes[2 * at] as number, this.lanes[2 * at + 1] as number];
  }

  /** The next `count` bytes, a multiple of 8. */
  bytes(count: number): Uint8Array {
    const at = this.next(count / 8);
    return new Uint8Array(this.lanes.buffer, 8 * at, count);
  }

  /** The next two words: a section. */
  section(name: string): Section {
    const offset = this.number(`the offset of ${name}`, this.file.length);
    const length = this.number(`the length of ${name}`, this.file.length - offset);
    if (offset % ALIGNMENT !== 0 || (length > 0 && offset < this.length)) {
      this.fail(`${name} cannot start at ${offset}`);
    }
    return { name, offset, length };
  }

  /** To be called when all is read. */
  checkEnd(): void {
    this.checkWords(this.at);
  }

  /** Throws where the description has not just so many words. */
  checkWords(needed: number): void {
    if (this.length !== 8 * needed) this.fail(`it has ${this.length / 8} words, ${needed} are needed`);
  }

  fail(what: string): never {
    throw corrupt(this.file, SECTION, what);
  }

  private next(count = 1): number {
    const { at } = this;
    if (2 * (at + count) > this.lanes.length) this.fail('it ends early');
    this.at += count;
    return at;
  }

  private word(i: number): number {
    const high = this.lanes[2 * i + 1] as number;
    if (high >= 2 ** 21) this.fail(`word ${i} is no number`);
    return high * 2 ** 32 + (this.lanes[2 * i] as number);
  }

  private read(words: number): Uint32Array {
    const lanes = new Uint32Array(2 * words);
    this.file.read(0, new Uint8Array(lanes.buffer));
    return lanes;
  }
}

/** Whether a slot is marked in the bits of removed slots. */
export function isRemoved(removed: Uint8Array | undefined, slot: number): boolean {
  return removed !== undefined && (((removed[Math.floor(slot / 8)] as number) >> (slot & 7)) & 1) === 1;
}

/** Throws where the bits of removed slots are not those of `slots` slots. */
export function checkRemoved(file: SegmentPayload, removed: Uint8Array | undefined, slots: number): void {
  if (removed === undefined || removed.length === Math.ceil(slots / 8)) return;
  throw corrupt(file, 'removed slots', `${removed.length} bytes are not those of ${slots} slots`);
}
