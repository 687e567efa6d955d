import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DocumentId } from '../../lib/dedup/decision.ts';
import { KeptIds } from '../../lib/dedup/kept-ids.ts';

/** Stores ids at slots that leave gaps, batch by batch, then reads them all. */
function roundTrip(batches: readonly (readonly DocumentId[])[], gap: number): void {
  const ids = new KeptIds();
  const expected = new Map<number, DocumentId>();
  let slot = 0;
  for (const batch of batches) {
    ids.reserve(
      slot + batch.length * (gap + 1),
      batch.reduce<number>((sum, id) => sum + KeptIds.bytesOf(id), 0),
    );
    for (const id of batch) {
      ids.set(slot, id);
      expected.set(slot, id);
      slot += 1 + gap;
    }
  }
  const wrong = [...expected].filter(([at, id]) => ids.get(at) !== id);
  expect(wrong).toEqual([]);
}

it('gives back every id: numbers, Latin-1, other scripts, lone surrogates, empty', () => {
  const id = fc.oneof(
    fc.maxSafeNat(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '\ud800', 'é', '字', '\0'),
  );
  fc.assert(fc.property(fc.array(fc.array(id)), fc.nat(3), roundTrip));
});

it('holds more than its chunks and pools, and an id larger than a pool', () => {
  const url = (i: number) => `https://example.org/pages/${i}/index.html`;
  const long = 'x'.repeat(3 << 20);
  roundTrip(
    [Array.from({ length: 60_000 }, (_, i) => url(i)), [long, 'after', Number.MAX_SAFE_INTEGER, 0]],
    0,
  );
  roundTrip([['before'], [`${long}字`], ['after']], 40_000);
});
