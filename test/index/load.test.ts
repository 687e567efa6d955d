/** Loading many batches at once, on both engines. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { engines } from '../engines.ts';
import { collect } from './collections.ts';

const state = vi.hoisted(() => ({ engine: undefined as Engine | undefined }));
vi.mock('../../lib/backend.ts', () => ({ currentEngine: () => state.engine }));
afterEach(() => {
  state.engine = undefined;
});

const fingerprints = collect('planted', 3000);
const ids = Float64Array.from(fingerprints, (_, i) => 7 * i);

function* batches(size = 400) {
  for (let from = 0; from < fingerprints.length; from += size) {
    const to = from + size;
    yield { fingerprints: fingerprints.slice(from, to), ids: ids.slice(from, to) };
  }
}

describe.each(engines)('$backend engine', (engine) => {
  const create = (options?: ConstructorParameters<typeof HammingIndex>[0]) => {
    state.engine = engine;
    return new HammingIndex(options);
  };

  test('holds what addBatch holds, beside what was there', async () => {
    const added = create();
    const loaded = create();
    for (const index of [added, loaded]) index.add(5n, 1);
    added.addBatch(fingerprints, ids);
    expect(await loaded.load(batches())).toBe(3000);
    expect(loaded.size).toBe(3001);
    expect(loaded.queryBatch(fingerprints)).toEqual(added.queryBatch(fingerprints));
    expect(await loaded.load([])).toBe(0);
  });

  test('takes an async iterable, columns, and arrays that are used again', async () => {
    const index = create({ times: true, tags: true });
    const again = { fingerprints: new BigUint64Array(1), ids: [0], times: [0], tags: [0] };
    async function* one() {
      for (let i = 0; i < 20; i++) {
        again.fingerprints[0] = BigInt(i);
        again.ids[0] = i;
        again.times[0] = 100 + i;
        again.tags[0] = i % 2;
        yield again;
      }
    }
    expect(await index.load(one())).toBe(20);
    expect(index.query(4n, { tag: 0, maxDistance: 0 })).toEqual([{ id: 4, distance: 0 }]);
    expect(index.removeBefore(110)).toBe(10);
  });

  test('adds nothing where it fails', async () => {
    const index = create();
    index.add(5n, 1);
    const failing = async (bad: unknown) => {
      await expect(index.load(bad as never)).rejects.toMatchObject({ code: /^ERR_NEARDUP_/ });
      expect(index.size).toBe(1);
    };
    for (const bad of [undefined, null, 7, 'text', {}, [1], [{}], [{ fingerprints, ids, other: 1 }]]) {
      await failing(bad);
    }
    await failing([...batches(), { fingerprints, ids: [1] }]);
    await failing([...batches(), { fingerprints, ids, tags: new Uint32Array(3000) }]);
    const thrown = new Error('thrown by the source');
    await expect(
      index.load(
        (function* () {
          yield* batches();
          throw thrown;
        })(),
      ),
    ).rejects.toBe(thrown);
    const reason = new Error('no longer wanted');
    await expect(index.load(batches(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const aborting = (function* () {
      yield* batches();
      controller.abort(reason);
      yield* batches();
    })();
    await expect(index.load(aborting, { signal: controller.signal })).rejects.toBe(reason);
    expect(index.size).toBe(1);
  });

  test('close() while batches are read', async () => {
    const index = create();
    const closing = (function* () {
      yield* batches();
      index.close();
      yield* batches();
    })();
    await expect(index.load(closing)).rejects.toMatchObject({ code: 'ERR_NEARDUP_CLOSED' });
  });

  test('reports progress up to 1', async () => {
    const index = create();
    const shares: number[] = [];
    await index.load(batches(), { onProgress: (share) => shares.push(share) });
    expect(shares.at(-1)).toBe(1);
  });
});
