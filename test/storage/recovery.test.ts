/** What was acknowledged is there after opening again, with and without a close before. */
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import type { HammingIndexOpenOptions } from '../../lib/index/open-options.ts';
import { recipes } from '../../lib/recipe/recipes.ts';
import { verifyIndex } from '../../lib/storage/verify.ts';
import { ALL, batch, contentOf, named, pairsOfEngines, place, withCode } from './directories.ts';

/** A copy of the files as a kill would leave them now, opened. */
async function openCopy(
  path: string,
  engine: Engine,
  options?: HammingIndexOpenOptions,
): Promise<HammingIndex> {
  const copy = place();
  cpSync(path, copy, { recursive: true, filter: (name) => !name.endsWith('LOCK') });
  return await HammingIndex.open(copy, options, engine);
}

const lastLog = (path: string) =>
  join(
    path,
    readdirSync(path)
      .filter((name) => name.startsWith('log-'))
      .sort()
      .at(-1) as string,
  );

describe.each(pairsOfEngines)('written by %s, opened by %s', (_, __, writer, opener) => {
  test('every kind of change is there after each of them, and after a checkpoint', async () => {
    const path = place();
    const index = await HammingIndex.open(path, { ...ALL, maxDistance: 2 }, writer);
    const check = async (): Promise<void> => {
      const expected = await contentOf(index);
      const copy = await openCopy(path, opener);
      expect(await contentOf(copy)).toEqual(expected);
      expect([copy.size, copy.maxDistance, copy.recovered]).toEqual([index.size, 2, undefined]);
      copy.close();
    };
    await check();
    const [a, b, c, d] = [batch(0, 3000), batch(10_000, 700), batch(20_000, 500), batch(30_000, 900)];
    for (let round = 0; round < 3; round++) {
      index.addBatch(a.fingerprints, a.ids, a.columns);
      index.add(5n, 5, { time: 7, tag: 8, secondFingerprint: 9n });
      await check();
      expect(index.remove(5n, 5)).toBe(1);
      await index.addBatchAsync(b.fingerprints, b.ids, b.columns);
      await check();
      expect(
        index.addIfNew(b.fingerprints[3] as bigint, 1, { time: 1, tag: 3, secondFingerprint: 1n }).added,
      ).toBe(false);
      expect(
        index.addIfNew(6n, 9e15, { time: 9e15, tag: 2 ** 32 - 1, secondFingerprint: 2n ** 64n - 1n }).added,
      ).toBe(true);
      const { added } = index.addIfNewBatch(
        BigUint64Array.of(7n, c.fingerprints[0] as bigint, c.fingerprints[0] as bigint),
        [1, 2, 3],
        { times: [1, 2, 3], tags: [1, 2, 2], secondFingerprints: BigUint64Array.of(1n, 2n, 3n) },
      );
      expect([...added]).toEqual([1, 1, 0]);
      await check();
      index.removeBatch(a.fingerprints.subarray(0, 400), a.ids.slice(0, 400));
      expect(index.removeBefore(700 * 2 ** 33)).toBeGreaterThan(299);
      await check();
      if (round === 0) await index.checkpoint();
      if (round === 1) await index.load([{ fingerprints: c.fingerprints, ids: c.ids, ...c.columns }]);
      if (round === 2) await index.compact();
      await check();
      index.addBatch(d.fingerprints, d.ids, d.columns);
      index.removeBatch(a.fingerprints.subarray(900, 1000), a.ids.slice(900, 1000));
      await check();
      // Again: a segment's file stays, with more removed.
      await index.checkpoint();
      await check();
      expect(index.removeBefore(2 ** 53 - 1)).toBeGreaterThan(0);
      expect(await index.verify()).toEqual([]);
    }
    index.close();
    expect(await verifyIndex(path, opener)).toEqual([]);
  });
});

