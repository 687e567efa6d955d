import { describe, expect, test } from 'vitest';
import { NeardupError } from '../../lib/errors.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';

describe('HammingIndex', () => {
  test('adds, queries and tests before adding', () => {
    const index = new HammingIndex();
    expect([index.size, index.maxDistance, index.closed]).toEqual([0, 3, false]);
    index.add(0b1111n, 7);
    index.add(0b1110n, 5);
    index.add(0b1111n, 6);
    index.addBatch(BigUint64Array.of(0n, 2n ** 64n - 1n), [1, 2]);
    expect(index.size).toBe(5);
    expect(index.query(0b1111n)).toEqual([
      { id: 6, distance: 0 },
      { id: 7, distance: 0 },
      { id: 5, distance: 1 },
    ]);
    expect(index.query(0b1111n, { maxDistance: 0 }).map(({ id }) => id)).toEqual([6, 7]);
    expect(index.query(0b1111n, { limit: 1 })).toEqual([{ id: 6, distance: 0 }]);
    expect(index.query(0b11n << 40n, { maxDistance: 2 })).toEqual([{ id: 1, distance: 2 }]);
    expect(index.addIfNew(0b1011n, 9)).toEqual({ added: false, match: { id: 6, distance: 1 } });
    expect(index.addIfNew(0b1011n, 9, { maxDistance: 0 })).toEqual({ added: true });
    expect(index.size).toBe(6);
    expect(index.queryBatch(BigUint64Array.of(0n, 0x5555_5555_5555_5555n), { maxDistance: 1 })).toEqual({
      offsets: Float64Array.of(0, 1, 1),
      ids: Float64Array.of(1),
      distances: Uint8Array.of(0),
    });
    expect(
      index.addIfNewBatch(BigUint64Array.of(0x5555_5555n, 0x5555_5557n, 0xaaaa_aaaa_aaaan), [20, 21, 22]),
    ).toEqual({
      added: Uint8Array.of(1, 0, 1),
      nearestIds: Float64Array.of(-1, 20, -1),
      nearestDistances: Uint8Array.of(0, 1, 0),
    });
  });

  test('an empty index and empty batches', () => {
    const index = new HammingIndex({ maxDistance: 8 });
    index.addBatch(new BigUint64Array(0), []);
    expect(index.query(1n)).toEqual([]);
    expect(index.queryBatch(new BigUint64Array(0)).offsets).toEqual(Float64Array.of(0));
    expect(index.addIfNewBatch(new BigUint64Array(0), []).added.length).toBe(0);
    expect(index.size).toBe(0);
  });

  test('ids as an array, Float64Array and Uint32Array; an entry twice counts twice, is found once', () => {
    const index = new HammingIndex();
    index.addBatch(BigUint64Array.of(1n), [3]);
    index.addBatch(BigUint64Array.of(1n), Float64Array.of(3));
    index.addBatch(BigUint64Array.of(1n, 9n), Uint32Array.of(3, 3));
    expect(index.size).toBe(4);
    expect(index.query(1n)).toEqual([{ id: 3, distance: 0 }]);
    expect(index.query(9n)).toEqual([{ id: 3, distance: 0 }]);
  });

  test('arrays that the caller changes later do not change the index', () => {
    const index = new HammingIndex();
    const fingerprints = BigUint64Array.from({ length: 3000 }, (_, i) => BigInt(i) << 20n);
    const ids = Float64Array.from({ length: 3000 }, (_, i) => i);
    index.addBatch(fingerprints, ids);
    fingerprints.fill(0n);
    ids.fill(0);
    expect(index.query(2999n << 20n, { maxDistance: 0 })).toEqual([{ id: 2999, distance: 0 }]);
  });

  test('shared memory and arrays whose own properties lie', () => {
    const index = new HammingIndex();
    const shared = new BigUint64Array(new SharedArrayBuffer(16));
    shared.set([1n, 2n]);
    index.addBatch(shared, new Uint32Array(new SharedArrayBuffer(8)));
    expect(index.size).toBe(2);
    const lying = Object.defineProperties(BigUint64Array.of(5n), {
      length: { value: 1000 },
      buffer: { value: new ArrayBuffer(0) },
    });
    expect(index.queryBatch(lying).offsets.length).toBe(2);
    index.addBatch(lying, [4]);
    expect(index.query(5n, { maxDistance: 0 })).toEqual([{ id: 4, distance: 0 }]);
  });

  test('a part of a larger buffer is read from its offset', () => {
    const index = new HammingIndex({ maxDistance: 0 });
    index.addBatch(BigUint64Array.of(1n, 2n, 3n).subarray(1, 2), Float64Array.of(8, 9, 10).subarray(1, 2));
    expect(index.query(2n)).toEqual([{ id: 9, distance: 0 }]);
    expect(index.size).toBe(1);
  });

  test('after close() every method says so; closing again does nothing', () => {
    const index = new HammingIndex();
    index.add(1n, 1);
    index.close();
    index.close();
    index[Symbol.dispose]();
    expect([index.size, index.closed, index.maxDistance]).toEqual([0, true, 3]);
    const calls = [
      () => index.add(1n, 1),
      () => index.addBatch(BigUint64Array.of(1n), [1]),
      () => index.query(1n),
      () => index.queryBatch(BigUint64Array.of(1n)),
      () => index.addIfNew(1n, 1),
      () => index.addIfNewBatch(BigUint64Array.of(1n), [1]),
    ];
    for (const call of calls) {
      expect(call).toThrowError(expect.objectContaining({ code: 'ERR_NEARDUP_CLOSED' }));
      expect(call).toThrowError(NeardupError);
    }
  });
});

