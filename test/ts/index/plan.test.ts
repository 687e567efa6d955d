import { describe, expect, test } from 'vitest';
import { lanesOf } from '../../../lib/ts/base/bits.ts';
import { flipCount, flipsWithin } from '../../../lib/ts/index/flips.ts';
import { KeyBits } from '../../../lib/ts/index/key.ts';
import { planSegment, SCAN_ROWS } from '../../../lib/ts/index/plan.ts';
import { collect, Random } from '../../index/collections.ts';

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

describe('plan', () => {
  test.each([
    'uniform',
    'constant top 16 bits',
    'constant top 32 bits',
    'templates with 0..6 flips',
    'sorted',
  ])('%s: no pattern of errors escapes all tables', (name) => {
    const random = new Random(3);
    for (const rows of [SCAN_ROWS + 1, 5000, 40_000]) {
      for (let maxDistance = 0; maxDistance <= 16; maxDistance++) {
        const tables = planSegment(lanesOf(collect(name, rows)), rows, maxDistance);
        if (tables.length === 0) continue;
        const bits = tables.flatMap((table) => table.bits);
        expect(new Set(bits).size).toBe(bits.length);
        expect(tables.length).toBeLessThanOrEqual(4);
        // Planned up to this distance; beyond it, comparing every row is cheaper.
        const planned = (tables[0]?.radii.length ?? 0) - 1;
        expect(planned).toBeGreaterThanOrEqual(Math.min(maxDistance, rows > 5000 ? 2 : 1));
        expect(tables.every(({ radii }) => radii.length === planned + 1)).toBe(true);
        for (let distance = 0; distance <= planned; distance++) {
          const radii = tables.map((table) => table.radii[distance] as number);
          // Every table can be escaped by radius + 1 errors in its key; all of them by the sum of these.
          expect(sum(radii.map((radius) => radius + 1))).toBe(distance + 1);
          for (let i = 0; i < 20; i++) {
            const errors = random.flip(0n, distance);
            const found = tables.some(
              ({ bits }, t) =>
                bits.filter((bit) => (errors >> BigInt(bit)) & 1n).length <= (radii[t] as number),
            );
            expect(found).toBe(true);
          }
        }
      }
    }
  });

  test('uniform data has tables, and equal or few rows have none', () => {
    expect(planSegment(lanesOf(collect('uniform', 5000)), 5000, 3).length).toBeGreaterThan(1);
    expect(planSegment(lanesOf(collect('uniform', SCAN_ROWS)), SCAN_ROWS, 3)).toEqual([]);
    expect(planSegment(lanesOf(collect('all equal', 5000)), 5000, 3)).toEqual([]);
  });

  test('constant bits are in no key', () => {
    const tables = planSegment(lanesOf(collect('constant top 32 bits', 5000)), 5000, 3);
    expect(tables.length).toBeGreaterThan(0);
    for (const { bits } of tables) expect(bits.every((bit) => bit < 32)).toBe(true);
  });
});

describe('keys and flips', () => {
  test('a key is the chosen bits, the first one highest', () => {
    const positions = [63, 0, 31, 32, 17, 5];
    const key = new KeyBits(positions);
    for (const value of collect('uniform', 200)) {
      const low = Number(value & 0xffff_ffffn);
      const high = Number(value >> 32n);
      const digits = positions.map((position) => (value >> BigInt(position)) & 1n).join('');
      expect(key.of(low, high)).toBe(Number.parseInt(digits, 2));
    }
    expect([key.lowMask >>> 0, key.highMask >>> 0]).toEqual([0x80020021, 0x80000001]);
  });

  test.each([
    [0, 0],
    [1, 3],
    [5, 2],
    [12, 4],
    [22, 2],
    [32, 1],
  ])('all masks of %i bits with at most %i ones, each once, in order of their ones', (bits, radius) => {
    const { masks, ends } = flipsWithin(bits, radius);
    const ones = Array.from(masks, (mask) => mask.toString(2).replaceAll('0', '').length);
    expect(new Set(masks).size).toBe(masks.length);
    expect(masks.every((mask) => mask < 2 ** bits)).toBe(true);
    for (let r = 0; r <= radius; r++) {
      expect(ones.filter((count) => count === r).length).toBe(flipCount(bits, r));
      expect(ones.slice(0, ends[r]).every((count) => count <= r)).toBe(true);
      expect(ones.slice(ends[r]).every((count) => count > r)).toBe(true);
    }
  });
});
