/** plan(): every design is exact, numbers are those published, and the choice is the fastest that fits. */
import { describe, expect, it } from 'vitest';
import { type PlanOption, plan } from '../../lib/index.ts';

const GIBIBYTE = 2 ** 30;

/** The bits of each key, as the tables' users would take them from a fingerprint. */
function keyMasks(option: PlanOption): bigint[] {
  return option.keys.map((key) => {
    let mask = 0n;
    for (const { low, width } of key) {
      for (let bit = low; bit < low + width; bit++) {
        expect((mask >> BigInt(bit)) & 1n).toBe(0n); // Ranges of a key are disjoint.
        mask |= 1n << BigInt(bit);
      }
    }
    expect(mask < 1n << 64n).toBe(true);
    return mask;
  });
}

/** Bits that lie in the same keys are alike: for each such cell, the keys it lies in, and how many bits it has. */
function cellsOf(masks: readonly bigint[]): { inside: number[]; width: number }[] {
  const cells = new Map<string, { inside: number[]; width: number }>();
  for (let bit = 0n; bit < 64n; bit++) {
    const inside = masks.map((mask) => Number((mask >> bit) & 1n));
    const cell = cells.get(inside.join()) ?? { inside, width: 0 };
    cell.width++;
    cells.set(inside.join(), cell);
  }
  return [...cells.values()];
}

/**
 * How many patterns of exactly `errors` errors, dealt to the cells in every way, there are, and how many leave more
 * than its radius in every key.
 */
function countPatterns(masks: readonly bigint[], radii: readonly number[], errors: number) {
  const cells = cellsOf(masks);
  const inKey = radii.map(() => 0);
  let patterns = 0;
  let missed = 0;
  const deal = (at: number, left: number) => {
    if (left === 0) {
      patterns++;
      if (radii.every((radius, t) => (inKey[t] as number) > radius)) missed++;
      return;
    }
    const cell = cells[at];
    if (cell === undefined) return;
    for (let here = 0; here <= Math.min(left, cell.width); here++) {
      cell.inside.forEach((is, t) => {
        inKey[t] += is * here;
      });
      deal(at + 1, left - here);
      cell.inside.forEach((is, t) => {
        inKey[t] -= is * here;
      });
    }
  };
  deal(0, errors);
  return { patterns, missed };
}

/** Whether there are few ways to deal k errors to the cells: the enumeration is held to what takes no time. */
function isSmall(masks: readonly bigint[], k: number): boolean {
  const cells = cellsOf(masks).length;
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (cells + i - 1)) / i;
  return ways < 5000;
}

