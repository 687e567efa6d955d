import { describe, expect, it } from 'vitest';
import { engines } from '../engines.ts';

describe.each(engines)('accumulate of the $backend engine', (engine) => {
  const vote = (hashes: bigint[], weights?: number[]) =>
    engine.accumulate(BigUint64Array.from(hashes), weights && Float64Array.from(weights));

  it('decides as other libraries do where a tie is 0', () => {
    // Expected values: from the tests of simhash-py and of python-simhash.
    expect(vote([]).fingerprint).toBeUndefined();
    expect(vote(new Array(100).fill(0xdeadbeefn)).fingerprint).toBe(0xdeadbeefn);
    expect(vote([0xdeadbeefn, ~0xdeadbeefn & 0xffff_ffff_ffff_ffffn]).fingerprint).toBe(0n);
    expect(vote([0xabcdn, 0xbcden, 0xcdefn]).fingerprint).toBe(0xadcfn);
    expect(vote([13352372148217134600n, 5020219685658847592n]).fingerprint).toBe(74633958390507528n);
  });

  it('rounds weights to 1/65536, halves up', () => {
    const step = 1 / 65536;
    expect(vote([1n], [step / 2]).weight).toBe(step);
    expect(vote([1n], [step * 0.49]).weight).toBe(0);
    expect(vote([1n], [1.5 * step]).weight).toBe(2 * step);
    expect(vote([1n, 2n], [3, 1]).margins.subarray(0, 3)).toEqual(Float64Array.of(2, -2, -4));
  });

  it('is exact up to 2^37 and refuses more', () => {
    const most = 2 ** 37;
    expect(vote([1n, 2n], [most / 2 + 1 / 65536, most / 2 - 1 / 65536]).fingerprint).toBe(1n);
    const tooMuch = expect.objectContaining({ code: 'ERR_NEARDUP_OUT_OF_RANGE' });
    expect(() => vote([1n, 2n], [most, 1 / 65536])).toThrow(tooMuch);
    for (const bad of [Number.NaN, -1, Number.POSITIVE_INFINITY, 2 ** 38]) {
      expect(() => vote([1n], [bad])).toThrow(tooMuch);
    }
  });

  it('counts every number of hashes right', () => {
    let state = 1n;
    const hashes = Array.from({ length: 600 }, () => {
      state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
      return state;
    });
    for (let n = 0; n <= hashes.length; n += n < 20 ? 1 : 29) {
      const margins = Array.from({ length: 64 }, (_, bit) =>
        hashes.slice(0, n).reduce((sum, hash) => sum + ((hash >> BigInt(bit)) & 1n ? 1 : -1), 0),
      );
      expect(Array.from(vote(hashes.slice(0, n)).margins), `${n} hashes`).toEqual(margins);
    }
  });
});
