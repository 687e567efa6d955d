/** Key sets and Bloom filters: both engines against a plain oracle, so against each other. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BloomShape, Engine } from '../../lib/engine.ts';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';

const named = engines.map((engine) => [engine.backend, engine] as const);
const key = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 0n, max: 40n }),
  fc.bigInt({ min: 2n ** 64n - 40n, max: 2n ** 64n - 1n }),
);
const batches = fc.array(fc.array(key, { maxLength: 60 }), { maxLength: 8 });

describe.each(named)('the key set of the %s engine', (_, engine) => {
  test('agrees with Set, batch after batch', () => {
    fc.assert(
      fc.property(batches, (lists) => {
        const set = engine.createKeySet();
        const oracle = new Set<bigint>();
        for (const list of lists) {
          const expected = list.map((k) => {
            const isNew = !oracle.has(k);
            oracle.add(k);
            return Number(isNew);
          });
          expect([...set.addBatch(BigUint64Array.from(list))]).toEqual(expected);
        }
        const probes = lists.flat().flatMap((k) => [k, k ^ 1n, k ^ (1n << 63n)]);
        const found = set.hasBatch(BigUint64Array.from(probes));
        expect([...found]).toEqual(probes.map((k) => Number(oracle.has(k))));
        expect(set.size()).toBe(oracle.size);
        const sorted = new BigUint64Array(oracle.size + 5);
        expect(set.readSorted(0n, sorted)).toBe(oracle.size);
        expect([...sorted.subarray(0, oracle.size)]).toEqual([...oracle].sort((a, b) => (a < b ? -1 : 1)));
      }),
    );
  });

  test('stays right and small through splits and growth', () => {
    const keys = randomKeys(400_000, 7);
    keys[3] = 0n;
    const set = engine.createKeySet();
    expect(set.addBatch(keys).every((added) => added === 1)).toBe(true);
    expect(set.addBatch(keys).every((added) => added === 0)).toBe(true);
    expect(set.hasBatch(randomKeys(100_000, 8)).every((found) => found === 0)).toBe(true);
    expect(set.size()).toBe(keys.length);
    expect(set.memoryBytes() / keys.length).toBeLessThan(12);

    const sorted = keys.slice().sort();
    const piece = new BigUint64Array(10_007);
    const read: bigint[] = [];
    for (let from = 0n; ; from = (read.at(-1) as bigint) + 1n) {
      const length = set.readSorted(from, piece);
      read.push(...piece.subarray(0, length));
      if (length < piece.length) break;
    }
    expect(BigUint64Array.from(read)).toEqual(sorted);
    expect(set.readSorted(2n ** 64n - 1n, piece)).toBe(0);
  });

  test('a set made for as many takes sorted keys, and more', () => {
    const keys = randomKeys(60_000, 10).sort();
    for (const expected of [0, 1, 30_000, 60_000, 1_000_000]) {
      const set = engine.createKeySet(expected);
      const count = expected < 30_000 ? 3000 : keys.length;
      expect(set.addBatch(keys.subarray(0, count)).every(Boolean)).toBe(true);
      expect(set.hasBatch(keys.subarray(0, count)).every(Boolean)).toBe(true);
      const read = new BigUint64Array(count + 1);
      expect(set.readSorted(0n, read)).toBe(count);
      expect(read.subarray(0, count)).toEqual(keys.subarray(0, count));
    }
  });

  test('views into a larger buffer are read from their offset', () => {
    const all = randomKeys(10, 9);
    const set = engine.createKeySet();
    set.addBatch(all.subarray(4, 6));
    expect([...set.hasBatch(all)]).toEqual([0, 0, 0, 0, 1, 1, 0, 0, 0, 0]);
  });
});

function bytesOf(engine: Engine, shape: BloomShape, keys: BigUint64Array): Uint8Array {
  const bloom = engine.createBloom(shape);
  bloom.addBatch(keys);
  const bytes = new Uint8Array(Math.ceil(shape.bits / 64) * 8);
  bloom.read(0, bytes);
  return bytes;
}

/** The bits by the written rule, in bigint arithmetic. */
function bytesByRule({ bits, hashes, blocked }: BloomShape, keys: BigUint64Array): Uint8Array {
  const wrap = (x: bigint) => BigInt.asUintN(64, x);
  const mix = (key: bigint) => {
    let x = wrap((key ^ (key >> 33n)) * 0xff51afd7ed558ccdn);
    x = wrap((x ^ (x >> 33n)) * 0xc4ceb9fe1a85ec53n);
    return x ^ (x >> 33n);
  };
  const place = (hash: bigint, places: number) =>
    Math.min(Math.floor(Number(hash >> 11n) * 2 ** -53 * places), places - 1);
  const bytes = new Uint8Array(Math.ceil(bits / 64) * 8);
  const set = (position: number) => {
    bytes[position >> 3] |= 1 << (position & 7);
  };
  for (const key of keys) {
    let second = mix(key ^ 0x9e3779b97f4a7c15n);
    if (blocked) {
      const base = place(key, bits / 512) * 512;
      for (let i = 0; i < hashes; i++) {
        if (i > 0 && i % 7 === 0) second = mix(wrap(second + 0x9e3779b97f4a7c15n));
        set(base + Number((second >> BigInt(9 * (i % 7))) & 511n));
      }
    } else {
      let hash = key;
      second |= 1n;
      for (let i = 0; i < hashes; i++) {
        set(place(hash, bits));
        hash = wrap(hash + second);
        second = wrap(second + BigInt(i + 1));
      }
    }
  }
  return bytes;
}

