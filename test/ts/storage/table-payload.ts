/** Payloads of layout 2 made as docs/format.md tells them: slow, and nothing is shared with the engines. */
import type { IndexColumns } from '../../../lib/engine.ts';
import type { Entry } from '../../index/entries.ts';
import { field, keyMask, type TableShape, wordFor } from './table-words.ts';

export interface PayloadShape {
  readonly tables: readonly [TableShape, ...TableShape[]];
  readonly order?: readonly number[];
  /** Entries for each line, about. */
  readonly perLine: number;
  /** Superblocks of the primary with fewer fingerprints than this are thin. */
  readonly thinBelow: number;
}

export interface TablePayload {
  readonly bytes: Uint8Array;
  /** The entry of each slot; undefined where there is none. */
  readonly slots: readonly (Entry | undefined)[];
  /** Where each section stands: name and table. */
  readonly sections: ReadonlyMap<string, { offset: number; length: number }>;
}

/** Packed integers, with the bytes that there are for them. */
function pack(values: readonly bigint[], width: number): Uint8Array {
  const bytes = new Uint8Array((Math.floor(values.length / 8) + 1) * width + 16);
  for (const [i, value] of values.entries()) {
    for (let b = 0; b < width; b++) {
      const bit = i * width + b;
      if ((value >> BigInt(b)) & 1n) bytes[bit >> 3] |= 1 << (bit & 7);
    }
  }
  return bytes;
}

function words(values: readonly (bigint | number)[], size = 8): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * size));
  for (const [i, value] of values.entries()) {
    if (size === 8) view.setBigUint64(8 * i, BigInt(value), true);
    else view.setUint32(4 * i, Number(value), true);
  }
  return new Uint8Array(view.buffer);
}

const widthOf = (value: bigint): number => Math.max(1, value === 0n ? 1 : value.toString(2).length);

interface BuiltTable {
  readonly numbers: readonly number[];
  readonly sections: Readonly<Record<string, Uint8Array>>;
  /** Rows of the words, in the order of words; empty for secondary tables. */
  readonly rows: readonly number[];
  readonly rowCount: number;
}