describe('every design that plan() offers', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 8])('finds every pattern of up to %i errors', (k) => {
    const checked = new Set<string>();
    for (const count of [1000, 1e7, 2 ** 34]) {
      for (const option of plan({ count, maxDistance: k, memory: 24 * count })) {
        const masks = keyMasks(option);
        const keys = `${masks}`;
        if (option.tables === 0 || checked.has(keys) || !isSmall(masks, k)) continue;
        checked.add(keys);
        const { patterns, missed } = countPatterns(masks, option.radii, k);
        expect(patterns).toBeGreaterThan(0);
        expect(missed, `${option.name} for ${count}`).toBe(0);
        // No table is idle: without it, some pattern is missed.
        const fewer = countPatterns(masks.slice(1), option.radii.slice(1), k);
        expect(fewer.missed, `${option.name} without a table`).toBeGreaterThan(0);
      }
    }
    expect(checked.size).toBeGreaterThanOrEqual(k < 2 ? 1 : 10);
  });

  it('says how many tables and which keys', () => {
    for (const option of plan({ count: 1e8 })) {
      const bits = option.keys.map((key) => key.reduce((sum, { width }) => sum + width, 0));
      expect([option.keys.length, option.radii.length]).toEqual([option.tables, option.tables]);
      expect(option.keyBits).toBe(option.tables === 0 ? 0 : Math.min(...bits));
      expect(option.candidates).toBe(1e8 / 2 ** option.keyBits);
      expect(option.bytesPerFingerprint).toBe(option.bytes / 1e8);
    }
  });

  it('is offered once', () => {
    for (const k of [1, 3, 6]) {
      const keys = plan({ count: 1e7, maxDistance: k }).map((o) => `${keyMasks(o)} ${o.radii}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});

it('reproduces the published candidates of a probe for 2^34 fingerprints within 3 bits', () => {
  // Manku, Jain and Das Sarma, Detecting Near-Duplicates for Web Crawling (2007), table 1, whose keys of 64 / 5 and
  // 64 / 6 bits a block are rounded.
  const published = plan({ count: 2 ** 34 }).filter((option) => option.published);
  const numbers = published.map(({ tables, keyBits, candidates }) => [tables, keyBits, candidates]);
  expect(numbers.sort(([a = 0], [b = 0]) => a - b)).toEqual([
    [4, 16, 262_144],
    [10, 25, 512],
    [16, 28, 64],
    [20, 31, 8],
  ]);
  for (const { radii } of published) expect(new Set(radii)).toEqual(new Set([0]));
  expect(plan({ count: 2 ** 34, maxDistance: 4 }).some((option) => option.published)).toBe(false);
});

describe('the choice', () => {
  it.each([
    [1e9, 3, 20 * GIBIBYTE],
    [1e6, 3, undefined],
    [1e7, 6, 64e7],
    [500, 16, undefined],
    [1, 0, undefined],
  ])(
    'of %d fingerprints, distance %i, in %s bytes is the fastest that fits',
    (count, maxDistance, memory) => {
      const options = plan({ count, maxDistance, memory });
      const [chosen, ...others] = options.filter((option) => option.chosen) as [PlanOption];
      expect(others).toEqual([]);
      expect(options[0]).toBe(chosen);
      expect(chosen.fits).toBe(true);
      if (memory !== undefined) expect(chosen.bytes).toBeLessThanOrEqual(memory * (1 + 1e-6));
      for (const option of options.filter(({ fits }) => fits)) {
        expect(option.nanoseconds).toBeGreaterThanOrEqual(chosen.nanoseconds * (1 - 1e-6));
      }
    },
  );

  it('is the smallest where nothing fits', () => {
    const options = plan({ count: 1e9, memory: 1e9 });
    expect(options.some(({ fits }) => fits)).toBe(false);
    const least = Math.min(...options.map(({ bytes }) => bytes));
    expect(options.filter(({ chosen }) => chosen).map(({ bytes }) => bytes)).toEqual([least]);
  });

  it('takes more memory only for less time', () => {
    let before = Number.POSITIVE_INFINITY;
    for (const bytes of [14, 16, 20, 30, 40, 64]) {
      const { nanoseconds } = plan({ count: 1e7, memory: bytes * 1e7 })[0] as PlanOption;
      expect(nanoseconds).toBeLessThanOrEqual(before);
      before = nanoseconds;
    }
  });

  it('counts the bits of ids', () => {
    const [narrow, wide] = [24, 53].map((idBits) =>
      plan({ count: 1e7, idBits }).find((o) => o.name === 'scan'),
    );
    expect((wide?.bytesPerFingerprint ?? 0) - (narrow?.bytesPerFingerprint ?? 0)).toBeCloseTo(29 / 8, 6);
    // Ids of 0 to count - 1 when not given.
    expect(plan({ count: 1e7 })).toEqual(plan({ count: 1e7, idBits: 24 }));
  });
});

describe('bad options', () => {
  it.each([
    [undefined, 'ERR_NEARDUP_INVALID_TYPE'],
    [{}, 'ERR_NEARDUP_INVALID_TYPE'],
    [{ count: 0 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 1.5 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 2 ** 40 + 1 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: '5' }, 'ERR_NEARDUP_INVALID_TYPE'],
    [{ count: 5, maxDistance: 17 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 5, maxDistance: -1 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 5, memory: 0 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 5, memory: Number.NaN }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 5, memory: Number.POSITIVE_INFINITY }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 5, memory: '1GiB' }, 'ERR_NEARDUP_INVALID_TYPE'],
    [{ count: 5, idBits: 0 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 5, idBits: 54 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ count: 5, measure: 1 }, 'ERR_NEARDUP_INVALID_TYPE'],
    [{ count: 5, distance: 3 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
  ])('%j', (options, code) => {
    expect(() => plan(options as never)).toThrow(expect.objectContaining({ code }));
  });
});

it('measures the machine when asked to', () => {
  const options = plan({ count: 1e7, memory: 20e7, measure: true });
  expect(options.filter(({ chosen }) => chosen)).toHaveLength(1);
  // What was measured stands for the process.
  expect(plan({ count: 1e7, memory: 20e7, measure: true })).toEqual(options);
});