describe.each(named)('the Bloom filter of the %s engine', (_, engine) => {
  test('sets the bits that the rule says', () => {
    const keys = BigUint64Array.from([...randomKeys(300, 1), 0n, 2n ** 64n - 1n, 1n, 2n ** 63n]);
    for (const hashes of [1, 2, 7, 8, 10, 15, 64]) {
      for (const shape of [
        { bits: 10_007, hashes, blocked: false },
        { bits: 512 * 97, hashes, blocked: true },
      ]) {
        expect(bytesOf(engine, shape, keys)).toEqual(bytesByRule(shape, keys));
      }
    }
  });

  test('answers in order, counts ones, and takes other bits in', () => {
    const shape = { bits: 99_999, hashes: 7, blocked: false };
    const [a, b] = [randomKeys(500, 2), randomKeys(500, 3)];
    const bloom = engine.createBloom(shape);
    expect([...bloom.addBatch(BigUint64Array.from([a[0], a[0], a[1]]))]).toEqual([1, 0, 1]);
    bloom.addBatch(a);
    bloom.or(0, bytesOf(engine, shape, b));
    expect(bloom.hasBatch(a).every(Boolean)).toBe(true);
    expect(bloom.hasBatch(b).every(Boolean)).toBe(true);
    const bytes = bytesByRule(shape, BigUint64Array.from([...a, ...b]));
    const ones = bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
    expect(bloom.countOnes()).toBe(ones);
    expect(bloom.hasBatch(randomKeys(100, 4)).some((found) => found === 0)).toBe(true);
  });

  test('a size beyond memory is refused with a typed error', () => {
    expect(() => engine.createBloom({ bits: 2 ** 53, hashes: 8, blocked: false })).toThrow(
      expect.objectContaining({ code: 'ERR_NEARDUP_OUT_OF_MEMORY' }),
    );
  });
});

describe.skipIf(!engines.some((engine) => engine.backend === 'native'))('the binding', () => {
  const native = engines.find((engine) => engine.backend === 'native') as Engine;
  const garbage = [
    undefined,
    null,
    5,
    'x',
    {},
    [],
    1n,
    new Float64Array(3),
    new BigInt64Array(3),
    () => 0,
    Symbol('x'),
  ];

  test('refuses any wrong value with an error', () => {
    const set = native.createKeySet();
    const bloom = native.createBloom({ bits: 512, hashes: 3, blocked: true });
    for (const value of garbage as never[]) {
      expect(() => set.addBatch(value)).toThrow();
      expect(() => set.hasBatch(value)).toThrow();
      expect(() => set.readSorted(value, value)).toThrow();
      expect(() => bloom.addBatch(value)).toThrow();
      expect(() => bloom.hasBatch(value)).toThrow();
      expect(() => bloom.read(0, value)).toThrow();
      expect(() => bloom.or(value, new Uint8Array(65))).toThrow();
      expect(() => native.createBloom(value)).toThrow();
      expect(() => native.mapBloom({ bits: 512, hashes: 3, blocked: true }, value, value)).toThrow();
    }
    for (const shape of [
      { bits: 0, hashes: 1, blocked: false },
      { bits: Number.NaN, hashes: 1, blocked: false },
      { bits: 512, hashes: 65, blocked: false },
      { bits: 513, hashes: 1, blocked: true },
    ]) {
      expect(() => native.createBloom(shape)).toThrow();
    }
    for (const offset of [-1, 1, 2 ** 60, Number.NaN]) {
      expect(() => bloom.read(offset, new Uint8Array(64))).toThrow();
    }
    expect(set.addBatch(new BigUint64Array(0))).toHaveLength(0);
  });

  test('a closed object throws ERR_NEARDUP_CLOSED', () => {
    const set = native.createKeySet();
    const bloom = native.createBloom({ bits: 512, hashes: 3, blocked: false });
    set.close();
    bloom.close();
    set.close();
    for (const call of [
      () => set.size(),
      () => set.addBatch(new BigUint64Array(1)),
      () => bloom.countOnes(),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_CLOSED' }));
    }
  });
});
