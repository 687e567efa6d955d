/** The verbs of HammingIndex on each engine: columns, removal, work that can be aborted, streams. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine, PairBatch } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import type { HammingIndexOptions } from '../../lib/index/options.ts';
import { engines } from '../engines.ts';
import { collect } from './collections.ts';
import { batchOf, entriesIn, entriesOf, oracleOf, pairsIn, sortedEntries } from './entries.ts';

// The engine of each test is set here, in the place of the one that the environment would choose.
let engine: Engine;
vi.mock('../../lib/backend.ts', () => ({ currentEngine: () => engine }));

const ALL = { times: true, tags: true, secondFingerprints: true };
const RANGE = 'ERR_NEARDUP_OUT_OF_RANGE';
const TYPE = 'ERR_NEARDUP_INVALID_TYPE';

async function all<T>(batches: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const batch of batches) list.push(batch);
  return list;
}

const code = (expected: string) => expect.objectContaining({ code: expected });

describe.each(engines)('$backend engine', (each) => {
  beforeEach(() => {
    engine = each;
  });

  const entries = entriesOf('planted', 2500);
  const filled = () => {
    const index = new HammingIndex(ALL);
    const { fingerprints, ids, ...columns } = batchOf(entries);
    index.addBatch(fingerprints, ids, columns);
    return index;
  };

  test('entries with a time, a tag and a second fingerprint', () => {
    const index = new HammingIndex(ALL);
    index.add(0b0001n, 1, { time: 10, tag: 7, secondFingerprint: 0xffn });
    index.add(0b0011n, 2, { time: 20, tag: 7, secondFingerprint: 0xf0n });
    index.addBatch(BigUint64Array.of(0b0111n, 0b1111n), [3, 4], {
      times: [30, 40],
      tags: Uint32Array.of(8, 8),
      secondFingerprints: BigUint64Array.of(0xffn, 0n),
    });
    const ids = (options: object) => index.query(1n, options).map(({ id }) => id);
    expect(ids({})).toEqual([1, 2, 3, 4]);
    expect(ids({ tag: 8 })).toEqual([3, 4]);
    expect(ids({ since: 20, limit: 2 })).toEqual([2, 3]);
    expect(ids({ secondFingerprint: 0xffn, secondDistance: 0 })).toEqual([1, 3]);
    expect(ids({ secondFingerprint: 0xffn, secondDistance: 4, tag: 7, since: 11 })).toEqual([2]);
    const batch = index.queryBatch(BigUint64Array.of(1n, 1n, 1n), { tags: [7, 8, 9] });
    expect([batch.offsets, batch.ids]).toEqual([Float64Array.of(0, 2, 4, 4), Float64Array.of(1, 2, 3, 4)]);
    const secondFingerprints = BigUint64Array.of(0n, 0xffn);
    expect(
      index.queryBatch(BigUint64Array.of(1n, 1n), { secondFingerprints, secondDistance: 0 }).ids,
    ).toEqual(Float64Array.of(4, 1, 3));
    expect(index.addIfNew(0b0001n, 5, { time: 50, tag: 9, secondFingerprint: 0n })).toEqual({ added: true });
    expect(index.addIfNew(0b0001n, 6, { time: 50, tag: 9, secondFingerprint: 1n })).toMatchObject({
      match: { id: 5 },
    });
    expect(
      index.addIfNew(0b0001n, 6, { time: 50, tag: 9, secondFingerprint: 1n, secondDistance: 0 }),
    ).toEqual({
      added: true,
    });
    const columns = { times: [1, 1], tags: [9, 1], secondFingerprints: BigUint64Array.of(1n, 1n) };
    expect(index.addIfNewBatch(BigUint64Array.of(1n, 1n), [8, 9], columns).added).toEqual(
      Uint8Array.of(0, 1),
    );
    expect(index.removeBefore(20)).toBe(2);
    expect(index.remove(0b0011n, 2)).toBe(1);
    expect(index.remove(0b0011n, 2)).toBe(0);
    expect(index.removeBatch(BigUint64Array.of(1n, 1n, 7n), [5, 6, 5])).toEqual(Float64Array.of(1, 1, 0));
    expect(index.size).toBe(2);
  });

  test('columns that the index does not have, or has and are not given', () => {
    const two = BigUint64Array.of(1n, 2n);
    const bare = new HammingIndex();
    const full = new HammingIndex(ALL);
    const given = { time: 1, tag: 1, secondFingerprint: 1n };
    const many = { times: [1, 1], tags: [1, 1], secondFingerprints: two };
    full.add(1n, 1, given);
    bare.add(1n, 1);
    const refused: [() => unknown, string, string][] = [
      [() => bare.add(1n, 1, { time: 1 }), RANGE, 'options.time needs an index made with {times: true}'],
      [() => bare.add(1n, 1, { tag: 1 }), RANGE, 'options.tag needs an index made with {tags: true}'],
      [
        () => bare.addBatch(two, [1, 2], { secondFingerprints: two }),
        RANGE,
        'options.secondFingerprints needs an index made with {secondFingerprints: true}',
      ],
      [
        () => bare.addIfNew(1n, 1, { secondDistance: 1 }),
        RANGE,
        'options.secondDistance needs an index made with {secondFingerprints: true}',
      ],
      [() => bare.query(1n, { tag: 1 }), RANGE, 'options.tag needs an index made with {tags: true}'],
      [() => bare.query(1n, { since: 1 }), RANGE, 'options.since needs an index made with {times: true}'],
      [
        () => bare.query(1n, { secondFingerprint: 1n, secondDistance: 1 }),
        RANGE,
        'options.secondDistance needs',
      ],
      [
        () => bare.queryBatch(two, { tags: [1, 1] }),
        RANGE,
        'options.tags needs an index made with {tags: true}',
      ],
      [() => bare.pairs({ secondDistance: 1 }), RANGE, 'options.secondDistance needs'],
      [() => full.join(bare, { secondDistance: 1 }), RANGE, 'options.secondDistance needs'],
      [() => bare.join(full, { secondDistance: 1 }), RANGE, 'options.secondDistance needs'],
      [() => bare.removeBefore(5), RANGE, '{times: true}'],
      [() => full.add(1n, 1), TYPE, 'options.time is missing: the index was made with {times: true}'],
      [() => full.add(1n, 1, { time: 1, tag: 1 }), TYPE, 'options.secondFingerprint is missing'],
      [() => full.addBatch(two, [1, 2], { ...many, tags: undefined }), TYPE, 'options.tags is missing'],
      [() => full.addIfNewBatch(two, [1, 2], { times: [1, 1] }), TYPE, 'options.tags is missing'],
      [() => full.query(1n, { secondFingerprint: 1n }), TYPE, 'options.secondDistance'],
      [() => full.query(1n, { secondDistance: 1 }), RANGE, 'options.secondDistance'],
      [() => full.add(1n, 1, { ...given, tag: 2 ** 32 }), RANGE, 'options.tag must be'],
      [() => full.add(1n, 1, { ...given, time: -1 }), RANGE, 'options.time must be'],
      [
        () => full.add(1n, 1, { ...given, secondFingerprint: 2n ** 64n }),
        RANGE,
        'options.secondFingerprint must be',
      ],
      [() => full.addBatch(two, [1, 2], { ...many, tags: [1, -1] }), RANGE, 'options.tags[1] must be'],
      [() => full.addBatch(two, [1, 2], { ...many, times: [1] }), RANGE, 'options.times.length'],
      [
        () => full.addBatch(two, [1, 2], { ...many, secondFingerprints: two.subarray(1) }),
        RANGE,
        'options.secondFingerprints.length',
      ],
      [() => full.query(1n, { maxDistance: 4 }), RANGE, 'options.maxDistance must be'],
      [() => full.query(1n, { maxDistance: 65, scan: true }), RANGE, 'options.maxDistance must be'],
      [() => full.query(1n, { scan: 1 as never }), TYPE, 'options.scan must be'],
      [
        () => full.query(1n, { distance: 4 } as never),
        RANGE,
        'options has no "distance"; it may have maxDistance,',
      ],
      [() => new HammingIndex({ maxdistance: 4 } as never), RANGE, 'options has no "maxdistance"'],
      [() => new HammingIndex({ memory: 'small' as never }), RANGE, 'options.memory must be'],
      [() => new HammingIndex({ memory: 7 }), RANGE, 'options.memory must be'],
      [() => new HammingIndex({ memory: Number.NaN }), RANGE, 'options.memory must be'],
      [() => new HammingIndex({ memory: true as never }), TYPE, 'options.memory must be'],
      [() => new HammingIndex({ times: 'yes' as never }), TYPE, 'options.times must be'],
      [() => new HammingIndex({ maxDistance: 17 }), RANGE, 'options.maxDistance must be'],
      [() => full.join({} as never), TYPE, 'other must be a HammingIndex'],
    ];
    for (const [call, expected, message] of refused) {
      expect(call, message).toThrowError(code(expected));
      expect(call).toThrowError(message);
    }
    expect([bare.size, full.size]).toEqual([1, 1]);
  });

  test.each([
    {},
    { memory: 'compact' },
    { memory: 'fast' },
    { memory: 8 },
    { memory: 40 },
    { maxDistance: 16 },
  ] as HammingIndexOptions[])('made with %o', (options) => {
    const index = new HammingIndex(options);
    const fingerprints = collect('planted', 3000);
    index.addBatch(fingerprints, Array.from(fingerprints.keys()));
    const oracle = oracleOf(
      Array.from(fingerprints, (fingerprint, id) => ({ fingerprint, id, time: 0, tag: 0, second: 0n })),
    );
    for (const fingerprint of fingerprints.subarray(0, 20)) {
      expect(index.query(fingerprint)).toEqual(oracle.query(fingerprint, index.maxDistance));
      expect(index.query(fingerprint, { maxDistance: 25, limit: 4, scan: true })).toEqual(
        oracle.query(fingerprint, 25, 4),
      );
    }
    const { entries, bytes, headEntries, segments } = index.stats();
    expect(entries).toBe(3000);
    expect(bytes).toBeGreaterThan(8 * 3000);
    expect(segments.reduce((sum, segment) => sum + segment.entries, headEntries)).toBe(3000);
  });

  test('asynchronous verbs give what the others give, and report progress', async () => {
    const index = new HammingIndex(ALL);
    const { fingerprints, ids, ...columns } = batchOf(entries);
    const shares: number[] = [];
    const onProgress = (share: number) => void shares.push(share);
    const adding = index.addBatchAsync(fingerprints, ids, { ...columns, onProgress });
    const [moved, movedIds] = [fingerprints.slice(), ids.slice()];
    fingerprints.fill(0n);
    ids.fill(0);
    await adding;
    expect(index.size).toBe(entries.length);
    const { tags } = columns;
    const options = { ...(tags && { tags }), maxDistance: 3, limit: 3 };
    const asked = index.queryBatchAsync(moved, { ...options, onProgress });
    index.removeBatch(moved.slice(0, 10), movedIds.slice(0, 10));
    const answers = await asked;
    expect(answers.ids.length).toBeGreaterThan(index.queryBatch(moved, options).ids.length);
    await index.compact({ onProgress });
    expect(index.stats()).toMatchObject({ headEntries: 0, segments: [{ removed: 0 }] });
    const oracle = oracleOf(entries);
    for (let i = 0; i < 10; i++) oracle.remove(moved[i] as bigint, movedIds[i] as number);
    expect(entriesIn(await all(index.entries({ onProgress })))).toEqual(sortedEntries(oracle));
    expect(shares.filter((share) => share === 1).length).toBeGreaterThanOrEqual(4);
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
  });

  test('pairs and join', async () => {
    const some = entries.slice(0, 400);
    const [index, other] = [new HammingIndex(ALL), new HammingIndex({ maxDistance: 6, tags: true })];
    const { fingerprints, ids, ...columns } = batchOf(some);
    index.addBatch(fingerprints, ids, columns);
    const others = some
      .slice(100, 200)
      .map((entry) => ({ ...entry, fingerprint: entry.fingerprint ^ 3n, time: 0, second: 0n }));
    const theirs = batchOf(others);
    other.addBatch(theirs.fingerprints, theirs.ids, { tags: theirs.tags });
    const oracle = oracleOf(some);
    expect(pairsIn(await all(index.pairs()))).toEqual(oracle.pairs(3));
    const options = { maxDistance: 2, limit: 1, secondDistance: 9 };
    expect(pairsIn(await all(index.pairs(options)))).toEqual(oracle.pairs(2, options));
    expect(pairsIn(await all(index.join(other)))).toEqual(oracle.join(oracleOf(others), 6, true));
    expect(pairsIn(await all(other.join(index)))).toEqual(oracleOf(others).join(oracle, 3, true));
  });

  test('a stream that is left early ends; two streams at once', async () => {
    const index = filled();
    for await (const batch of index.entries()) {
      expect(batch.ids.length).toBeGreaterThan(0);
      break;
    }
    const never = index.pairs();
    await never.return();
    expect(await never.next()).toEqual({ done: true, value: undefined });
    const [first, second] = await Promise.all([all(index.pairs()), all(index.pairs())]);
    expect(first).toEqual(second);
  });

  test('an aborted signal ends work with its reason, and nothing was changed', async () => {
    const index = filled();
    const { fingerprints, ids, ...columns } = batchOf(entries);
    const reason = new Error('enough');
    const works: ((signal: AbortSignal) => Promise<unknown>)[] = [
      (signal) => index.addBatchAsync(fingerprints, ids, { ...columns, signal }),
      (signal) => index.queryBatchAsync(fingerprints, { maxDistance: 40, scan: true, signal }),
      (signal) => index.compact({ signal }),
      (signal) => all(index.pairs({ signal })),
      (signal) => all(index.join(index, { signal })),
      (signal) => all(index.entries({ signal })),
      (signal) => index.groups({ signal }),
      (signal) => index.groups({ link: 'component', signal }),
      (signal) => all(index.approximatePairs({ signal })),
    ];
    for (const work of works) {
      await expect(work(AbortSignal.abort(reason))).rejects.toBe(reason);
      const controller = new AbortController();
      const pending = work(controller.signal);
      controller.abort(reason);
      await expect(pending).rejects.toBe(reason);
      expect(index.size).toBe(entries.length);
    }
    const controller = new AbortController();
    const pairs = index.pairs({ signal: controller.signal });
    await pairs.next();
    controller.abort(reason);
    await expect(pairs.next()).rejects.toBe(reason);
    await index.compact();
    expect(entriesIn(await all(index.entries()))).toEqual(sortedEntries(oracleOf(entries)));
  });

  test('what onProgress throws ends the work', async () => {
    const index = filled();
    const thrown = new Error('no more');
    const onProgress = () => {
      throw thrown;
    };
    const queries = batchOf(entries).fingerprints;
    await expect(index.queryBatchAsync(queries, { onProgress })).rejects.toBe(thrown);
    await expect(index.compact({ onProgress })).rejects.toBe(thrown);
    await expect(all(index.entries({ onProgress }))).rejects.toBe(thrown);
    await expect(index.groups({ onProgress })).rejects.toBe(thrown);
    await expect(all(index.approximatePairs({ onProgress }))).rejects.toBe(thrown);
    expect(index.size).toBe(entries.length);
  });

  test('close() while work is under way: ERR_NEARDUP_CLOSED', async () => {
    const index = filled();
    const other = filled();
    const { fingerprints, ids, ...columns } = batchOf(entries);
    const closed = code('ERR_NEARDUP_CLOSED');
    const streams = [
      index.pairs(),
      index.join(other),
      other.join(index),
      index.entries(),
    ] as AsyncIterator<PairBatch>[];
    const later = [index.pairs(), other.join(index), index.approximatePairs()];
    const works = [
      index.addBatchAsync(fingerprints, ids, columns),
      index.queryBatchAsync(fingerprints, { maxDistance: 40, scan: true }),
      index.compact(),
      ...streams.map((stream) => stream.next()),
      index.groups(),
      index.groups({ link: 'component' }),
      all(index.approximatePairs()),
    ];
    index.close();
    for (const outcome of await Promise.allSettled<unknown>(works)) {
      expect(outcome).toEqual({ status: 'rejected', reason: closed });
    }
    for (const stream of later) await expect(stream.next()).rejects.toEqual(closed);
    await expect(index.compact()).rejects.toEqual(closed);
    await expect(index.groups()).rejects.toEqual(closed);
    await expect(index.addBatchAsync(fingerprints, ids, columns)).rejects.toEqual(closed);
    await expect(index.queryBatchAsync(fingerprints)).rejects.toEqual(closed);
    const calls = [
      () => index.pairs(),
      () => index.join(other),
      () => other.join(index),
      () => index.entries(),
      () => index.approximatePairs(),
      () => index.stats(),
      () => index.remove(1n, 1),
      () => index.removeBatch(fingerprints, ids),
      () => index.removeBefore(1),
    ];
    for (const call of calls) expect(call).toThrowError(closed);
    expect(other.size).toBe(entries.length);
    expect((await all(other.pairs())).length).toBeGreaterThan(0);
  });
});
