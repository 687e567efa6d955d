/** groups() and approximatePairs() on each engine. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import type { Groups } from '../../lib/index/groups.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { engines } from '../engines.ts';
import { collections } from './collections.ts';
import { batchOf, type Entry, entriesOf, oracleOf, pairsIn } from './entries.ts';
import { Oracle, type OracleEntry } from './oracle.ts';

let engine: Engine;
vi.mock('../../lib/backend.ts', () => ({ currentEngine: () => engine }));

/** The groups as lists of [id, distance]. */
const lists = ({ offsets, ids, distances }: Groups) =>
  Array.from(offsets.subarray(1), (end, g) =>
    Array.from(
      ids.subarray(offsets[g], end),
      (id, i) => [id, distances[(offsets[g] as number) + i]] as [number, number],
    ),
  );

const kindsOf = (byTag: boolean, bySecond: boolean) => ({ time: false, tag: byTag, second: bySecond });

function indexOf(entries: readonly Entry[], byTag: boolean, bySecond: boolean): HammingIndex {
  const index = new HammingIndex({ maxDistance: 5, tags: byTag, secondFingerprints: bySecond });
  const { fingerprints, ids, ...columns } = batchOf(entries, kindsOf(byTag, bySecond));
  index.addBatch(fingerprints, ids, columns);
  return index;
}

const distanceOf = (a: bigint, b: bigint): number => (a ^ b).toString(2).replaceAll('0', '').length;

/** Lists of owners and members as groups: owners ascending, members ascending, each at its smallest distance. */
function grouped(members: readonly (readonly [owner: number, id: number, distance: number])[]) {
  const groups = new Map<number, Map<number, number>>();
  for (const [owner, id, distance] of members) {
    const group = groups.get(owner) ?? new Map([[owner, 0]]);
    groups.set(owner, group);
    if (id !== owner) group.set(id, Math.min(distance, group.get(id) ?? 64));
  }
  return [...groups]
    .filter(([, group]) => group.size > 1)
    .sort(([a], [b]) => a - b)
    .map(([owner, group]) => [
      [owner, 0],
      ...[...group].filter(([id]) => id !== owner).sort(([a], [b]) => a - b),
    ]);
}

function byRepresentative(sorted: readonly OracleEntry[], distance: number, secondDistance?: number) {
  const oracle = new Oracle();
  return grouped(
    [...sorted]
      .sort((a, b) => a.id - b.id)
      .map((entry) => {
        const { fingerprint, id } = entry;
        const match = oracle.addIfNew(fingerprint, id, distance, entry, secondDistance);
        return [match?.id ?? id, id, match?.distance ?? 0];
      }),
  );
}

/** Components by spreading the smallest id along all near pairs until nothing changes. */
function byComponent(entries: readonly OracleEntry[], distance: number, secondDistance = 64) {
  const owners = entries.map(({ id }) => id);
  const isNear = (a: OracleEntry, b: OracleEntry) =>
    a.id === b.id ||
    (a.tag === b.tag &&
      distanceOf(a.fingerprint, b.fingerprint) <= distance &&
      distanceOf(a.second, b.second) <= secondDistance);
  for (let changed = true; changed; ) {
    changed = false;
    entries.forEach((a, i) => {
      entries.forEach((b, j) => {
        if ((owners[j] as number) <= (owners[i] as number) || !isNear(a, b)) return;
        owners[j] = owners[i] as number;
        changed = true;
      });
    });
  }
  return grouped(
    entries.map((entry, i) => {
      const firsts = entries.filter(({ id }) => id === owners[i]);
      const distances = firsts.map(({ fingerprint }) => distanceOf(fingerprint, entry.fingerprint));
      return [owners[i] as number, entry.id, Math.min(...distances)];
    }),
  );
}

