import { expect, test } from 'vitest';
import { lanesOf, popcount32, popcount64 } from '../../../lib/ts/base/bits.ts';
import { radixSort } from '../../../lib/ts/base/radix.ts';
import { runSteps } from '../../../lib/ts/base/steps.ts';
import { collect, collections } from '../../index/collections.ts';

test.each(Object.keys(collections))('sorts as BigUint64Array does, and is stable: %s', (name) => {
  for (const count of [0, 1, 2, 3000]) {
    const values = collect(name, count);
    const { lanes, order } = runSteps(radixSort(lanesOf(values.slice())));
    const sorted = new BigUint64Array(lanes.buffer, lanes.byteOffset, count);
    expect(sorted).toEqual(values.slice().sort());
    order.forEach((from, i) => {
      expect(values[from]).toBe(sorted[i]);
      if (i > 0 && sorted[i] === sorted[i - 1]) expect(from).toBeGreaterThan(order[i - 1] as number);
    });
  }
});

test('popcounts', () => {
  const ones = (value: bigint) => value.toString(2).replaceAll('0', '').length;
  for (const value of [0n, 2n ** 64n - 1n, 1n << 63n, 1n << 31n, 1n << 32n, ...collect('uniform', 500)]) {
    const low = Number(value & 0xffff_ffffn);
    const high = Number(value >> 32n);
    expect(popcount64(low, high)).toBe(ones(value));
    // Lanes are signed after bit operations.
    expect(popcount64(low | 0, high | 0)).toBe(ones(value));
    expect(popcount32(low)).toBe(ones(value & 0xffff_ffffn));
  }
});
