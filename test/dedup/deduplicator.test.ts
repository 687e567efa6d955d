import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision, DedupDocument, Dropped } from '../../lib/dedup/decision.ts';
import { Deduplicator } from '../../lib/dedup/deduplicator.ts';
import { NeardupError } from '../../lib/errors.ts';
import { createFingerprinter } from '../../lib/fingerprint/fingerprinter.ts';
import { DEFAULT_RECIPE, DEFAULT_VERIFICATION } from '../../lib/recipe/defaults.ts';
import { recipes } from '../../lib/recipe/recipes.ts';

function distanceOf(a: bigint, b: bigint): number {
  let distance = 0;
  for (let rest = a ^ b; rest !== 0n; rest &= rest - 1n) distance++;
  return distance;
}

interface Rule {
  readonly maxDistance: number;
  readonly verifyDistance: number | undefined;
  readonly minFeatures: number;
}

/** The rule, naively: each document against every kept one, O(n²), texts compared as they are. */
function oracle(documents: readonly DedupDocument[], rule: Rule): Decision[] {
  const first = createFingerprinter(DEFAULT_RECIPE);
  const second = createFingerprinter(DEFAULT_VERIFICATION);
  const kept: { document: DedupDocument; fingerprint: bigint | undefined; second: bigint | undefined }[] = [];
  return documents.map((document): Decision => {
    const about = first.describe(document.text);
    const twin = kept.find((other) => about.features > 0 && other.document.text === document.text);
    if (twin) return { kept: false, reason: 'exact', keptId: twin.document.id, distance: 0 };
    const fingerprint = about.features < rule.minFeatures ? undefined : about.fingerprint;
    const confirming = second.fingerprint(document.text);
    let best: Dropped | undefined;
    for (const other of kept) {
      if (fingerprint === undefined || other.fingerprint === undefined) continue;
      const distance = distanceOf(fingerprint, other.fingerprint);
      const verifyDistance = distanceOf(confirming as bigint, other.second as bigint);
      if (distance > rule.maxDistance || distance >= (best?.distance ?? 65)) continue;
      if (rule.verifyDistance !== undefined && verifyDistance > rule.verifyDistance) continue;
      best = { kept: false, reason: 'near', keptId: other.document.id, distance };
      if (rule.verifyDistance !== undefined) best = { ...best, verifyDistance };
    }
    if (best) return best;
    kept.push({ document, fingerprint, second: confirming });
    return { kept: true };
  });
}

/** Texts with many exact, near and unrelated ones among them: few words, edits, other orders, some without any word. */
const texts = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          base: fc.nat(3),
          edits: fc.nat(9),
          turn: fc.constantFrom(0, 0, 0, 1, 5, 40),
          words: fc.constantFrom(60, 200, 200, 8, 5),
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
      const words = Array.from(
        { length: item.words },
        (_, i) => `w${(i * (item.base + 3)) % 211}b${item.base}`,
      );
      for (let i = 0; i < item.edits && i < item.words / 3; i++) words[3 * i] = `edit${item.edits}`;
      // The same words in another order: near by words, far by shingles.
      if (item.turn > 0) words.sort((a, b) => (a.length * item.turn + a < b.length * item.turn + b ? -1 : 1));
      return item.loud ? words.join(' ').toUpperCase() : words.join(' ');
    }),
  );

