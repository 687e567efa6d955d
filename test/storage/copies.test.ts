/** Snapshots, and the repair of what is damaged. */
import fs, {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { SNAPSHOT } from '../../lib/storage/names.ts';
import { repairIndex } from '../../lib/storage/repair.ts';
import { verifyIndex } from '../../lib/storage/verify.ts';
import { ALL, batch, contentOf, named, pairsOfEngines, place, show, withCode } from './directories.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

async function contentAt(path: string, engine: Engine): Promise<string[]> {
  const index = await HammingIndex.open(path, { readOnly: true }, engine);
  const content = await contentOf(index);
  index.close();
  return content;
}

const filesOf = (path: string, kind: string) =>
  readdirSync(path).filter((name) => name.startsWith(`${kind}-`));

/** Whether lists are the same; of long ones nobody reads the difference. */
const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] as number) ^ 0xff;
  writeFileSync(file, bytes);
}

describe.each(named)('%s', (_, engine) => {
  test('a snapshot while writing goes on: whole batches, files shared, and an index of its own', async () => {
    const path = place();
    const index = await HammingIndex.open(path, ALL, engine);
    const add = (i: number): void => {
      const { fingerprints, ids, columns } = batch(i * 1000, 1000);
      index.addBatch(fingerprints, ids, columns);
    };
    for (let i = 0; i < 20; i++) add(i);
    const removed = batch(0, 1000);
    await index.checkpoint();
    index.removeBatch(removed.fingerprints.subarray(0, 10), removed.ids.slice(0, 10));
    const [copy, later] = [place(), place()];
    const snapshot = index.snapshot(copy);
    for (let i = 20; i < 30; i++) {
      add(i);
      await setTimeout(1);
    }
    await snapshot;
    const expected = await contentOf(index);
    await index.snapshot(later);
    expect(await contentAt(later, engine)).toEqual(expected);
    const held = await contentAt(copy, engine);
    expect((held.length + 10) % 1000).toBe(0);
    expect(held.length).toBeGreaterThan(19_000);
    expect(held).not.toContain(show(removed, 3));
    expect(await verifyIndex(copy, engine)).toEqual([]);
    // Written on, each for itself.
    const other = await HammingIndex.open(later, {}, engine);
    other.add(1n, 1, { time: 1, tag: 1, secondFingerprint: 1n });
    await other.compact();
    other.close();
    expect(await contentAt(path, engine)).toEqual(expected);
    expect(await index.verify()).toEqual([]);
    await expect(index.snapshot(later)).rejects.toThrow(withCode('ERR_NEARDUP_BAD_INPUT'));
    expect(await contentAt(later, engine)).toHaveLength(expected.length + 1);
    index.close();
  });

  test('a snapshot copies where links are not possible, and leaves nothing where it fails', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const { fingerprints, ids } = batch(0, 3000);
    index.addBatch(fingerprints, ids);
    const refuse = (code: string) => () => {
      throw Object.assign(new Error(`${code}: link`), { code, syscall: 'link' });
    };
    // The lock is made by a link as well, so the copies are opened afterwards.
    const [copied, failed] = [place(), place()];
    vi.spyOn(fs, 'linkSync').mockImplementation(refuse('EXDEV'));
    await index.snapshot(copied);
    vi.mocked(fs.linkSync).mockImplementation(refuse('ENOSPC'));
    await expect(index.snapshot(failed)).rejects.toThrow(withCode('ERR_NEARDUP_IO'));
    vi.restoreAllMocks();
    expect(fs.existsSync(failed)).toBe(false);
    const [file] = filesOf(copied, 'segment') as [string];
    expect(statSync(join(copied, file)).nlink).toBe(1);
    expect(await contentAt(copied, engine)).toEqual(await contentOf(index));
    index.close();
  });

  test('what a killed snapshot left is no index, and gives way to another snapshot', async () => {
    const [path, whole, target] = [place(), place(), place()];
    const index = await HammingIndex.open(path, {}, engine);
    const { fingerprints, ids } = batch(0, 3000);
    index.addBatch(fingerprints, ids);
    await index.snapshot(whole);
    cpSync(whole, target, { recursive: true });
    for (const name of ['MANIFEST', 'MANIFEST.backup']) rmSync(join(target, name));
    // Without the marker it may be anybody's.
    await expect(index.snapshot(target)).rejects.toThrow(withCode('ERR_NEARDUP_BAD_INPUT'));
    writeFileSync(join(target, SNAPSHOT), '');
    for (const options of [{}, { readOnly: true }, { create: false }]) {
      await expect(HammingIndex.open(target, options, engine)).rejects.toThrow(
        withCode('ERR_NEARDUP_BAD_INPUT'),
      );
    }
    await expect(repairIndex(target, engine)).rejects.toThrow(/part of a snapshot/);
    expect(readdirSync(target)).toContain(SNAPSHOT);
    await index.snapshot(target);
    expect(filesOf(target, 'segment')).toHaveLength(1);
    expect(readdirSync(target)).not.toContain(SNAPSHOT);
    expect(await contentAt(target, engine)).toEqual(await contentOf(index));
    expect(await verifyIndex(target, engine)).toEqual([]);
    index.close();
  });

  test('nothing is repaired where nothing is wrong, nothing made where nothing is', async () => {
    const path = place();
    await expect(repairIndex(path, engine)).rejects.toThrow(withCode('ERR_NEARDUP_BAD_INPUT'));
    const index = await HammingIndex.open(path, {}, engine);
    index.add(1n, 1);
    await expect(repairIndex(path, engine)).rejects.toThrow(withCode('ERR_NEARDUP_LOCKED'));
    index.close();
    const names = readdirSync(path);
    expect(await repairIndex(path, engine)).toEqual({ entries: 1, dropped: [] });
    expect(readdirSync(path)).toEqual(names);
  });
});

