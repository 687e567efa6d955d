/** What the methods of HammingIndex are called on and given, on each engine. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { engines } from '../engines.ts';

// The engine of each test is set here, in the place of the one that the environment would choose.
let engine: Engine;
vi.mock('../../lib/backend.ts', () => ({ currentEngine: () => engine }));

const TYPE = 'ERR_NEARDUP_INVALID_TYPE';
const code = (expected: string) => expect.objectContaining({ code: expected });

describe.each(engines)('$backend engine', (each) => {
  beforeEach(() => {
    engine = each;
  });

  test('signals and callbacks that are none', async () => {
    const index = new HammingIndex();
    const queries = BigUint64Array.of(1n);
    for (const bad of [null, 1, {}, 'signal']) {
      const options = [{ signal: bad as never }, { onProgress: bad as never }];
      for (const each of options) {
        await expect(index.compact(each)).rejects.toEqual(code(TYPE));
        await expect(index.queryBatchAsync(queries, each)).rejects.toEqual(code(TYPE));
        await expect(index.groups(each)).rejects.toEqual(code(TYPE));
        expect(() => index.pairs(each)).toThrowError(code(TYPE));
        expect(() => index.entries(each)).toThrowError(code(TYPE));
        expect(() => index.approximatePairs(each)).toThrowError(code(TYPE));
      }
    }
  });

  test('methods called on anything else', async () => {
    const { prototype } = HammingIndex;
    for (const self of [undefined, null, {}, prototype, Object.create(new HammingIndex())]) {
      const it = self as never;
      const calls = [
        () => prototype.remove.call(it, 1n, 1),
        () => prototype.removeBatch.call(it, new BigUint64Array(0), []),
        () => prototype.removeBefore.call(it, 1),
        () => prototype.pairs.call(it),
        () => prototype.join.call(it, it),
        () => prototype.entries.call(it),
        () => prototype.approximatePairs.call(it),
        () => prototype.stats.call(it),
      ];
      for (const call of calls) expect(call).toThrowError(code(TYPE));
      const promises = [
        prototype.addBatchAsync.call(it, new BigUint64Array(0), []),
        prototype.queryBatchAsync.call(it, new BigUint64Array(0)),
        prototype.compact.call(it),
        prototype.groups.call(it),
      ];
      for (const promise of promises) await expect(promise).rejects.toEqual(code(TYPE));
    }
  });

  test('arrays that getters detach or shorten, and an index that they close', () => {
    const index = new HammingIndex({ tags: true, secondFingerprints: true });
    const detach = (array: BigUint64Array) => {
      structuredClone(array.buffer, { transfer: [array.buffer] as never[] });
      return 2;
    };
    const getting = (array: BigUint64Array) => Object.defineProperty([1, 2], 1, { get: () => detach(array) });
    const [first, second] = [BigUint64Array.of(1n, 2n), BigUint64Array.of(3n, 4n)];
    const secondFingerprints = BigUint64Array.of(5n, 6n);
    expect(() => index.addBatch(first, [1, 2], { tags: getting(first), secondFingerprints })).toThrowError(
      code(TYPE),
    );
    expect(() =>
      index.addBatch(second, [1, 2], { tags: getting(secondFingerprints), secondFingerprints }),
    ).toThrowError(code(TYPE));
    expect(() => index.queryBatch(second, { tags: getting(second) })).toThrowError(code(TYPE));
    const third = BigUint64Array.of(1n, 2n);
    expect(() => index.removeBatch(third, getting(third))).toThrowError(code(TYPE));
    expect(index.size).toBe(0);
    const closing = {
      get tag() {
        index.close();
        return 1;
      },
      secondFingerprint: 1n,
    };
    expect(() => index.add(1n, 1, closing)).toThrowError(code('ERR_NEARDUP_CLOSED'));
  });

  test('options are read once, also those that are inherited or hidden', () => {
    const index = new HammingIndex(Object.create({ maxDistance: 5 }));
    expect(index.maxDistance).toBe(5);
    index.add(0b111n, 1);
    let reads = 0;
    const options = Object.defineProperty({}, 'maxDistance', { get: () => (reads++ === 0 ? 2 : 5) });
    expect(index.query(0n, options)).toEqual([]);
    expect(reads).toBe(1);
  });
});
