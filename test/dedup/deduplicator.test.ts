import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision, DedupDocument } from '../../lib/dedup/decision.ts';
import { Deduplicator } from '../../lib/dedup/deduplicator.ts';
import { NeardupError } from '../../lib/errors.ts';
import { createFingerprinter } from '../../lib/fingerprint/fingerprinter.ts';
import { DEFAULT_RECIPE } from '../../lib/recipe/defaults.ts';

function distanceOf(a: bigint, b: bigint): number {
  let distance = 0;
  for (let rest = a ^ b; rest !== 0n; rest &= rest - 1n) distance++;
  return distance;
}

/** The rule, naively: each document against every kept one, O(n²), texts compared as they are. */
function oracle(documents: readonly DedupDocument[], maxDistance: number): Decision[] {
  const fingerprinter = createFingerprinter(DEFAULT_RECIPE);
  const kept: { document: DedupDocument; fingerprint: bigint | undefined }[] = [];
  return documents.map((document): Decision => {
    const twin = kept.find((other) => other.document.text === document.text);
    if (twin) return { kept: false, reason: 'exact', keptId: twin.document.id, distance: 0 };
    const fingerprint = fingerprinter.fingerprint(document.text);
    let best: { id: string | number; distance: number } | undefined;
    for (const other of kept) {
      if (fingerprint === undefined || other.fingerprint === undefined) continue;
      const distance = distanceOf(fingerprint, other.fingerprint);
      if (distance <= maxDistance && distance < (best?.distance ?? 65))
        best = { id: other.document.id, distance };
    }
    if (best) return { kept: false, reason: 'near', keptId: best.id, distance: best.distance };
    kept.push({ document, fingerprint });
    return { kept: true };
  });
}

/** Texts with many exact, near and unrelated ones among them: few words, small edits, some without any word. */
const texts = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          base: fc.nat(3),
          edit: fc.nat(7),
          at: fc.constantFrom(299, 299, 298, 150),
          loud: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.constantFrom('', ' ', '!!!', '🎉', '\ud800', '\ufffd') },
    ),
    { minLength: 10, maxLength: 60, size: 'max' },
  )
  .map((items) =>
    items.map((item) => {
      if (typeof item === 'string') return item;
      const words = Array.from({ length: 300 }, (_, i) => `w${(i * (item.base + 3)) % 211}b${item.base}`);
      if (item.edit > 1) words[item.at] = `edit${item.edit}`;
      return item.loud ? words.join(' ').toUpperCase() : words.join(' ');
    }),
  );