describe.each(pairsOfEngines)('written by %s, repaired by %s', (_, __, writer, engine) => {
  /** An index with a large segment, a small one of which entries are removed, and a log. */
  async function make(): Promise<{ path: string; content: string[]; large: string }> {
    const path = place();
    const index = await HammingIndex.open(path, ALL, writer);
    const a = batch(0, 90_000);
    index.addBatch(a.fingerprints, a.ids, a.columns);
    await index.compact();
    const b = batch(200_000, 1000);
    index.addBatch(b.fingerprints, b.ids, b.columns);
    await index.checkpoint();
    index.removeBatch(b.fingerprints.subarray(0, 100), b.ids.slice(0, 100));
    index.removeBatch(a.fingerprints.subarray(0, 100), a.ids.slice(0, 100));
    await index.checkpoint();
    for (let i = 0; i < 50; i++) index.add(BigInt(i), i, { time: i, tag: i, secondFingerprint: BigInt(i) });
    const content = await contentOf(index);
    index.close();
    const size = (name: string) => statSync(join(path, name)).size;
    const large = filesOf(path, 'segment').sort((x, y) => size(y) - size(x))[0] as string;
    return { path, content, large };
  }

  async function repairAndCheck(path: string): Promise<{ content: string[]; dropped: string[] }> {
    const { entries, dropped } = await repairIndex(path, engine);
    expect(await verifyIndex(path, engine)).toEqual([]);
    expect((await repairIndex(path, engine)).dropped).toEqual([]);
    const content = await contentAt(path, engine);
    expect(content).toHaveLength(entries);
    return {
      content,
      dropped: dropped.map(({ file, section }) => `${file.slice(path.length + 1)} ${section}`),
    };
  }

  test('manifest, log, segments, removals: what is whole is kept, and what is dropped is told', async () => {
    const { path, content, large } = await make();
    const damaged = async (damage: (copy: string) => void) => {
      const copy = place();
      cpSync(path, copy, { recursive: true });
      damage(copy);
      const repaired = await repairAndCheck(copy);
      rmSync(copy, { recursive: true });
      return repaired;
    };
    // The backup tells all.
    for (const damage of [
      (copy: string) => rmSync(join(copy, 'MANIFEST')),
      (copy: string) => flip(join(copy, 'MANIFEST'), 30),
    ]) {
      const { content: kept, dropped } = await damaged(damage);
      expect(dropped.filter((problem) => !problem.startsWith('MANIFEST '))).toEqual([]);
      expect(isSame(kept, content)).toBe(true);
    }
    // Neither is there: of what the files say.
    const rebuilt = await damaged((copy) => {
      rmSync(join(copy, 'MANIFEST'));
      rmSync(join(copy, 'MANIFEST.backup'));
    });
    expect(isSame(rebuilt.content, content)).toBe(true);
    // A record in the middle of the log.
    const [log] = filesOf(path, 'log') as [string];
    const record = (statSync(join(path, log)).size - 64) / 50;
    const cut = await damaged((copy) => flip(join(copy, log), 64 + 30 * record + 20));
    expect(cut.dropped).toEqual([`${log} record at byte ${64 + 30 * record}`]);
    expect(cut.content).toHaveLength(content.length - 20);
    // Its header, with which the records still fit.
    const headless = await damaged((copy) => flip(join(copy, log), 20));
    expect(isSame(headless.content, content)).toBe(true);
    // A bitmap.
    for (const bitmap of filesOf(path, 'removed')) {
      const again = await damaged((copy) => rmSync(join(copy, bitmap)));
      expect(again.dropped).toEqual([`${bitmap} file`]);
      expect(again.content).toHaveLength(content.length + 100);
    }
    // A segment: its header; a block, which may have a column of all its entries; the second half.
    const header = await damaged((copy) => flip(join(copy, large), 10));
    expect(isSame(header.content, content)).toBe(true);
    const whole = new Set(content);
    const bytes = statSync(join(path, large)).size;
    const block = await damaged((copy) => flip(join(copy, large), 4096 + 2 * 2 ** 20 + 5));
    expect(block.dropped.length).toBeGreaterThan(0);
    expect(block.content.every((entry) => whole.has(entry))).toBe(true);
    expect(block.content.length).toBeGreaterThanOrEqual(950);
    expect(block.content.length).toBeLessThan(content.length);
    const gone = await damaged((copy) => truncateSync(join(copy, large), bytes >> 1));
    expect(gone.content.every((entry) => whole.has(entry))).toBe(true);
    expect(gone.content.length).toBeGreaterThanOrEqual(950);
  });

  test('a repair that fails leaves the index as it was', async () => {
    const { path } = await make();
    const [log] = filesOf(path, 'log') as [string];
    flip(join(path, log), 100);
    const before = new Map(readdirSync(path).map((name) => [name, readFileSync(join(path, name))]));
    vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('EIO: i/o error, rename'), { code: 'EIO', syscall: 'rename' });
    });
    await expect(repairIndex(path, engine)).rejects.toThrow(withCode('ERR_NEARDUP_IO'));
    vi.restoreAllMocks();
    for (const [name, bytes] of before) expect(readFileSync(join(path, name)).equals(bytes)).toBe(true);
    await repairAndCheck(path);
  });
});
