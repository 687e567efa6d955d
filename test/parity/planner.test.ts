/** Both engines list the same designs with the same numbers; and so does the facade on either. */
import { describe, expect, it } from 'vitest';
import type { MachineCosts, PlannedDesign, PlanRequest } from '../../lib/engine.ts';
import { tsEngine } from '../../lib/ts/engine.ts';
import { DEFAULT_COSTS } from '../../lib/ts/index/machine-costs.ts';
import { nativeEngine } from '../engines.ts';

const NUMBERS = ['bytes', 'probes', 'candidates', 'nanoseconds'] as const;
const COUNTS = [1, 1000, 65_536, 12_345_678, 1e9, 2 ** 40];
const BYTES = [undefined, 1, 14, 20, 64];

/** What must be equal, and the numbers apart. */
function split(options: readonly PlannedDesign[]) {
  const numbers = options.flatMap((option) => NUMBERS.map((name) => option[name]));
  const rest = options.map(({ bytes, probes, candidates, nanoseconds, ...others }) => others);
  return { numbers, rest };
}

function expectSame(request: PlanRequest): void {
  const expected = split((nativeEngine as typeof tsEngine).listPlans(request));
  const actual = split(tsEngine.listPlans(request));
  expect(actual.rest).toEqual(expected.rest);
  const apart = expected.numbers.map(
    (number, i) => Math.abs((actual.numbers[i] as number) - number) / (number || 1),
  );
  expect(Math.max(...apart)).toBeLessThanOrEqual(1e-9);
}

describe.skipIf(nativeEngine === undefined)('listPlans', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 8])('is the same on both engines for distance %i', (k) => {
    for (const count of COUNTS) {
      for (const bytes of k <= 4 ? BYTES : [undefined, 20]) {
        const memory = bytes === undefined ? {} : { memory: bytes * count };
        expectSame({ count, maxDistance: k, idBits: 32, ...memory });
      }
    }
  });

  it.each([10, 13, 16])('is the same on both engines for distance %i', (k) => {
    for (const count of [1000, 1e9]) expectSame({ count, maxDistance: k, idBits: 53, memory: 18 * count });
  });

  it('is the same for other costs', () => {
    const costs: MachineCosts = { ...DEFAULT_COSTS, memoryLine: 90, cachedLine: 20, probe: 2.5, compare: 1 };
    for (const count of COUNTS) {
      expectSame({ count, maxDistance: 3, idBits: 40, costs });
      expectSame({ count, maxDistance: 6, idBits: 40, memory: 22 * count, costs });
    }
  });
});

describe('measureCosts', () => {
  it('measures on the native engine: positive numbers, the cache faster than memory', () => {
    const costs = nativeEngine?.measureCosts();
    if (costs === undefined) return expect(nativeEngine).toBeUndefined();
    expect(Object.keys(costs).sort()).toEqual(Object.keys(DEFAULT_COSTS).sort());
    for (const cost of Object.values(costs)) expect(cost).toBeGreaterThan(0);
    expect(costs.memoryLine).toBeGreaterThanOrEqual(costs.cachedLine);
  });

  it('is not for the TypeScript engine', () => expect(tsEngine.measureCosts()).toBeUndefined());
});
