/** Feature frequencies, MinHash and checksums: the same on both engines, and what their definitions say. */
import { describe, expect, it } from 'vitest';
import { engines } from '../engines.ts';

const MASK = 0xffff_ffff_ffff_ffffn;

function splitMix64(seed: bigint): () => bigint {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  };
}

const randomSet = (size: number, seed: bigint) =>
  BigUint64Array.from({ length: size }, splitMix64(seed)).sort();
/** Values that carry, wrap and tie in their halves. */
const corners = BigUint64Array.of(
  0n,
  1n,
  0xffff_ffffn,
  0x1_0000_0000n,
  0x8000_0000_0000_0000n,
  MASK - 1n,
  MASK,
);

/** Permutation i takes x to (x xor b) * a; the smallest y is kept as y xor (y >> 32). */
function definedMinima(set: BigUint64Array, seed: bigint, count: number): BigUint64Array {
  const next = splitMix64(seed);
  return BigUint64Array.from({ length: count }, () => {
    const flip = next();
    const factor = next() | 1n;
    let smallest = MASK;
    for (const x of set) {
      const y = ((x ^ flip) * factor) & MASK;
      if (y < smallest) smallest = y;
    }
    return set.length === 0 ? MASK : smallest ^ (smallest >> 32n);
  });
}

describe.each(engines)('$backend', (engine) => {
  it('permutes by numbers of SplitMix64 as published', () => {
    const next = splitMix64(1234567n);
    expect([next(), next(), next()]).toEqual([
      6457827717110365317n,
      3203168211198807973n,
      9817491932198370423n,
    ]);
  });

  it('finds the minima of the definition', () => {
    for (const set of [
      new BigUint64Array(0),
      corners,
      corners.subarray(2, 5),
      randomSet(1, 3n),
      randomSet(500, 4n),
    ]) {
      for (const [seed, count] of [
        [0n, 128],
        [MASK, 1],
        [7n, 13],
      ] as const) {
        expect(engine.minHash(set, seed, count)).toEqual(definedMinima(set, seed, count));
      }
    }
  });

  it('makes checksums of the bytes of each group of minima', () => {
    for (const rows of [1, 2, 6, 30, 60]) {
      const minima = randomSet(60, 5n);
      const expected = Array.from({ length: 60 / rows }, (_, i) => {
        const bytes = Buffer.alloc(8 * rows);
        for (let j = 0; j < rows; j++) bytes.writeBigUInt64LE(minima[i * rows + j]!, 8 * j);
        return engine.hashBytes(bytes, 0n);
      });
      expect(Array.from(engine.checksums(minima, rows))).toEqual(expected);
      // A view that does not begin where its buffer does.
      expect(Array.from(engine.checksums(minima.subarray(60 - rows), rows))).toEqual(expected.slice(-1));
    }
  });

  it('counts the distinct features of a text, in order of their hashes', () => {
    const fingerprinter = engine.createFingerprinter({ unit: 'words', min: 1, max: 2, weight: 'log' });
    const { hashes, times } = fingerprinter.frequencies('A b a. b! a');
    const expected = new Map(
      (
        [
          ['a', 3],
          ['b', 2],
          ['a b', 2],
          ['b a', 2],
        ] as const
      ).map(([feature, count]) => [engine.hashStrings([feature])[0]!, count]),
    );
    expect(new Map(Array.from(hashes, (hash, i) => [hash, times[i]]))).toEqual(expected);
    expect(hashes).toEqual(hashes.slice().sort());
    expect(fingerprinter.frequencies('').hashes.length).toBe(0);
    // Working memory is used again and holds nothing of the text before.
    expect(fingerprinter.frequencies('c').times).toEqual(Float64Array.of(1));
  });
});

describe('what reaches an engine unchecked', () => {
  it.each(engines.filter(({ backend }) => backend === 'native'))('does not crash $backend', (engine) => {
    const bad = [undefined, null, 1, 'a', [], {}, new Uint8Array(8), Symbol('a')] as never[];
    for (const value of bad) {
      expect(() => engine.minHash(value, 0n, 1)).toThrow(TypeError);
      expect(() => engine.checksums(value, 1)).toThrow(TypeError);
    }
    for (const value of [undefined, null, 0, -1, Number.NaN, 2 ** 40, 'a', {}] as never[]) {
      expect(() => engine.minHash(corners, 0n, value)).toThrow(RangeError);
      expect(() => engine.checksums(corners, value)).toThrow(RangeError);
    }
    expect(() => engine.minHash(corners, 0 as never, 1)).toThrow(TypeError);
    expect(() => engine.checksums(corners, 3)).toThrow(RangeError);
  });
});
