/**
 * kill -9 of a process that makes snapshots, at random moments: the index is whole, and so is each snapshot that was
 * completed; of one that was not, nothing can be opened, and making it again works. Uses the built package.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { engines } from '../engines.ts';
import { entryOf } from './index-work.mjs';
import { killSoon } from './kill.ts';

const KILLS = 24;
const LONGEST_MS = 150;

const folder = mkdtempSync(join(tmpdir(), 'neardup-snapshots-'));
afterAll(() => rmSync(folder, { recursive: true }));
const child = fileURLToPath(new URL('snapshot-child.mjs', import.meta.url));

/** Opens an index, whose entries must be those of the first numbers; how many. */
async function check(path: string, engine: Engine): Promise<number> {
  const index = await HammingIndex.open(path, { create: false }, engine);
  try {
    expect(await index.verify()).toEqual([]);
    const numbers: number[] = [];
    for await (const { fingerprints, ids } of index.entries()) {
      for (const [i, n] of ids.entries()) {
        if (fingerprints[i] !== entryOf(n).fingerprint) throw new Error(`entry ${n} has changed`);
        numbers.push(n);
      }
    }
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from(numbers.keys()));
    return numbers.length;
  } finally {
    index.close();
  }
}

test('a killed snapshot leaves the index whole, and can be made again', { timeout: 0 }, async () => {
  let path = '';
  let unfinished = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // Small indexes and larger ones, of more segments.
    if (kill % 6 === 0) path = join(folder, `index-${kill}`);
    const writer = engines[kill % engines.length] as Engine;
    const reader = engines[(kill + 1) % engines.length] as Engine;
    const before = existsSync(path) ? await check(path, reader) : 0;
    const target = join(folder, `copy-${kill}`);
    // At any moment, or while the first snapshot is being made, which is short.
    const isBegun = () => existsSync(`${target}-1`) && readdirSync(`${target}-1`).length >= 2 + (kill % 4);
    const isRandom = kill % 3 === 0;
    const longest = isRandom ? LONGEST_MS : 0;
    const done = await killSoon(
      child,
      [path, target],
      writer.backend,
      longest,
      isRandom ? undefined : isBegun,
    );
    const held = await check(path, reader);
    expect(held).toBeGreaterThanOrEqual(before + 1500 * done);

    for (let n = 1; n <= done; n++) expect(await check(`${target}-${n}`, reader)).toBe(before + 1500 * n);
    const last = `${target}-${done + 1}`;
    const names = existsSync(last) ? readdirSync(last) : [];
    if (names.includes('MANIFEST')) {
      expect(await check(last, reader)).toBe(before + 1500 * (done + 1));
      continue;
    }
    await expect(check(last, reader)).rejects.toMatchObject({ code: 'ERR_NEARDUP_BAD_INPUT' });
    if (names.some((name) => name.startsWith('segment-'))) {
      unfinished++;
      // Nor is it taken for a place where an index can be made.
      await expect(HammingIndex.open(last, {}, reader)).rejects.toThrow(/snapshot that was not completed/);
      const own = join(last, 'notes.txt');
      writeFileSync(own, 'not of the snapshot');
      const index = await HammingIndex.open(path, {}, writer);
      await expect(index.snapshot(last)).rejects.toMatchObject({ code: 'ERR_NEARDUP_BAD_INPUT' });
      index.close();
      expect(readdirSync(last).sort()).toEqual(
        [...names.filter((name) => name !== 'LOCK'), 'notes.txt'].sort(),
      );
      rmSync(own);
    }
    const index = await HammingIndex.open(path, {}, writer);
    await index.snapshot(last);
    index.close();
    expect(await check(last, reader)).toBe(held);
  }
  console.log(`${unfinished} of ${KILLS} kills left part of a snapshot`);
});