describe('Deduplicator', () => {
  it('decides as comparing each document with every kept one would, one by one or in batches', () => {
    const seen = { exact: 0, near: 0, far: 0, kept: 0, refuted: 0, tooShort: 0 };
    const rules = fc.record({
      maxDistance: fc.integer({ min: 0, max: 8 }),
      verifyDistance: fc.option(fc.constantFrom(0, 6, 14, 20, 64), { nil: undefined }),
      minFeatures: fc.constantFrom(1, 4, 6, 9),
    });
    fc.assert(
      fc.property(texts, rules, fc.integer({ min: 1, max: 20 }), (all, rule, size) => {
        const documents = all.map((text, i) => ({ id: i % 3 === 0 ? i : `id ${i}`, text }));
        const expected = oracle(documents, rule);
        const { verifyDistance, ...rest } = rule;
        const options = verifyDistance === undefined ? { ...rest, verify: false as const } : rule;
        using single = new Deduplicator(options);
        using batches = new Deduplicator(options);
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
        seen.tooShort += single.counters.tooShort;
        const unverified = oracle(documents, { ...rule, verifyDistance: undefined });
        seen.refuted += unverified.filter((decision, i) => decision.kept !== expected[i]?.kept).length;
      }),
      { numRuns: 150 },
    );
    // The cases must have come up for the comparison to mean something.
    for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(40);
  });

  it('looks past any number of candidates that are not confirmed', () => {
    // All with the same words, so the same first fingerprint, each in an order of its own.
    const words = Array.from({ length: 40 }, (_, i) => `word${i}`);
    const shuffled = (seed: number) =>
      words
        .map((word, i) => [(Math.imul(i + 1, 2 * seed + 1) >>> 0) % 4093, word] as const)
        .sort((a, b) => a[0] - b[0]);
    const documents = Array.from({ length: 300 }, (_, id) => ({
      id,
      text: shuffled(id * 7919 + 17)
        .map(([, word]) => word)
        .join(' '),
    }));
    using dedup = new Deduplicator();
    const expected = oracle(documents, { maxDistance: 6, verifyDistance: 14, minFeatures: 4 });
    expect(dedup.offerBatch(documents)).toEqual(expected);
    expect(dedup.counters.kept).toBeGreaterThan(100);
    const loud = documents.map(({ text }, i) => ({ id: `loud ${i}`, text: `${text}!` }));
    for (const [i, decision] of dedup.offerBatch(loud).entries()) {
      const first = expected[i] as Decision;
      expect(decision).toMatchObject({ kept: false, keptId: first.kept ? i : first.keptId });
    }
  });

  it('drops nothing without confirmation, and says how sure it is', () => {
    const text = 'one two three four five six seven eight nine ten';
    const turned = 'ten nine eight seven six five four three two one';
    const offers = [text, turned, `${text}.`].map((text, id) => ({ id, text }));
    using sure = new Deduplicator();
    expect(sure.offerBatch(offers)).toEqual([
      { kept: true },
      { kept: true },
      { kept: false, reason: 'near', keptId: 0, distance: 0, verifyDistance: 0 },
    ]);
    using quick = new Deduplicator({ verify: false });
    expect(quick.offerBatch(offers)[1]).toEqual({ kept: false, reason: 'near', keptId: 0, distance: 0 });
    expect(quick.verification).toBeUndefined();
  });

  it('takes a short text only for the very same', () => {
    using dedup = new Deduplicator();
    const offers = ['C++', 'C#', 'C', 'c', 'C#', 'a b c', 'A B C', 'a b c d', 'A B C D'];
    expect(dedup.offerBatch(offers.map((text, id) => ({ id, text }))).map(({ kept }) => kept)).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(dedup.counters).toMatchObject({ tooShort: 6, withoutFingerprint: 0, exact: 1, near: 1 });
    using brave = new Deduplicator({ minFeatures: 1 });
    expect(brave.offerBatch(offers.map((text, id) => ({ id, text })))[1]).toMatchObject({
      kept: false,
      keptId: 0,
    });
  });

  it('compares by any recipe for texts', () => {
    const a = 'policies are running the shop in the town today';
    const b = 'policy runs the shop in a town of today';
    const recipe = recipes.words({ stem: 'english', stopWords: ['are', 'the', 'in', 'a', 'of'] });
    using dedup = new Deduplicator({ recipe, verify: recipe, minFeatures: 4 });
    expect(dedup.offer({ id: 1, text: a })).toEqual({ kept: true });
    expect(dedup.offer({ id: 2, text: b })).toMatchObject({ keptId: 1, distance: 0 });
    // Nothing but stop words: no fingerprint by this recipe.
    expect(dedup.offer({ id: 3, text: 'the in the of a' })).toEqual({ kept: true });
    expect(dedup.offer({ id: 4, text: 'The in the of a' })).toEqual({ kept: true });
    expect(dedup.counters.withoutFingerprint).toBe(2);
  });

  it('never groups texts without features, not even equal ones', () => {
    using single = new Deduplicator();
    using batches = new Deduplicator();
    const documents = ['', '!', '', '🎉', '!'].map((text, id) => ({ id, text }));
    const decisions = documents.map((document) => single.offer(document));
    expect(decisions).toEqual(documents.map(() => ({ kept: true })));
    expect(batches.offerBatch(documents)).toEqual(decisions);
    expect(single.counters).toEqual({
      documents: 5,
      kept: 5,
      exact: 0,
      near: 0,
      withoutFingerprint: 5,
      tooShort: 0,
    });
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
    using own = new Deduplicator({
      recipe: recipes.chars(5).text,
      maxDistance: 5,
      verify: recipes.shingles(2).text,
      verifyDistance: 20,
      minFeatures: 9,
    });
    expect([own.recipe, own.maxDistance]).toEqual([recipes.chars(5), 5]);
    expect([own.verification, own.verifyDistance, own.minFeatures]).toEqual([recipes.shingles(2), 20, 9]);
    using standard = new Deduplicator();
    expect([standard.recipe, standard.maxDistance]).toEqual([DEFAULT_RECIPE, 6]);
    expect([standard.verification, standard.verifyDistance]).toEqual([DEFAULT_VERIFICATION, 14]);
    expect(standard.minFeatures).toBe(4);
  });

  it('decides nothing of a batch with a bad document', () => {
    using dedup = new Deduplicator();
    const good = { id: 1, text: 'some words of a text to read' };
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
      text: 'some words of a text to read',
    };
    dedup.offer(document);
    expect(dedup.offer({ id: 2, text: 'Some words of a text to read.' })).toMatchObject({ keptId: 'once' });
  });

  it('is closed once and for all; counters stay', () => {
    const dedup = new Deduplicator();
    dedup.offer({ id: 1, text: 'some words of a text to read' });
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
  const unsupported = { code: 'ERR_NEARDUP_UNSUPPORTED' };
  const text = 'some words of a text to read';

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
    [{ recipe: 'words' }, range],
    [{ recipe: recipes.features('mine') }, unsupported],
    [{ verify: true }, type],
    [{ verify: null }, type],
    [{ verify: 'words' }, range],
    [{ verify: recipes.features('mine') }, unsupported],
    [{ verifyDistance: 65 }, range],
    [{ verifyDistance: -1 }, range],
    [{ verifyDistance: '14' }, type],
    [{ minFeatures: 0 }, range],
    [{ minFeatures: 1.5 }, range],
    [{ minFeatures: '6' }, type],
  ])('new Deduplicator refuses options %#', (options, code) => {
    expect(() => new Deduplicator(options as never)).toThrow(expect.objectContaining(code));
  });
});
