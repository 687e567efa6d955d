/** A real file system that gets full: a small tmpfs, where this process may mount one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';

const MEBIBYTE = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'neardup-full-'));
const small = join(folder, 'small');
mkdirSync(small);
const canMount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', small]).status === 0;
if (!canMount) console.warn('full-disk.test.ts: skipped, as this user may not mount a tmpfs');
afterAll(() => {
  if (canMount) execFileSync('umount', ['-l', small]);
  rmSync(folder, { recursive: true });
});

test.skipIf(!canMount).each(engines)(
  '$backend: a full disk refuses changes, loses nothing, and goes on when there is room',
  async (engine) => {
    const path = join(small, engine.backend);
    const ballast = join(small, 'ballast');
    writeFileSync(ballast, Buffer.alloc(5 * MEBIBYTE));
    const index = await HammingIndex.open(path, { create: true, checkpointBytes: MEBIBYTE / 4 }, engine);
    let added = 0;
    let failure: unknown;
    while (failure === undefined) {
      const ids = Float64Array.from({ length: 1000 }, (_, i) => added + i);
      try {
        index.addBatch(randomKeys(1000, added), ids);
        added += 1000;
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toMatchObject({ code: 'ERR_NEARDUP_IO', cause: { code: 'ENOSPC' } });
    expect(added).toBeGreaterThan(20_000);
    expect(index.size).toBe(added);
    await expect(index.checkpoint()).rejects.toMatchObject({ code: 'ERR_NEARDUP_IO' });
    expect(index.query(randomKeys(1000, 0)[7] as bigint)).toContainEqual({ id: 7, distance: 0 });
    // What is on the disk is whole.
    const reader = await HammingIndex.open(path, { readOnly: true }, engines.at(-1));
    expect(reader.size).toBe(added);
    expect(await reader.verify()).toEqual([]);
    reader.close();
    rmSync(ballast);
    await index.checkpoint();
    index.add(5n, 5);
    index.close();
    const again = await HammingIndex.open(path, {}, engines[0]);
    expect(again.size).toBe(added + 1);
    expect(await again.verify()).toEqual([]);
    again.close();
    rmSync(path, { recursive: true });
  },
);
