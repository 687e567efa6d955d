/**
 * `sort | unique` of any number of records in a fixed memory: full memory is sorted and written as a run, and
 * the runs are merged at the end. A record is a key and, optionally, a value; of equal keys the first record
 * stays. Keys and values are strings of bytes (latin1), ordered byte by byte, as with LC_ALL=C. Exact: keys
 * are compared whole, not by a hash.
 */
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFully, writeFully } from '../storage/atomic-file.ts';

/** Runs of one level that are merged into one of the next: bounds the open files. */
const FAN_IN = 64;
const READ_BYTES = 65_536;
const WRITE_CHARS = 1_048_576;
/**
 * What a record takes besides its characters, with what the collector has not yet taken back: two strings, an
 * entry of the map, one of the sorted list, and the line that is written. Measured, then rounded up.
 */
const RECORD_OVERHEAD = 304;
/** A Map holds 2^24 entries at most. */
const MAX_RECORDS = 2 ** 23;

/** Between key and value; neither contains a newline, and a key that has a value contains no tab. */
const TAB = '\t';

export interface SortUniqueOptions {
  /** Bytes of memory for records; 256 MiB by default. */
  readonly memory?: number | undefined;
  /** Where runs are written; the system's folder for temporary files by default. */
  readonly directory?: string | undefined;
}

/** One record as a line of a run, without the newline. */
type Line = string;

function keyOf(line: Line, hasValues: boolean): string {
  return hasValues ? line.slice(0, line.indexOf(TAB)) : line;
}

/**
 * The same string in one piece. The engine keeps a concatenation as its parts, whose comparison is ten times
 * slower and which keep what they were cut from.
 */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** A run: a file that has no name any more where the system allows it, so that nothing is left behind. */
class Run {
  readonly #file: number;
  readonly #folder: string;
  #length = 0;

  constructor(directory: string) {
    this.#folder = mkdtempSync(join(directory, 'neardup-sort-'));
    this.#file = openSync(join(this.#folder, 'run'), 'wx+', 0o600);
    this.#removeFolder();
  }

  write(text: string): void {
    const bytes = Buffer.from(text, 'latin1');
    writeFully(this.#file, bytes, this.#length);
    this.#length += bytes.length;
  }

  *lines(): Generator<Line> {
    const buffer = Buffer.alloc(READ_BYTES);
    const size = fstatSync(this.#file).size;
    let rest = '';
    for (let at = 0; at < size; ) {
      const length = readFully(this.#file, buffer, at);
      at += length;
      const lines = (rest + buffer.toString('latin1', 0, length)).split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
  }

  close(): void {
    closeSync(this.#file);
    this.#removeFolder();
  }

  #removeFolder(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch {
      // an open file cannot be removed on this system: close() does it
    }
  }
}

/** Merges sorted lines; of equal keys, that of the earliest source stays. */
function* merge(sources: readonly Iterator<Line>[], hasValues: boolean): Generator<Line> {
  interface Head {
    readonly order: number;
    line: Line;
    key: string;
  }
  const isBefore = (a: Head, b: Head) => a.key < b.key || (a.key === b.key && a.order < b.order);
  const heap: Head[] = [];
  const sink = (start: number) => {
    for (let at = start; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBefore(heap[child], heap[least])) least = child;
      }
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least], heap[at]];
      at = least;
    }
  };
  for (const [order, source] of sources.entries()) {
    const { value, done } = source.next();
    if (done !== true) heap.push({ order, line: value, key: keyOf(value, hasValues) });
  }
  for (let at = heap.length >> 1; at >= 0; at--) sink(at);
  let last: string | undefined;
  while (heap.length > 0) {
    const head = heap[0];
    if (head.key !== last) yield head.line;
    last = head.key;
    const { value, done } = sources[head.order].next();
    if (done === true) {
      const end = heap.pop() as Head;
      if (heap.length > 0) heap[0] = end;
    } else {
      head.line = value;
      head.key = keyOf(value, hasValues);
    }
    sink(0);
  }
}

/** Groups lines into texts that are worth a write. */
function* texts(lines: Iterable<Line>): Generator<string> {
  let parts: string[] = [];
  let length = 0;
  for (const line of lines) {
    parts.push(line);
    length += line.length + 1;
    if (length >= WRITE_CHARS) {
      yield `${parts.join('\n')}\n`;
      parts = [];
      length = 0;
    }
  }
  if (parts.length > 0) yield `${parts.join('\n')}\n`;
}

/** Takes records, then gives them sorted, each key once. Close it in the end, whatever happened. */
export class UniqueSorter {
  readonly #memory: number;
  readonly #directory: string;
  readonly #hasValues: boolean;
  #records = new Map<string, string>();
  #bytes = 0;
  /** Runs by level, oldest first; those of a higher level are older than those of a lower one. */
  readonly #levels: Run[][] = [];

  /** `hasValues`: every record has a value, and its key no tab. */
  constructor(hasValues: boolean, options: SortUniqueOptions = {}) {
    this.#hasValues = hasValues;
    this.#memory = options.memory ?? 2 ** 28;
    this.#directory = options.directory ?? tmpdir();
  }

  /** Adds a record; keys and values without newlines. */
  add(key: string, value = ''): void {
    if (this.#records.has(key)) return;
    this.#records.set(inOnePiece(key), value);
    this.#bytes += key.length + value.length + RECORD_OVERHEAD;
    if (this.#bytes >= this.#memory || this.#records.size >= MAX_RECORDS) this.#spill();
  }

  /** All records: `key` or, with values, `key TAB value`; each yield is a text of whole lines. */
  *sorted(): Generator<string> {
    const sources = [...this.#levels].reverse().flat();
    const lines = this.#sortedRecords();
    if (sources.length === 0) yield* texts(lines);
    else yield* texts(merge([...sources.map((run) => run.lines()), lines], this.#hasValues));
  }

  close(): void {
    for (const run of this.#levels.flat()) run.close();
    this.#levels.length = 0;
    this.#records.clear();
  }

  *#sortedRecords(): Generator<Line> {
    for (const key of [...this.#records.keys()].sort()) {
      yield this.#hasValues ? `${key}${TAB}${this.#records.get(key)}` : key;
    }
  }

  #writeRun(lines: Iterable<Line>): Run {
    const run = new Run(this.#directory);
    try {
      for (const text of texts(lines)) run.write(text);
    } catch (error) {
      run.close();
      throw error;
    }
    return run;
  }

  #spill(): void {
    let run = this.#writeRun(this.#sortedRecords());
    this.#records = new Map();
    this.#bytes = 0;
    for (let level = 0; ; level++) {
      const runs = this.#levels[level] ?? [];
      this.#levels[level] = runs;
      runs.push(run);
      if (runs.length < FAN_IN) return;
      const sources = runs.map((old) => old.lines());
      run = this.#writeRun(merge(sources, this.#hasValues));
      for (const old of runs) old.close();
      this.#levels[level] = [];
    }
  }
}
