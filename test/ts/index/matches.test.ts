import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Matches } from '../../../lib/ts/index/matches.ts';

test('the first matches of any offers, each id at its smallest distance', () => {
  const matches = new Matches();
  const few = fc.array(fc.tuple(fc.nat(6), fc.nat(5)), { maxLength: 120, size: 'max' });
  const many = fc.array(fc.tuple(fc.nat(64), fc.nat(500)), { maxLength: 400, size: 'max' });
  const offers = fc.tuple(few, many).map(([first, then]) => [...first, ...then]);
  const limits = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(Number.POSITIVE_INFINITY));
  const run = fc.property(offers, limits, (list, limit) => {
    matches.begin(limit);
    const nearest = new Map<number, number>();
    for (const [distance, id] of list) {
      matches.offer(distance, id);
      nearest.set(id, Math.min(distance, nearest.get(id) ?? 64));
    }
    matches.finish();
    const expected = [...nearest].sort((a, b) => a[1] - b[1] || a[0] - b[0]).slice(0, limit);
    const { ids, distances, count } = matches;
    expect(Array.from(ids.subarray(0, count), (id, i) => [id, distances[i]])).toEqual(expected);
  });
  fc.assert(run, { numRuns: 500, seed: 23 });
});

test('an offer that is refused is never among the first, nor is any larger id at its distance', () => {
  const matches = new Matches();
  matches.begin(3);
  const refused: number[] = [];
  for (let id = 0; id < 200; id++) if (!matches.offer(1, id)) refused.push(id);
  expect(refused.length).toBeGreaterThan(100);
  expect(matches.offer(0, 500)).toBe(true);
  matches.finish();
  expect(Array.from(matches.ids.subarray(0, matches.count))).toEqual([500, 0, 1]);
});
