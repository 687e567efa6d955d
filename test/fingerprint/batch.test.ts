import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureOptions } from '../../lib/engine.ts';
import { hashTexts } from '../../lib/fingerprint/batch.ts';
import { engines } from '../engines.ts';
import { anyText } from '../texts.ts';

const RECIPES: FeatureOptions[] = [
  { unit: 'words', min: 1, max: 1, weight: 'log' },
  { unit: 'words', min: 3, max: 3, weight: 'count' },
  { unit: 'chars', min: 5, max: 5, weight: 'set' },
];

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const long = (i: number): string => `text ${i} ${'with some more words é '.repeat(20_000)}`;

async function* trickle<T>(values: Iterable<T>): AsyncGenerator<T> {
  for (const value of values) {
    await delay(0);
    yield value;
  }
}

/** Texts without end, which notes that it was closed. */
class Endless implements Iterable<string> {
  closed = false;

  *[Symbol.iterator](): Generator<string> {
    try {
      for (let i = 0; ; i++) yield long(i);
    } finally {
      this.closed = true;
    }
  }
}

describe.each(engines)('hashTexts on the $backend engine', (engine) => {
  const fingerprinters = RECIPES.map((recipe) => engine.createFingerprinter(recipe));
  const [words] = fingerprinters;

  it('gives what fingerprintBatch gives, for several recipes in one pass', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(anyText, anyText.map(encode))), async (texts) => {
        const batches = await hashTexts(engine, fingerprinters, texts);
        expect(batches).toEqual(fingerprinters.map((each) => each.fingerprintBatch(texts)));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the order over many batches, and reports progress', async () => {
    const texts = Array.from({ length: 30 }, (_, i) => (i % 7 === 0 ? long(i) : `text ${i}`));
    texts.push(...Array.from({ length: 9000 }, (_, i) => `short ${i}`), '', '...');
    const progress: number[] = [];
    const expected = fingerprinters.map((each) => each.fingerprintBatch(texts));
    const onProgress = (count: number): unknown => progress.push(count);
    expect(await hashTexts(engine, fingerprinters, texts, { onProgress })).toEqual(expected);
    expect(progress.length).toBeGreaterThan(3);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(texts.length);
    expect(await hashTexts(engine, fingerprinters, trickle(texts.slice(0, 40)))).toEqual(
      expected.map(({ fingerprints, features }) => ({
        fingerprints: fingerprints.slice(0, 40),
        features: features.slice(0, 40),
      })),
    );
  });

  it('gives an empty result for no texts', async () => {
    const empty = { fingerprints: new BigUint64Array(0), features: new Float64Array(0) };
    expect(await hashTexts(engine, [words], [])).toEqual([empty]);
  });

  it('copies the texts before it goes on', async () => {
    const bytes = encode('some words that will change');
    const expected = words.fingerprintBatch([bytes]);
    const { result } = engine.fingerprintBatchAsync([words], [bytes]);
    bytes.fill(0x61);
    expect(await result).toEqual([expected]);
  });

  it('rejects with the reason of an aborted signal, and closes the iterator', async () => {
    const texts = new Endless();
    const reason = new Error('enough');
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(reason);
    await expect(hashTexts(engine, [words], texts, { signal: controller.signal, onProgress })).rejects.toBe(
      reason,
    );
    while (!texts.closed) await delay(1);
    await expect(hashTexts(engine, [words], texts, { signal: controller.signal })).rejects.toBe(reason);
  });

  it('rejects at once also while the iterable keeps it waiting', async () => {
    const never: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    };
    const controller = new AbortController();
    const result = hashTexts(engine, [words], never, { signal: controller.signal });
    controller.abort('now');
    await expect(result).rejects.toBe('now');
  });

  it('rejects with what the iterable throws, what the callback throws, and for what is no text', async () => {
    const thrown = new Error('thrown by the source');
    const source = function* (): Generator<string> {
      for (let i = 0; i < 5; i++) yield long(i);
      throw thrown;
    };
    await expect(hashTexts(engine, [words], source())).rejects.toBe(thrown);
    const onProgress = (): void => {
      throw thrown;
    };
    await expect(hashTexts(engine, [words], ['a'], { onProgress })).rejects.toBe(thrown);
    await expect(hashTexts(engine, [words], ['a', 7 as never])).rejects.toMatchObject({
      code: 'ERR_NEARDUP_INVALID_TYPE',
      message: 'texts[1] must be a string or a Uint8Array, got 7',
    });
  });

  it('ends cancelled work with undefined, also in the middle of one text', async () => {
    const job = engine.fingerprintBatchAsync([words], ['so many words '.repeat(2_000_000)]);
    job.cancel();
    expect(await job.result).toBeUndefined();
    const whole = engine.fingerprintBatchAsync([words], ['so many words']);
    expect(await whole.result).toEqual([words.fingerprintBatch(['so many words'])]);
    whole.cancel();
  });

  it('lets the event loop turn while it works', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await hashTexts(
      engine,
      [words],
      Array.from({ length: 12 }, (_, i) => long(i)),
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});