describe.each(engines)('$backend engine', (each) => {
  beforeEach(() => {
    engine = each;
  });

  describe.each(Object.keys(collections))('%s', (name) => {
    const entries = entriesOf(name, 220);
    test.each([
      [false, undefined],
      [true, undefined],
      [true, 9],
    ])('groups, tags %s, secondDistance %s', async (byTag, secondDistance) => {
      const bySecond = secondDistance !== undefined;
      const sorted = oracleOf(entries, kindsOf(byTag, bySecond)).sorted();
      const index = indexOf(entries, byTag, bySecond);
      for (const maxDistance of [0, 4]) {
        const options = { maxDistance, secondDistance };
        const first = await index.groups(options);
        expect(lists(first)).toEqual(byRepresentative(sorted, maxDistance, secondDistance));
        const second = await index.groups({ ...options, link: 'component' });
        expect(lists(second)).toEqual(byComponent(sorted, maxDistance, secondDistance));
        for (const groups of [first, second]) {
          lists(groups).forEach((members, g) => {
            const distances = members.slice(1).map(([, distance]) => distance);
            expect(groups.smallestDistances[g]).toBe(Math.min(...distances));
            expect(groups.greatestDistances[g]).toBe(Math.max(...distances));
          });
        }
      }
    });

    test('groups do not depend on the order of adding', async () => {
      const [one, two] = [indexOf(entries, true, true), indexOf([...entries].reverse(), true, true)];
      for (const link of ['representative', 'component'] as const) {
        expect(await one.groups({ link })).toEqual(await two.groups({ link }));
      }
    });

    test.each([false, true])(
      'approximate pairs, tags %s: all of them with a window over all',
      async (byTag) => {
        const oracle = oracleOf(entries, kindsOf(byTag, false));
        const index = indexOf(entries, byTag, false);
        const pairs = async (options: object) => {
          const batches = [];
          for await (const batch of index.approximatePairs(options)) batches.push(batch);
          return pairsIn(batches);
        };
        for (const maxDistance of [0, 5, 12]) {
          const exact = oracle.pairs(maxDistance);
          expect(await pairs({ maxDistance, rotations: 1, window: 220 })).toEqual(exact);
          expect(await pairs({ maxDistance, rotations: 3, window: 220 })).toEqual(exact);
          const some = await pairs({ maxDistance, rotations: 5, window: 3 });
          const known = new Set(exact.map(([a, b]) => `${a} ${b}`));
          expect(some.every(([a, b]) => known.has(`${a} ${b}`))).toBe(true);
          expect(new Set(some.map(([a, b]) => `${a} ${b}`)).size).toBeLessThanOrEqual(some.length);
        }
      },
    );
  });

  test('a chain: one component, whose ends are far from each other', async () => {
    const index = new HammingIndex({ maxDistance: 2 });
    for (let i = 0; i < 10; i++) index.add((1n << BigInt(2 * i)) - 1n, 10 - i);
    const representative = await index.groups();
    expect(lists(representative).map((group) => group.map(([id]) => id))).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
      [9, 10],
    ]);
    const component = await index.groups({ link: 'component' });
    expect(component.offsets).toEqual(Float64Array.of(0, 10));
    expect(component.ids).toEqual(Float64Array.from({ length: 10 }, (_, i) => i + 1));
    expect([component.smallestDistances, component.greatestDistances]).toEqual([
      Uint8Array.of(2),
      Uint8Array.of(18),
    ]);
    const limited = await index.groups({ link: 'component', maxGroup: 9 });
    expect(limited).toEqual({
      offsets: Float64Array.of(0),
      ids: new Float64Array(0),
      distances: new Uint8Array(0),
      smallestDistances: new Uint8Array(0),
      greatestDistances: new Uint8Array(0),
      oversized: { ids: Float64Array.of(1), sizes: Float64Array.of(10) },
    });
    expect(await index.groups({ link: 'component', maxGroup: 10 })).toEqual(component);
  });

  test('an empty index, and options out of range', async () => {
    const index = new HammingIndex();
    for (const link of ['representative', 'component'] as const) {
      expect((await index.groups({ link })).offsets).toEqual(Float64Array.of(0));
    }
    expect(await index.approximatePairs().next()).toEqual({ done: true, value: undefined });
    const bad = [{ link: 'chain' }, { maxGroup: 1 }, { maxDistance: 4 }, { size: 3 }];
    for (const options of bad) {
      await expect(index.groups(options as never)).rejects.toMatchObject({
        code: 'ERR_NEARDUP_OUT_OF_RANGE',
      });
    }
    await expect(index.groups({ link: 5 as never })).rejects.toMatchObject({
      code: 'ERR_NEARDUP_INVALID_TYPE',
    });
    for (const options of [{ rotations: 0 }, { rotations: 65 }, { window: 0 }, { maxDistance: 65 }]) {
      expect(() => index.approximatePairs(options)).toThrowError(
        expect.objectContaining({ code: 'ERR_NEARDUP_OUT_OF_RANGE' }),
      );
    }
  });

  test('a hundred thousand equal fingerprints are one group, without a pair each', async () => {
    const count = 100_000;
    const index = new HammingIndex();
    index.addBatch(
      new BigUint64Array(count),
      Array.from({ length: count }, (_, i) => count - i),
    );
    for (const link of ['representative', 'component'] as const) {
      const { offsets, ids } = await index.groups({ link });
      expect(offsets).toEqual(Float64Array.of(0, count));
      expect(ids.every((id, i) => id === i + 1)).toBe(true);
    }
  });

  test('any few entries', async () => {
    const entry = fc.record({
      fingerprint: fc
        .array(fc.nat(20), { maxLength: 4 })
        .map((bits) => bits.reduce((value, bit) => value ^ (1n << BigInt(bit)), 0n)),
      id: fc.nat(12),
      time: fc.constant(0),
      tag: fc.nat(1),
      second: fc.constant(0n),
    });
    const run = fc.asyncProperty(
      fc.array(entry, { maxLength: 25, size: 'max' }),
      fc.nat(4),
      async (entries, maxDistance) => {
        const index = indexOf(entries, true, false);
        const sorted = oracleOf(entries, kindsOf(true, false)).sorted();
        expect(lists(await index.groups({ maxDistance }))).toEqual(byRepresentative(sorted, maxDistance));
        expect(lists(await index.groups({ maxDistance, link: 'component' }))).toEqual(
          byComponent(sorted, maxDistance),
        );
        index.close();
      },
    );
    await fc.assert(run, { numRuns: 150, seed: 22 });
  });
});