describe('Deduplicator', () => {
  it('decides as comparing each document with every kept one would, one by one or in batches', () => {
    const seen = { exact: 0, near: 0, far: 0, kept: 0 };
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 1, max: 20 }),
        (all, maxDistance, size) => {
          const documents = all.map((text, i) => ({ id: i % 3 === 0 ? i : `id ${i}`, text }));
          const expected = oracle(documents, maxDistance);
          const single = new Deduplicator({ maxDistance });
          const batches = new Deduplicator({ maxDistance });
          try {
            expect(documents.map((document) => single.offer(document))).toEqual(expected);
            const decisions: Decision[] = [];
            for (let i = 0; i < documents.length; i += size) {
              decisions.push(...batches.offerBatch(documents.slice(i, i + size)));
            }
            expect(decisions).toEqual(expected);
            const count = (test: (decision: Decision) => boolean) => expected.filter(test).length;
            expect(batches.counters).toEqual(single.counters);
            expect(single.counters).toMatchObject({
              documents: expected.length,
              kept: count((decision) => decision.kept),
              exact: count((decision) => !decision.kept && decision.reason === 'exact'),
              near: count((decision) => !decision.kept && decision.reason === 'near'),
            });
            seen.kept += single.counters.kept;
            seen.exact += single.counters.exact;
            seen.near += single.counters.near;
            seen.far += count((decision) => !decision.kept && decision.distance > 0);
          } finally {
            single.close();
            batches.close();
          }
        },
      ),
      { numRuns: 150 },
    );
    // The cases must have come up for the comparison to mean something.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
  });

  it('never groups texts without features, except exact repeats', () => {
    using dedup = new Deduplicator();
    const decisions = ['', '!', '', '🎉', '!'].map((text, id) => dedup.offer({ id, text }));
    expect(decisions).toEqual([
      { kept: true },
      { kept: true },
      { kept: false, reason: 'exact', keptId: 0, distance: 0 },
      { kept: true },
      { kept: false, reason: 'exact', keptId: 1, distance: 0 },
    ]);
    expect(dedup.counters).toEqual({ documents: 5, kept: 3, exact: 2, near: 0, withoutFingerprint: 3 });
  });

  it('takes UTF-8 bytes for the string that they are', () => {
    using dedup = new Deduplicator();
    const text = 'Straße, naïve and 字';
    expect(dedup.offer({ id: 'string', text }).kept).toBe(true);
    expect(dedup.offer({ id: 'bytes', text: new TextEncoder().encode(text) })).toMatchObject({
      reason: 'exact',
      keptId: 'string',
    });
  });

  it('says what it compares with', () => {
    using dedup = new Deduplicator({ maxDistance: 5 });
    expect([dedup.maxDistance, dedup.recipe.text]).toEqual([5, DEFAULT_RECIPE.text]);
    using byText = new Deduplicator({ recipe: DEFAULT_RECIPE.text });
    expect([byText.maxDistance, byText.recipe.text]).toEqual([3, DEFAULT_RECIPE.text]);
  });

  it('decides nothing of a batch with a bad document', () => {
    using dedup = new Deduplicator();
    const good = { id: 1, text: 'some words of text' };
    expect(() => dedup.offerBatch([good, { id: -1, text: 'more' }])).toThrow(NeardupError);
    expect(dedup.counters.documents).toBe(0);
    expect(dedup.offer(good)).toEqual({ kept: true });
  });

  it('reads each field once', () => {
    using dedup = new Deduplicator();
    let reads = 0;
    const document = {
      get id() {
        if (reads++ > 0) throw new Error('read twice');
        return 'once';
      },
      text: 'some words of text',
    };
    dedup.offer(document);
    expect(dedup.offer({ id: 2, text: 'Some words of text.' })).toMatchObject({ keptId: 'once' });
  });

  it('is closed once and for all; counters stay', () => {
    const dedup = new Deduplicator();
    dedup.offer({ id: 1, text: 'some words of text' });
    expect(dedup.closed).toBe(false);
    dedup.close();
    dedup.close();
    expect(dedup.closed).toBe(true);
    expect(() => dedup.offer({ id: 2, text: 'x' })).toThrow(
      expect.objectContaining({ code: 'ERR_NEARDUP_CLOSED' }),
    );
    expect(dedup.counters).toMatchObject({ documents: 1, kept: 1 });
  });
});

describe('bad arguments', () => {
  const type = { code: 'ERR_NEARDUP_INVALID_TYPE' };
  const range = { code: 'ERR_NEARDUP_OUT_OF_RANGE' };
  const text = 'some words of text';

  it.each([
    [undefined, TypeError, type],
    [null, TypeError, type],
    ['text', TypeError, type],
    [{}, TypeError, type],
    [[], TypeError, type],
    [{ id: 1 }, TypeError, type],
    [{ id: 1, text: 5 }, TypeError, type],
    [{ id: 1, text: new Uint16Array(2) }, TypeError, type],
    [{ text }, TypeError, type],
    [{ id: null, text }, TypeError, type],
    [{ id: 1n, text }, TypeError, type],
    [{ id: Symbol('id'), text }, TypeError, type],
    [{ id: -1, text }, RangeError, range],
    [{ id: 1.5, text }, RangeError, range],
    [{ id: Number.NaN, text }, RangeError, range],
    [{ id: Number.POSITIVE_INFINITY, text }, RangeError, range],
    [{ id: 2 ** 53, text }, RangeError, range],
  ])('offer refuses document %#', (document, kind, code) => {
    using dedup = new Deduplicator();
    expect(() => dedup.offer(document as never)).toThrow(kind);
    expect(() => dedup.offer(document as never)).toThrow(NeardupError);
    expect(() => dedup.offer(document as never)).toThrow(expect.objectContaining(code));
    expect(dedup.counters.documents).toBe(0);
  });

  it.each([[undefined], [null], ['ab'], [new Set()], [{ length: 1 }]])(
    'offerBatch refuses %#',
    (documents) => {
      using dedup = new Deduplicator();
      expect(() => dedup.offerBatch(documents as never)).toThrow(expect.objectContaining(type));
    },
  );

  it.each([
    [null, type],
    [3, type],
    [{ maxDistance: '3' }, type],
    [{ maxDistance: 9 }, range],
    [{ maxDistance: -1 }, range],
    [{ maxDistance: Number.NaN }, range],
    [{ recipe: 5 }, type],
    [{ recipe: null }, type],
  ])('new Deduplicator refuses options %#', (options, code) => {
    expect(() => new Deduplicator(options as never)).toThrow(expect.objectContaining(code));
  });
});
