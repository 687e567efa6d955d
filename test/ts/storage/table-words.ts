/** Words of tables as docs/format.md tells them, bit by bit: slow, and nothing is shared with the engines. */

export interface TableShape {
  readonly key: readonly { low: number; width: number }[];
  readonly radius: number;
  /** 0 Hamming 7, 1 Hamming 15, 2 Hamming 31, 3 Golay 23. */
  readonly codes: readonly number[];
  readonly bucketBits: number;
  readonly superblockShift: number;
  /** Of the primary table; 0 of others. */
  readonly rangeBits: number;
}

const bitOf = (value: bigint, bit: number): bigint => (value >> BigInt(bit)) & 1n;
const ones = (value: number): number => value.toString(2).replaceAll('0', '').length;

/** Bits low..low+width-1 of a value. */
export const field = (value: bigint, low: number, width: number): number =>
  Number((value >> BigInt(low)) & ((1n << BigInt(width)) - 1n));

interface Code {
  readonly n: number;
  readonly c: number;
  readonly columns: readonly number[];
  readonly leaders: ReadonlyMap<number, number>;
}

function syndrome(columns: readonly number[], value: number): number {
  return columns.reduce((sum, column, bit) => ((value >>> bit) & 1 ? sum ^ column : sum), 0);
}

function makeCode(n: number, c: number): Code {
  const columns: number[] = [];
  if (n === 23) {
    for (let i = 0; i < n; i++) {
      let power = 2 ** i;
      for (let bit = i; bit >= 11; bit--) if ((power >> bit) & 1) power ^= 0xae3 << (bit - 11);
      columns.push(power);
    }
  } else {
    for (let i = 0; i < c; i++) columns.push(2 ** i);
    for (let i = 1; i < 2 ** c; i++) if (ones(i) > 1) columns.push(i);
  }
  const errors = [0];
  for (let a = 0; a < n; a++) {
    errors.push(2 ** a);
    for (let b = 0; n === 23 && b < a; b++) {
      errors.push(2 ** a + 2 ** b);
      for (let d = 0; d < b; d++) errors.push(2 ** a + 2 ** b + 2 ** d);
    }
  }
  const leaders = new Map(errors.map((error) => [syndrome(columns, error), error >>> c]));
  if (leaders.size !== 2 ** c || errors.length !== leaders.size) throw new Error('the code is not perfect');
  return { n, c, columns, leaders };
}

const CODES = [makeCode(7, 3), makeCode(15, 4), makeCode(31, 5), makeCode(23, 11)];

export function keyBits({ key }: TableShape): number {
  return key.reduce((sum, { width }) => sum + width, 0);
}

export function keyMask({ key }: TableShape): bigint {
  return key.reduce((mask, { low, width }) => mask | (((1n << BigInt(width)) - 1n) << BigInt(low)), 0n);
}

/** The word of a fingerprint. `order`: undefined for bits as they are. `last`: the mask of bits that stand last. */
export function wordFor(
  fingerprint: bigint,
  table: TableShape,
  last: bigint,
  order: readonly number[] | undefined,
): bigint {
  const ordered = order?.reduce((sum, bit, i) => sum | (bitOf(fingerprint, bit) << BigInt(63 - i)), 0n);
  const from = ordered ?? fingerprint;
  const mask = keyMask(table);
  const bits = table.key.flatMap(({ low, width }) =>
    Array.from({ length: width }, (_, i) => low + width - 1 - i),
  );
  for (const isLast of [0n, 1n]) {
    for (let bit = 63; bit >= 0; bit--) {
      if (bitOf(mask, bit) === 0n && bitOf(last, bit) === isLast) bits.push(bit);
    }
  }
  const permuted = bits.map((bit) => bitOf(from, bit)).join('');
  let at = 0;
  let buckets = '';
  let syndromes = '';
  for (const kind of table.codes) {
    const { n, c, columns, leaders } = CODES[kind] as Code;
    const value = Number.parseInt(permuted.slice(at, at + n), 2);
    at += n;
    const s = syndrome(columns, value);
    const bucket = ((value >>> c) ^ (leaders.get(s) as number)) >>> 0;
    buckets += bucket.toString(2).padStart(n - c, '0');
    syndromes += s.toString(2).padStart(c, '0');
  }
  const key = keyBits(table);
  return BigInt(`0b${buckets}${permuted.slice(at, key)}${syndromes}${permuted.slice(key)}`);
}