/** A table over words, ascending and distinct. */
function buildTable(
  all: readonly bigint[],
  table: TableShape,
  isPrimary: boolean,
  shape: PayloadShape,
): BuiltTable {
  const { bucketBits: b, superblockShift: w, rangeBits } = table;
  const capacity = isPrimary ? Math.min(15, Math.floor(504 / (64 - b + rangeBits))) : 15;
  const tail = isPrimary ? 32 - b + rangeBits : 0;
  const cap = isPrimary ? 2n ** BigInt(tail) - 1n : 255n;
  const superblocks = 2 ** (b - w);
  const bucketOf = (word: bigint) => field(word, 64 - b, b);
  const directory: number[] = [];
  const base: number[] = [];
  const overflow: bigint[] = [];
  const lines: bigint[][] = [[], []];
  const isHome: boolean[] = [];
  const place: number[] = [];
  let stop = 0;
  for (let s = 0; s < superblocks; s++) {
    const from = stop;
    while (stop < all.length && Math.floor(bucketOf(all[stop] as bigint) / 2 ** w) === s) stop++;
    base.push(overflow.length);
    if (stop === from) {
      directory.push(0, 0);
      continue;
    }
    if (isPrimary && stop - from < shape.thinBelow) {
      directory.push(1, 0);
      for (let i = from; i < stop; i++) {
        isHome.push(false);
        place.push(overflow.push(all[i] as bigint) - 1);
      }
      continue;
    }
    const least = isPrimary ? 2 ** Math.max(0, w - rangeBits) : 1;
    const count = Math.min(2 ** w, Math.max(least, Math.ceil((stop - from) / shape.perLine)));
    directory.push(lines.length, count);
    const parts: bigint[][] = Array.from({ length: count }, () => []);
    for (let i = from; i < stop; i++) {
      const bucket = BigInt(bucketOf(all[i] as bigint) - s * 2 ** w);
      parts[Number((bucket * BigInt(count)) >> BigInt(w))]?.push(all[i] as bigint);
    }
    for (const part of parts) {
      const items = isPrimary ? part : [...new Set(part.map((word) => word & 0xffff_ffffn))];
      if (!isPrimary && items.length > 64) items.sort((a, b) => Number(a - b));
      const home = items.length > capacity ? capacity - 1 : items.length;
      const line = items.slice(0, home);
      for (let i = 0; i < home; i++) {
        isHome.push(true);
        place.push(0);
      }
      const rest = items.slice(home);
      if (rest.length > 0) {
        line.push(BigInt(overflow.length - (base[s] as number)), BigInt(rest.length));
        if (BigInt(rest.length) >= cap) {
          if (isPrimary) overflow.push(BigInt(rest.length));
          else overflow.push(BigInt(rest.length), 0n);
        }
        for (const item of rest) {
          isHome.push(false);
          place.push(overflow.push(item) - 1);
        }
      }
      lines.push(line);
    }
  }
  base.push(overflow.length);
  const lineBytes = new Uint8Array(64 * lines.length);
  lineBytes[127] = 128;
  const used = lines.map((line, l) => {
    const continues = line.length > capacity;
    const home = continues ? capacity - 1 : line.length;
    const bytes = lineBytes.subarray(64 * l, 64 * l + 64);
    if (l >= 2) bytes[63] = home | (continues ? 128 : 0);
    const length = continues ? (line[capacity] as bigint) : 0n;
    const held = continues ? line.slice(0, capacity) : line;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    for (const [i, word] of held.entries()) view.setUint32(4 * i, Number(word & 0xffff_ffffn), true);
    const limited = length < cap ? length : cap;
    if (isPrimary) {
      const tails = held.map((word, i) => (i < home ? (word >> 32n) & cap : limited));
      if (tail > 0) bytes.set(pack(tails, tail).subarray(0, Math.ceil((capacity * tail) / 8)), 4 * capacity);
    } else if (continues) {
      bytes[60] = Number(limited);
    }
    return home;
  });
  const homeRows = used.reduce((sum, count) => sum + count, 0);
  let nextHome = 0;
  const rows = isHome.map((home, i) => (home ? nextHome++ : homeRows + (place[i] as number)));
  const ranks = new Uint8Array(24 * (Math.floor(lines.length / 16) + 1));
  let row = 0;
  let first = 0;
  for (const [l, count] of used.entries()) {
    if (l % 16 === 0) {
      first = row;
      new DataView(ranks.buffer).setBigUint64(24 * (l / 16), BigInt(row), true);
    }
    ranks[24 * Math.floor(l / 16) + 8 + (l % 16)] = row - first;
    row += count;
  }
  const counts = isPrimary ? homeRows : 0;
  return {
    numbers: [
      capacity,
      tail,
      rangeBits,
      w,
      superblocks,
      counts,
      overflow.length,
      lines.length,
      all.length,
      0,
      overflow.length,
      0,
    ],
    sections: {
      directory: words(directory, 4),
      lines: lineBytes,
      overflow: words([...overflow, 0n, 0n], isPrimary ? 8 : 4),
      'overflow base': words(base),
      ranks: isPrimary ? ranks : new Uint8Array(0),
    },
    rows,
    rowCount: homeRows + overflow.length,
  };
}

/** The values of rows, and the lists of those that have several. */
function buildValues(groups: readonly (readonly bigint[])[], { rows, rowCount }: BuiltTable) {
  const hasLists = groups.some(({ length }) => length > 1);
  const lists: bigint[] = [];
  const values: bigint[] = new Array(rowCount).fill(0n);
  const places = groups.map((group, i) => {
    const row = rows[i] as number;
    if (group.length === 1) {
      values[row] = hasLists ? 2n * (group[0] as bigint) : (group[0] as bigint);
      return [row];
    }
    values[row] = 2n * BigInt(lists.length) + 1n;
    const first = rowCount + lists.push(BigInt(group.length));
    lists.push(...group);
    return group.map((_, j) => first + j);
  });
  const largest = [...groups.flat(), BigInt(lists.length)].reduce((a, b) => (a > b ? a : b), 0n);
  return { values, lists, width: widthOf(largest) + (hasLists ? 1 : 0), places };
}

