/** Sync modes, checkpoints beside changes, and what happens when the file system refuses. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { batch, contentOf, named, place, withCode } from './directories.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** An error as the system gives it. */
function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it was refused, write`), { code, syscall: 'write', errno: -1 });
}

const refuse = (code: string) => () => {
  throw systemError(code);
};

/** What an index opened anew holds. */
async function contentAt(path: string, engine: Engine): Promise<string[]> {
  const index = await HammingIndex.open(path, { readOnly: true }, engine);
  try {
    return await contentOf(index);
  } finally {
    index.close();
  }
}

const logsIn = (path: string) => fs.readdirSync(path).filter((name) => name.startsWith('log-'));

describe.each(named)('%s', (_, engine) => {
  test('always: synced before a call returns; asynchronous calls share a sync', async () => {
    const index = await HammingIndex.open(place(), { sync: 'always' }, engine);
    const now = vi.spyOn(fs, 'fdatasyncSync');
    const later = vi.spyOn(fs, 'fdatasync');
    index.add(1n, 1);
    expect(now).toHaveBeenCalledTimes(1);
    index.addIfNew(0xffffn, 2);
    expect(now).toHaveBeenCalledTimes(2);
    index.addIfNew(0xffffn, 2);
    expect(now).toHaveBeenCalledTimes(2);
    index.remove(1n, 1);
    expect(now).toHaveBeenCalledTimes(3);
    expect(later).not.toHaveBeenCalled();
    const { fingerprints, ids } = batch(0, 40);
    const adding = ids.map((id, i) => index.addBatchAsync(fingerprints.subarray(i, i + 1), [id]));
    await Promise.all(adding);
    expect(now).toHaveBeenCalledTimes(3);
    expect(later.mock.calls.length).toBeGreaterThan(0);
    expect(later.mock.calls.length).toBeLessThan(20);
    index.close();
  });

  test('interval: synced a while after a change, and not again without one; never: only by flush and close', async () => {
    const index = await HammingIndex.open(place(), { sync: 'interval', syncInterval: 20 }, engine);
    const other = await HammingIndex.open(place(), { sync: 'never' }, engine);
    const now = vi.spyOn(fs, 'fdatasyncSync');
    const later = vi.spyOn(fs, 'fdatasync');
    other.add(1n, 1);
    index.add(1n, 1);
    index.add(2n, 2);
    expect([now.mock.calls.length, later.mock.calls.length]).toEqual([0, 0]);
    while (later.mock.calls.length === 0) await setTimeout(5);
    await setTimeout(60);
    expect([now.mock.calls.length, later.mock.calls.length]).toEqual([0, 1]);
    await other.flush();
    expect(later).toHaveBeenCalledTimes(2);
    await other.flush();
    expect(later).toHaveBeenCalledTimes(2);
    other.add(3n, 3);
    other.close();
    expect(now).toHaveBeenCalledTimes(1);
    index.close();
  });

  test('a long log makes a checkpoint, beside changes; a loop that gives no turn makes it itself', async () => {
    const path = place();
    const index = await HammingIndex.open(path, { checkpointBytes: 100_000 }, engine);
    let count = 0;
    const add = (): void => {
      const { fingerprints, ids } = batch(count, 1000);
      index.addBatch(fingerprints, ids);
      count += 1000;
    };
    for (let i = 0; i < 12; i++) {
      add();
      await setTimeout(2);
    }
    await index.flush();
    while (!fs.readdirSync(path).some((name) => name.startsWith('segment-'))) await setTimeout(5);
    expect(await contentAt(path, engine)).toEqual(await contentOf(index));
    for (let i = 0; i < 200; i++) add();
    const bytes = logsIn(path).reduce((sum, name) => sum + fs.statSync(join(path, name)).size, 0);
    expect(bytes).toBeLessThan(700_000);
    index.close();
    expect(await contentAt(path, engine)).toHaveLength(count);
  });

  test('changes made while a checkpoint is under way are there, whether it ends or not', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const a = batch(0, 20_000);
    index.addBatch(a.fingerprints, a.ids);
    const checkpoint = index.checkpoint();
    const changes = (async () => {
      for (let i = 0; i < 30; i++) {
        index.add(BigInt(i) << 8n, 100_000 + i);
        index.remove(a.fingerprints[i] as bigint, i);
        await setTimeout(1);
      }
    })();
    await checkpoint;
    await changes;
    expect(index.size).toBe(20_000);
    expect(await contentAt(path, engine)).toEqual(await contentOf(index));
    // Under way when it is closed.
    const ends: ((error: null) => void)[] = [];
    const stuck = vi.spyOn(fs, 'fsync').mockImplementation((_file, done) => void ends.push(done));
    const again = index.checkpoint();
    const refused = expect(again).rejects.toThrow(withCode('ERR_NEARDUP_CLOSED'));
    while (ends.length === 0) await setTimeout(1);
    expect(logsIn(path)).toHaveLength(2);
    index.add(77n, 77);
    const expected = await contentOf(index);
    index.close();
    for (const end of ends) end(null);
    await refused;
    stuck.mockRestore();
    expect(await contentAt(path, engine)).toEqual(expected);
    const opened = await HammingIndex.open(path, {}, engine);
    await opened.checkpoint();
    expect(await contentOf(opened)).toEqual(expected);
    expect(logsIn(path)).toHaveLength(1);
    expect(fs.readdirSync(path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    opened.close();
  });

  test('a write that fails changes nothing, and the next one goes on', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    index.add(1n, 1);
    const calls = [
      () => index.add(2n, 2),
      () => index.addBatch(BigUint64Array.of(2n, 3n), [2, 3]),
      () => index.remove(1n, 1),
      () => index.removeBatch(BigUint64Array.of(1n), [1]),
    ];
    for (const call of calls) {
      const write = vi.spyOn(fs, 'writeSync').mockImplementationOnce(refuse('ENOSPC'));
      expect(call).toThrow(withCode('ERR_NEARDUP_IO'));
      write.mockRestore();
      // A short write, then none.
      const real = fs.writeSync.bind(fs) as (...all: unknown[]) => number;
      let part = 0;
      const short = vi
        .spyOn(fs, 'writeSync')
        .mockImplementation((...[file, bytes, at, , position]: unknown[]) => {
          if (part++ > 0) throw systemError('EIO');
          return real(file, bytes, at, 5, position);
        });
      expect(call).toThrow(expect.objectContaining({ cause: expect.objectContaining({ code: 'EIO' }) }));
      short.mockRestore();
      expect(index.size).toBe(1);
      expect(await contentAt(path, engine)).toEqual(['1,1']);
    }
    for (const call of calls) call();
    expect(await contentAt(path, engine)).toEqual(await contentOf(index));
    index.close();
  });

  test('what is written after it was added is owed where that fails, and written before the next change', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const write = vi.spyOn(fs, 'writeSync').mockImplementation(refuse('ENOSPC'));
    expect(() => index.addIfNew(0xffn, 1)).toThrow(withCode('ERR_NEARDUP_IO'));
    expect(index.size).toBe(1);
    // Nothing may come before it.
    expect(() => index.add(1n, 2)).toThrow(withCode('ERR_NEARDUP_IO'));
    expect(() => index.addIfNewBatch(BigUint64Array.of(0xff00n), [3])).toThrow(withCode('ERR_NEARDUP_IO'));
    await expect(index.flush()).rejects.toThrow(withCode('ERR_NEARDUP_IO'));
    expect([index.size, await contentAt(path, engine)]).toEqual([1, []]);
    write.mockRestore();
    index.add(1n, 2);
    expect(await contentAt(path, engine)).toEqual(['1,2', '255,1']);
    const fails = vi.spyOn(fs, 'writeSync');
    const { fingerprints } = batch(0, 2);
    const adding = index.addBatchAsync(fingerprints, [8, 9]);
    fails.mockImplementation(refuse('EIO'));
    await expect(adding).rejects.toThrow(withCode('ERR_NEARDUP_IO'));
    fingerprints.fill(0n);
    fails.mockRestore();
    expect(index.size).toBe(4);
    await index.flush();
    expect(await contentAt(path, engine)).toEqual(await contentOf(index));
    index.close();
  });

  test('after a sync that failed changes wait for a checkpoint, then go on', async () => {
    for (const sync of ['always', 'interval'] as const) {
      const path = place();
      const index = await HammingIndex.open(path, { sync, syncInterval: 500 }, engine);
      index.add(1n, 1);
      await index.flush();
      const now = vi.spyOn(fs, 'fdatasyncSync').mockImplementation(refuse('EIO'));
      const later = vi.spyOn(fs, 'fdatasync').mockImplementation((_file, done) => {
        setImmediate(done, systemError('EIO'));
      });
      if (sync === 'always') expect(() => index.add(2n, 2)).toThrow(withCode('ERR_NEARDUP_IO'));
      else {
        index.add(2n, 2);
        while (later.mock.calls.length === 0) await setTimeout(2);
        await setTimeout(5);
      }
      expect(() => index.add(3n, 3)).toThrow(withCode('ERR_NEARDUP_IO'));
      now.mockRestore();
      later.mockRestore();
      await index.flush();
      index.add(4n, 4);
      expect(index.size).toBe(sync === 'always' ? 2 : 3);
      expect(logsIn(path)).toHaveLength(1);
      expect(await contentAt(path, engine)).toEqual(await contentOf(index));
      expect(await index.verify()).toEqual([]);
      index.close();
    }
  });

  test('a checkpoint that fails anywhere leaves what there was, and its files are removed', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const a = batch(0, 3000);
    index.addBatch(a.fingerprints, a.ids);
    await index.checkpoint();
    index.removeBatch(a.fingerprints.subarray(0, 50), a.ids.slice(0, 50));
    index.add(5n, 5);
    for (const call of ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'closeSync'] as const) {
      let isEnd = false;
      for (let at = 1; !isEnd; at++) {
        let calls = 0;
        const real = fs[call].bind(fs) as (...all: unknown[]) => number;
        const spy = vi.spyOn(fs, call as 'openSync').mockImplementation((...all: unknown[]) => {
          if (++calls !== at) return real(...all);
          if (call === 'closeSync') real(...all);
          throw systemError('EIO');
        });
        const result = await index.checkpoint().then(
          () => 'done',
          (error) => error.code,
        );
        spy.mockRestore();
        isEnd = calls < at;
        expect(result).toMatch(isEnd ? /done/ : /done|ERR_NEARDUP_IO/);
        expect(await contentAt(path, engine)).toEqual(await contentOf(index));
        if (result !== 'done') await index.flush();
        index.add(BigInt(at) << 32n, at);
        expect(await contentAt(path, engine)).toEqual(await contentOf(index));
      }
    }
    await index.checkpoint();
    expect(logsIn(path)).toHaveLength(1);
    expect(await index.verify()).toEqual([]);
    index.close();
  });

  test('a load that cannot be written is there until it can be', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const a = batch(0, 3000);
    const rename = vi.spyOn(fs, 'renameSync').mockImplementation(refuse('EIO'));
    await expect(index.load([{ fingerprints: a.fingerprints, ids: a.ids }])).rejects.toThrow(
      withCode('ERR_NEARDUP_IO'),
    );
    expect([index.size, await contentAt(path, engine)]).toEqual([3000, []]);
    rename.mockRestore();
    await index.flush();
    expect(await contentAt(path, engine)).toHaveLength(3000);
    expect(await index.load([])).toBe(0);
    index.close();
  });

  test('close makes durable what is owed, and closes also where it cannot', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const write = vi.spyOn(fs, 'writeSync').mockImplementation(refuse('EIO'));
    expect(() => index.addIfNew(1n, 1)).toThrow(withCode('ERR_NEARDUP_IO'));
    write.mockRestore();
    index.close();
    expect(await contentAt(path, engine)).toEqual(['1,1']);
    const again = await HammingIndex.open(path, {}, engine);
    again.add(2n, 2);
    const { openSync } = fs;
    // The lock is looked at: where it cannot be, it is left to be taken over.
    const open = vi.spyOn(fs, 'openSync').mockImplementation((file, ...rest) => {
      if (basename(String(file)) !== 'LOCK') throw systemError('EMFILE');
      return openSync(file, ...rest);
    });
    const sync = vi.spyOn(fs, 'fdatasyncSync').mockImplementation(refuse('EIO'));
    expect(() => again.close()).toThrow(withCode('ERR_NEARDUP_IO'));
    open.mockRestore();
    sync.mockRestore();
    again.close();
    expect(fs.readdirSync(path)).not.toContain('LOCK');
    expect(await contentAt(path, engine)).toEqual(['1,1', '2,2']);
  });
});