describe.each(named)('%s', (_, engine) => {
  test('without columns: single and async adds, addIfNew, batches of several records', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const { fingerprints, ids } = batch(0, 150_000);
    index.addBatch(fingerprints, ids);
    for (let i = 0; i < 100; i++) index.add(BigInt(i) << 20n, i);
    expect(index.addIfNew(0xffffn << 40n, 1).added).toBe(true);
    expect(index.addIfNew((0xffffn << 40n) + 1n, 2).added).toBe(false);
    const copy = await openCopy(path, engine);
    expect(await contentOf(copy)).toEqual(await contentOf(index));
    copy.close();
    index.close();
  });

  test('a change of several records is there whole or not at all', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    index.add(1n, 1);
    const start = statSync(lastLog(path)).size;
    const { fingerprints, ids } = batch(0, 140_000);
    index.addBatch(fingerprints, ids);
    const end = statSync(lastLog(path)).size;
    index.close();
    for (const length of [start + 1, start + 2_000_000, end - 1]) {
      const copy = place();
      cpSync(path, copy, { recursive: true });
      truncateSync(lastLog(copy), length);
      const cut = await HammingIndex.open(copy, {}, engine);
      expect(cut.size).toBe(1);
      expect(cut.recovered).toEqual({
        file: lastLog(copy),
        position: start,
        bytes: length - start,
        reason: expect.any(String),
      });
      cut.close();
    }
  });

  test('a torn tail is cut at the last whole record; anything else is corrupt', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const lengths = [statSync(lastLog(path)).size];
    for (let i = 0; i < 20; i++) {
      index.add(BigInt(i) << 30n, i);
      lengths.push(statSync(lastLog(path)).size);
    }
    index.close();
    const [from, to] = [lengths[18] as number, lengths[20] as number];
    const open = async (change: (log: string) => void): Promise<HammingIndex> => {
      const copy = place();
      cpSync(path, copy, { recursive: true });
      change(lastLog(copy));
      return await HammingIndex.open(copy, {}, engine);
    };
    // Cut anywhere in the last two records, or filled with zeros from there on.
    for (let length = from; length <= to; length += 3) {
      const whole = lengths.filter((end) => end <= length).length - 1;
      const cut = await open((log) => truncateSync(log, length));
      expect(cut.size).toBe(whole);
      expect(cut.recovered?.bytes ?? 0).toBe(length - (lengths[whole] as number));
      cut.add(1n, 999);
      const path = cut.path as string;
      cut.close();
      const again = await HammingIndex.open(path, {}, engine);
      expect([again.size, again.recovered]).toEqual([whole + 1, undefined]);
      again.close();
    }
    const zeros = await open((log) => appendFileSync(log, Buffer.alloc(5000)));
    expect([zeros.size, zeros.recovered?.bytes]).toEqual([20, 5000]);
    zeros.close();
    for (let at = from; at < to; at++) {
      const flipped = open((log) => {
        const bytes = readFileSync(log);
        bytes[at] = (bytes[at] as number) ^ 0x55;
        writeFileSync(log, bytes);
      });
      const record = at < (lengths[19] as number) ? lengths[18] : lengths[19];
      await expect(flipped).rejects.toThrow(withCode('ERR_NEARDUP_CORRUPT'));
      await expect(flipped).rejects.toThrow(`log-1 is corrupt: record at byte ${record}: `);
    }
    // A record that stands in another place.
    const moved = open((log) => {
      const bytes = readFileSync(log);
      writeFileSync(log, Buffer.concat([bytes, bytes.subarray(from)]));
    });
    await expect(moved).rejects.toThrow(withCode('ERR_NEARDUP_CORRUPT'));
  });

  test('files that are missing or swapped are told', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    const a = batch(0, 500);
    index.addBatch(a.fingerprints, a.ids);
    await index.checkpoint();
    const first = readFileSync(
      join(path, readdirSync(path).find((name) => name.startsWith('segment')) as string),
    );
    index.addBatch(a.fingerprints.subarray(0, 100), a.ids.slice(0, 100));
    index.removeBatch(a.fingerprints.subarray(0, 10), a.ids.slice(0, 10));
    await index.compact();
    index.remove(a.fingerprints[20] as bigint, 20);
    await index.checkpoint();
    index.close();
    const files = readdirSync(path).filter((name) => name !== 'MANIFEST' && name !== 'MANIFEST.backup');
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const copy = place();
      cpSync(path, copy, { recursive: true, filter: (name) => !name.endsWith(file) });
      const opening = HammingIndex.open(copy, {}, engine);
      await expect(opening).rejects.toThrow(withCode('ERR_NEARDUP_CORRUPT'));
      await expect(opening).rejects.toThrow(`${join(copy, file)} is corrupt: file: `);
      expect((await verifyIndex(copy, engine)).map((problem) => problem.file)).toContain(join(copy, file));
    }
    const copy = place();
    cpSync(path, copy, { recursive: true });
    const segment = join(copy, files.find((name) => name.startsWith('segment')) as string);
    writeFileSync(segment, first);
    await expect(HammingIndex.open(copy, {}, engine)).rejects.toThrow('not the file that the manifest names');
    expect(await verifyIndex(copy, engine)).toEqual([
      { file: segment, section: 'header', message: 'it is not the file that the manifest names' },
    ]);
  });

  test('options: those that are stored hold, others are refused', async () => {
    const path = place();
    const recipe = 'neardup:1 shingles width=3 weight=count';
    const index = await HammingIndex.open(path, { ...ALL, maxDistance: 5, memory: 'fast', recipe }, engine);
    expect([index.path, index.readOnly, index.closed]).toEqual([path, false, false]);
    index.close();
    expect([index.path, index.closed]).toEqual([undefined, true]);
    const same = await HammingIndex.open(path, { maxDistance: 5, times: true, recipe, memory: 20 }, engine);
    expect([same.maxDistance, same.recipe]).toEqual([5, recipe]);
    same.close();
    const refused = async (options: object, code: string, ...words: string[]): Promise<void> => {
      for (const readOnly of [false, true]) {
        const opening = HammingIndex.open(path, { ...options, readOnly }, engine);
        await expect(opening).rejects.toThrow(withCode(code));
        for (const word of words) await expect(opening).rejects.toThrow(word);
      }
    };
    const other = 'neardup:1 words ngrams=1..2 weight=log';
    await refused({ recipe: other }, 'ERR_NEARDUP_RECIPE_MISMATCH', recipe, other);
    await refused(
      { recipe: recipes.words({ stopWords: ['foo'] }).text },
      'ERR_NEARDUP_RECIPE_MISMATCH',
      'own/',
    );
    await refused({ maxDistance: 4 }, 'ERR_NEARDUP_OUT_OF_RANGE', 'maxDistance', '4', '5');
    await refused({ tags: false }, 'ERR_NEARDUP_OUT_OF_RANGE', 'tags');
    await refused({ recipe: 7 }, 'ERR_NEARDUP_INVALID_TYPE');
    await refused({ sync: 'often' }, 'ERR_NEARDUP_OUT_OF_RANGE', 'always, interval, never');
    await refused({ syncMode: 'always' }, 'ERR_NEARDUP_OUT_OF_RANGE', 'syncMode');
    await refused({ checkpointBytes: 1 }, 'ERR_NEARDUP_OUT_OF_RANGE');
    // None of them left its lock.
    expect(readdirSync(path)).not.toContain('LOCK');
    await expect(HammingIndex.open(place(), { create: false }, engine)).rejects.toThrow(
      withCode('ERR_NEARDUP_BAD_INPUT'),
    );
    await expect(HammingIndex.open(place(), { readOnly: true }, engine)).rejects.toThrow(
      withCode('ERR_NEARDUP_BAD_INPUT'),
    );
    await expect(HammingIndex.open(lastLog(path), {}, engine)).rejects.toThrow(
      withCode('ERR_NEARDUP_BAD_INPUT'),
    );
    await expect(HammingIndex.open('', {}, engine)).rejects.toThrow(withCode('ERR_NEARDUP_OUT_OF_RANGE'));
    await expect(HammingIndex.open(5 as never, {}, engine)).rejects.toThrow(
      withCode('ERR_NEARDUP_INVALID_TYPE'),
    );
  });

  test('of an index in memory', async () => {
    const index = new HammingIndex();
    expect([index.path, index.readOnly, index.recovered, index.recipe]).toEqual([
      undefined,
      false,
      undefined,
      undefined,
    ]);
    for (const call of ['flush', 'checkpoint', 'refresh', 'verify'] as const) {
      await expect(index[call]()).rejects.toThrow(withCode('ERR_NEARDUP_UNSUPPORTED'));
    }
    await expect(index.snapshot(place())).rejects.toThrow(withCode('ERR_NEARDUP_UNSUPPORTED'));
    index.close();
    await expect(index.flush()).rejects.toThrow(withCode('ERR_NEARDUP_CLOSED'));
  });

  test('what an unfinished making leaves is no index; what lost its manifest is not overwritten', async () => {
    const path = place();
    (await HammingIndex.open(path, {}, engine)).close();
    const unmade = place();
    cpSync(path, unmade, { recursive: true, filter: (name) => !name.includes('MANIFEST') });
    const index = await HammingIndex.open(unmade, {}, engine);
    index.add(1n, 1);
    index.close();
    const lost = place();
    cpSync(unmade, lost, { recursive: true, filter: (name) => !name.includes('MANIFEST') });
    await expect(HammingIndex.open(lost, {}, engine)).rejects.toThrow(withCode('ERR_NEARDUP_CORRUPT'));
  });
});