/** Pairs (smaller place first) of a list that find each other, as published for simhash-py's find_all. */
function pairsOf(fingerprints: readonly bigint[], maxDistance: number): [number, number][] {
  const index = new HammingIndex({ maxDistance });
  fingerprints.forEach((fingerprint, i) => {
    index.add(fingerprint, i);
  });
  return fingerprints.flatMap((fingerprint, i) =>
    index
      .query(fingerprint)
      .filter(({ id }) => id > i)
      .map(({ id }): [number, number] => [i, id]),
  );
}

describe('published sets of pairs within 3 bits (seomoz/simhash-py)', () => {
  test('FF, EF, EE, CE at four shifts: all pairs of a shift; 33 in none', () => {
    const base = [0xffn, 0xefn, 0xeen, 0xcen, 0x33n];
    const fingerprints = [0n, 8n, 16n, 24n].flatMap((shift) => base.map((value) => value << shift));
    const expected = [0, 5, 10, 15].flatMap((from) =>
      [0, 1, 2, 3].flatMap((i) =>
        [0, 1, 2, 3].filter((j) => j > i).map((j): [number, number] => [from + i, from + j]),
      ),
    );
    const pairs = pairsOf(fingerprints, 3).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    expect(pairs).toEqual(expected);
    expect(pairs.length).toBe(24);
  });

  test('one connected component of 20 pairs', () => {
    const left = [0x10101000n, 0x10100010n, 0x10001010n, 0x00101010n];
    const right = [0x01010100n, 0x01010001n, 0x01000101n, 0x00010101n];
    const pairs = pairsOf([0n, ...left, ...right], 3);
    expect(pairs.length).toBe(20);
    expect(pairs.filter(([a]) => a === 0).length).toBe(8);
    expect(pairs.filter(([a, b]) => a > 0 && a <= 4 && b <= 4).length).toBe(6);
    expect(pairs.filter(([a]) => a > 4).length).toBe(6);
  });

  test('equal fingerprints of different items are pairs', () => {
    expect(pairsOf([5n, 5n, 5n], 0)).toEqual([
      [0, 1],
      [0, 2],
      [1, 2],
    ]);
  });
});
