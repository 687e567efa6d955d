import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import type { Dropped } from '../../lib/dedup/decision.ts';
import { DedupStream, dedup } from '../../lib/dedup/stream.ts';

const DOCUMENTS = [
  { id: 'a', text: 'the quick brown fox jumps over the lazy dog', extra: 1 },
  { id: 'b', text: 'The QUICK brown fox jumps over the lazy dog!', extra: 2 },
  { id: 'c', text: 'an entirely different sentence about sorted tables', extra: 3 },
  { id: 'd', text: 'the quick brown fox jumps over the lazy dog', extra: 4 },
];
const DROPPED = [
  ['b', { kept: false, reason: 'near', keptId: 'a', distance: 0, verifyDistance: 0 }],
  ['d', { kept: false, reason: 'exact', keptId: 'a', distance: 0 }],
];

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe('dedup', () => {
  it.each([
    ['an array', () => DOCUMENTS],
    ['a generator', () => DOCUMENTS.values()],
    ['a stream', () => Readable.from(DOCUMENTS)],
  ])('yields the documents themselves from %s', async (_, source) => {
    const dropped: unknown[] = [];
    const onDropped = (document: { id: string }, why: Dropped) => dropped.push([document.id, why]);
    const kept = await collect(dedup(source() as typeof DOCUMENTS, { onDropped }));
    expect(kept).toEqual([DOCUMENTS[0], DOCUMENTS[2]]);
    expect(kept[0]).toBe(DOCUMENTS[0]);
    expect(dropped).toEqual(DROPPED);
  });

  it('yields nothing for nothing', async () => {
    expect(await collect(dedup([]))).toEqual([]);
  });

  it('reads no further than it is asked', async () => {
    let reads = 0;
    let closed = false;
    function* source() {
      try {
        for (const document of DOCUMENTS) {
          reads++;
          yield document;
        }
      } finally {
        closed = true;
      }
    }
    for await (const _ of dedup(source())) break;
    expect([reads, closed]).toEqual([1, true]);
  });

  it('passes errors on: of the source, of a document, of options', async () => {
    const failing = (async function* () {
      yield DOCUMENTS[0] as (typeof DOCUMENTS)[number];
      throw new Error('the source broke');
    })();
    await expect(collect(dedup(failing))).rejects.toThrow('the source broke');
    const type = expect.objectContaining({ code: 'ERR_NEARDUP_INVALID_TYPE' });
    await expect(collect(dedup([{ id: 1 }] as never))).rejects.toThrow(type);
    await expect(collect(dedup([], { onDropped: 5 } as never))).rejects.toThrow(type);
    await expect(collect(dedup([], { maxDistance: 9 }))).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_NEARDUP_OUT_OF_RANGE' }),
    );
  });
});

describe('DedupStream', () => {
  it('lets unique documents through and counts', async () => {
    const dropped: unknown[] = [];
    const stream = new DedupStream<(typeof DOCUMENTS)[number]>({
      onDropped: (document, why) => dropped.push([document.id, why]),
    });
    let kept: unknown[] = [];
    await pipeline(Readable.from(DOCUMENTS), stream, async (source) => {
      kept = await collect(source);
    });
    expect(kept).toEqual([DOCUMENTS[0], DOCUMENTS[2]]);
    expect(dropped).toEqual(DROPPED);
    expect(stream.counters).toEqual({
      documents: 4,
      kept: 2,
      exact: 1,
      near: 1,
      withoutFingerprint: 0,
      tooShort: 0,
    });
  });

  it('holds back when nobody reads', async () => {
    let reads = 0;
    const source = Readable.from(
      (function* () {
        for (let i = 0; i < 1000; i++) {
          reads++;
          yield { id: i, text: '!'.repeat(i) };
        }
      })(),
    );
    const stream = source.pipe(new DedupStream());
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(reads).toBeLessThan(200);
    expect((await collect(stream)).length).toBe(1000);
  });

  it('is destroyed by a bad document, with the error', async () => {
    const stream = new DedupStream();
    await expect(pipeline(Readable.from([{ id: 1, text: 5 }]), stream, collect)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_NEARDUP_INVALID_TYPE' }),
    );
    expect(stream.destroyed).toBe(true);
  });
});
