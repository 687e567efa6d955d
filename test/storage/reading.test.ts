/** One writer and many readers: what refresh shows, what the lock refuses. */
import fs, { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { batch, contentOf, named, place, withCode } from './directories.ts';
import { killWriters, startWriter } from './other-writer.ts';

afterEach(() => {
  vi.restoreAllMocks();
  killWriters();
});

describe.each(named)('%s', (backend, engine) => {
  test('a reader sees by refresh what a writer in another process did, checkpoints too', async () => {
    const path = place();
    const writer = await startWriter(path, backend);
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    expect([reader.readOnly, reader.size, await reader.refresh()]).toEqual([true, 0, false]);
    const commands = [
      'add 0 5000',
      'add 9000 3',
      'remove 10 50',
      'checkpoint 0 0',
      'add 20000 70000',
      'checkpoint 0 0',
    ];
    for (const command of [...commands, 'remove 20000 500', 'compact 0 0', 'remove 0 1', 'add 5 1']) {
      const before = reader.size;
      const size = await writer.tell(command);
      expect(reader.size).toBe(before);
      expect(await reader.refresh()).toBe(true);
      expect(reader.size).toBe(size);
      expect(await reader.refresh()).toBe(false);
    }
    expect(reader.query(9001n << 30n, { maxDistance: 0 })).toEqual([{ id: 9001, distance: 0 }]);
    expect(reader.query(3n << 30n, { maxDistance: 0 })).toEqual([{ id: 3, distance: 0 }]);
    expect(reader.query(12n << 30n, { maxDistance: 0 })).toEqual([]);
    expect(await reader.verify()).toEqual([]);
    writer.end();
    await writer.ended;
    reader.close();
  });

  test('opening, refreshing and asking beside a writer that replaces the files all the time', async () => {
    const path = place();
    const writer = await HammingIndex.open(path, {}, engine);
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    let isEnd = false;
    const writing = (async () => {
      for (let i = 0; i < 25; i++) {
        const { fingerprints, ids } = batch(1000 * i, 1000);
        writer.addBatch(fingerprints, ids);
        await writer.checkpoint();
      }
      isEnd = true;
    })();
    let largest = 0;
    while (!isEnd) {
      const opened = await HammingIndex.open(path, { readOnly: true }, engine);
      await reader.refresh();
      // Of whole batches, and never fewer than before.
      for (const { size } of [opened, reader]) {
        expect(size % 1000).toBe(0);
        expect(size).toBeGreaterThanOrEqual(largest);
      }
      largest = opened.size;
      opened.close();
    }
    await writing;
    await reader.refresh();
    expect(await contentOf(reader)).toEqual(await contentOf(writer));
    reader.close();
    writer.close();
  });

  test('work that began before a refresh ends with what it began with', async () => {
    const path = place();
    const writer = await HammingIndex.open(path, {}, engine);
    const a = batch(0, 40_000);
    writer.addBatch(a.fingerprints, a.ids);
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    const entries = reader.entries();
    let count = (await entries.next()).value?.ids.length ?? 0;
    const asked = reader.queryBatchAsync(a.fingerprints, { maxDistance: 0 });
    writer.removeBatch(a.fingerprints.subarray(0, 30_000), a.ids.slice(0, 30_000));
    await writer.checkpoint();
    expect(await reader.refresh()).toBe(true);
    expect(reader.size).toBe(10_000);
    for await (const { ids } of entries) count += ids.length;
    expect([count, (await asked).ids.length]).toEqual([40_000, 40_000]);
    const late = reader.entries();
    await late.next();
    writer.removeBatch(a.fingerprints.subarray(30_000), a.ids.slice(30_000));
    await writer.checkpoint();
    await reader.refresh();
    reader.close();
    await expect(late.next()).rejects.toThrow(withCode('ERR_NEARDUP_CLOSED'));
    writer.close();
  });

  test('a record that its writer took back is forgotten', async () => {
    const path = place();
    const writer = await HammingIndex.open(path, { sync: 'always' }, engine);
    writer.add(1n, 1);
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    let seen = 0;
    // The reader comes in between: the record is written, and not yet synced.
    vi.spyOn(fs, 'fdatasyncSync').mockImplementationOnce(() => {
      seen = fs.statSync(join(path, 'log-1')).size;
      fs.copyFileSync(join(path, 'log-1'), join(path, 'seen'));
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
    });
    expect(() => writer.add(2n, 2)).toThrow(withCode('ERR_NEARDUP_IO'));
    const kept = readFileSync(join(path, 'log-1'));
    expect(kept.length).toBeLessThan(seen);
    writeFileSync(join(path, 'log-1'), readFileSync(join(path, 'seen')));
    await reader.refresh();
    writeFileSync(join(path, 'log-1'), kept);
    await reader.refresh();
    expect(reader.size).toBe(1);
    rmSync(join(path, 'seen'));
    reader.close();
    writer.close();
  });

  test('read-only: whatever changes is refused', async () => {
    const path = place();
    const writer = await HammingIndex.open(path, { times: true }, engine);
    writer.add(1n, 1, { time: 1 });
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    const times = { times: [1] };
    const refused = withCode('ERR_NEARDUP_READ_ONLY');
    expect(() => reader.add(1n, 1, { time: 1 })).toThrow(refused);
    expect(() => reader.addBatch(BigUint64Array.of(1n), [1], times)).toThrow(refused);
    expect(() => reader.addIfNew(1n, 1, { time: 1 })).toThrow(refused);
    expect(() => reader.addIfNewBatch(BigUint64Array.of(1n), [1], times)).toThrow(refused);
    expect(() => reader.remove(1n, 1)).toThrow(refused);
    expect(() => reader.removeBatch(BigUint64Array.of(1n), [1])).toThrow(refused);
    expect(() => reader.removeBefore(5)).toThrow(refused);
    await expect(reader.addBatchAsync(BigUint64Array.of(1n), [1], times)).rejects.toThrow(refused);
    await expect(reader.load([])).rejects.toThrow(refused);
    await expect(reader.compact()).rejects.toThrow(refused);
    await expect(reader.checkpoint()).rejects.toThrow(refused);
    await expect(reader.snapshot(place())).rejects.toThrow(refused);
    await reader.flush();
    expect(reader.size).toBe(1);
    reader.close();
    await expect(reader.refresh()).rejects.toThrow(withCode('ERR_NEARDUP_CLOSED'));
    // A writer has all there is.
    expect(await writer.refresh()).toBe(false);
    writer.close();
  });

  test('a second writer is refused with the id of the first; the lock of a dead one is taken over', async () => {
    const path = place();
    const writer = await startWriter(path, backend);
    await writer.tell('add 0 100');
    const refused = HammingIndex.open(path, {}, engine);
    await expect(refused).rejects.toThrow(withCode('ERR_NEARDUP_LOCKED'));
    await expect(refused).rejects.toThrow(`process ${writer.pid}`);
    void writer.tell('die 0 0');
    await writer.ended;
    const index = await HammingIndex.open(path, {}, engine);
    expect(index.size).toBe(100);
    // Also within one process.
    const again = HammingIndex.open(path, {}, engine);
    await expect(again).rejects.toThrow(`process ${process.pid}`);
    index.close();
    (await HammingIndex.open(path, {}, engine)).close();
  });
});