/** The payload of some entries. */
export function tablePayload(
  entries: readonly Entry[],
  columns: IndexColumns,
  shape: PayloadShape,
): TablePayload {
  const { tables, order } = shape;
  const hasColumns = columns.time || columns.tag || columns.second;
  const byId = [...entries].sort((a, b) => a.id - b.id);
  const groups = new Map<bigint, { fingerprint: bigint; numbers: number[] }>();
  for (const [number, { fingerprint }] of byId.entries()) {
    const word = wordFor(fingerprint, tables[0], 0n, order);
    const group = groups.get(word) ?? { fingerprint, numbers: [] };
    group.numbers.push(number);
    groups.set(word, group);
  }
  const wordsOf = (t: number): bigint[] =>
    [...groups.values()]
      .map(({ fingerprint }) =>
        wordFor(fingerprint, tables[t] as TableShape, t === 0 ? 0n : keyMask(tables[0]), order),
      )
      .sort((a, b) => (a < b ? -1 : 1));
  const built = tables.map((table, t) => buildTable(wordsOf(t), table, t === 0, shape));
  const primary = built[0] as BuiltTable;
  const numbers = wordsOf(0).map((word) => groups.get(word)?.numbers as number[]);
  const ids = (group: number[]) => group.map((n) => BigInt(hasColumns ? n : (byId[n] as Entry).id));
  const { values, lists, width, places } = buildValues(numbers.map(ids), primary);
  const slots: (Entry | undefined)[] = new Array(primary.rowCount + lists.length).fill(undefined);
  for (const [i, group] of numbers.entries()) {
    for (const [j, n] of group.entries()) slots[places[i]?.[j] as number] = byId[n];
  }

  const head: (bigint | string)[] = [];
  const data = new Map<string, Uint8Array>();
  const section = (name: string, bytes: Uint8Array) => {
    head.push(name);
    data.set(name, bytes);
  };
  const load = new DataView(new ArrayBuffer(8));
  load.setFloat64(0, 0.75);
  const bits = (columns.time ? 1 : 0) + (columns.tag ? 2 : 0) + (columns.second ? 4 : 0);
  head.push(2n, BigInt(entries.length), BigInt(bits), 0n, 0n, BigInt(groups.size), 3n, load.getBigUint64(0));
  const orderBytes = new Uint8Array(64).map((_, i) => order?.[i] ?? 0);
  for (let i = 0; i < 8; i++) head.push(new DataView(orderBytes.buffer).getBigUint64(8 * i, true));
  head.push(BigInt(tables.length));
  for (const [t, table] of tables.entries()) {
    const { key, radius, codes, bucketBits } = table;
    head.push(BigInt(key.length), ...key.map(({ low, width: size }) => BigInt(low + 256 * size)));
    head.push(BigInt(radius), BigInt(codes.length), ...codes.map(BigInt), BigInt(bucketBits));
    head.push(t === 0 ? 0n : keyMask(tables[0]), ...(built[t]?.numbers ?? []).map(BigInt));
    for (const [name, bytes] of Object.entries(built[t]?.sections ?? {})) section(`${name} ${t}`, bytes);
  }
  head.push(BigInt(width), BigInt(lists.length));
  section('rows', pack(values, width));
  section('lists', lists.length === 0 ? new Uint8Array(0) : pack(lists, width));
  const packed = (name: string, column: readonly bigint[]) => {
    const sorted = [...column].sort((a, b) => (a < b ? -1 : 1));
    const least = sorted[0] as bigint;
    const most = (sorted.at(-1) as bigint) - least;
    head.push(least, BigInt(widthOf(most)));
    section(
      name,
      pack(
        column.map((value) => value - least),
        widthOf(most),
      ),
    );
  };
  if (hasColumns)
    packed(
      'ids',
      byId.map(({ id }) => BigInt(id)),
    );
  if (columns.time)
    packed(
      'times',
      byId.map(({ time }) => BigInt(time)),
    );
  if (columns.tag)
    section(
      'tags',
      words(
        byId.map(({ tag }) => tag),
        4,
      ),
    );
  if (columns.second) section('seconds', words(byId.map(({ second }) => second)));
  return { slots, ...place(head, data) };
}

/** Places the sections, those of the head first, and fills in where they are. */
function place(head: readonly (bigint | string)[], data: ReadonlyMap<string, Uint8Array>) {
  const count = head.reduce((sum, item) => sum + (typeof item === 'string' ? 2 : 1), 0);
  const isHead = (name: string) => /^(directory|overflow base)/.test(name);
  const names = [...data.keys()];
  const sections = new Map<string, { offset: number; length: number }>();
  let end = 8 * count;
  let headEnd = end;
  for (const name of [...names.filter(isHead), ...names.filter((each) => !isHead(each))]) {
    const { length } = data.get(name) as Uint8Array;
    const offset = Math.ceil(end / 64) * 64;
    sections.set(name, { offset, length });
    end = offset + length;
    if (isHead(name)) headEnd = end;
  }
  const bytes = new Uint8Array(Math.ceil(end / 64) * 64);
  const numbers = head.flatMap((item) => {
    if (typeof item !== 'string') return [item];
    const { offset, length } = sections.get(item) as { offset: number; length: number };
    return [BigInt(offset), BigInt(length)];
  });
  numbers[3] = BigInt(headEnd);
  numbers[4] = BigInt(count);
  bytes.set(words(numbers));
  for (const [name, { offset }] of sections) bytes.set(data.get(name) as Uint8Array, offset);
  return { bytes, sections };
}
