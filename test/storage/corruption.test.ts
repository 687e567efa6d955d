/**
 * Files that are not what was written: each byte changed, each length, files swapped, an older manifest. Opening or
 * verify() names the file, or the index holds what it held: never a wrong answer after verify(), never the end of
 * the process.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { NeardupError } from '../../lib/errors.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { repairIndex } from '../../lib/storage/repair.ts';
import { verifyIndex } from '../../lib/storage/verify.ts';
import { columnsOf } from '../crash/index-work.mjs';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';
import { numbersIn } from './changes.ts';
import { fastFolder } from './fast-folder.ts';
import { interceptFs, systemError } from './intercepted-fs.ts';

const folder = mkdtempSync(join(fastFolder, 'neardup-corrupt-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Files that count: a copy of the manifest that only repair reads does not. */
function filesOf(directory: string): string[] {
  return readdirSync(directory).filter((file) => file !== 'MANIFEST.backup');
}

/** Records of the log of makeSmall: at so many places its end looks like one. */
const RECORDS = 6;

/** A directory with two segments, removed entries of one, and a log of several records. */
async function makeSmall(path: string, engine: Engine): Promise<number[]> {
  const index = await HammingIndex.open(path, { create: true, times: true }, engine);
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const add = (list: number[]) => {
    const { fingerprints, ids, times } = columnsOf(list);
    index.addBatch(fingerprints, ids, { times });
  };
  const remove = (list: number[]) => {
    const { fingerprints, ids } = columnsOf(list);
    index.removeBatch(fingerprints, ids);
  };
  add(numbers(0, 30));
  await index.compact();
  await index.checkpoint();
  remove([3, 14]);
  add(numbers(100, 110));
  await index.checkpoint();
  for (const n of [200, 201, 202]) add([n]);
  remove([5]);
  add([203, 204]);
  const held = await numbersIn(index);
  index.close();
  return held;
}

async function numbersOf(index: HammingIndex): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { ids } of index.entries()) numbers.push(...ids);
  return numbers.sort((a, b) => a - b);
}

type Outcome = 'refused' | 'as it was' | 'a torn log' | 'a log cut between records';

/** Opens a directory that was damaged and asks for everything. Anything but a fitting outcome throws. */
async function outcome(
  path: string,
  held: readonly number[],
  file: string,
  engine: Engine,
): Promise<Outcome> {
  let index: HammingIndex | undefined;
  try {
    // Of a log only a writer tells what it cuts off: a reader may have come while a record was being written.
    index = await HammingIndex.open(path, { readOnly: !file.startsWith('log-') }, engine);
    // Before verify(), bytes that were not read yet may lead to wrong answers, and to nothing worse.
    index.queryBatch(columnsOf([0, 7, 100, 203]).fingerprints, { scan: true, maxDistance: 20 });
    index.queryBatch(columnsOf([0, 7, 100, 203]).fingerprints);
    const problems = await index.verify();
    for (const problem of problems) expect(problem.file).toContain(path);
    if (problems.length > 0) return 'refused';
    const numbers = await numbersIn(index);
    if (numbers.join() === held.join()) return 'as it was';
    // Only the end of the log may be gone: what a crash leaves looks the same.
    expect(file).toMatch(/^log-/);
    return index.recovered === undefined ? 'a log cut between records' : 'a torn log';
  } catch (error) {
    if (!(error instanceof NeardupError)) throw error;
    expect(['ERR_NEARDUP_CORRUPT', 'ERR_NEARDUP_UNSUPPORTED']).toContain(error.code);
    expect(error.message).toContain(path);
    return 'refused';
  } finally {
    index?.close();
  }
}

describe.each(engines)('written by the $backend engine', (writer) => {
  const whole = join(folder, `whole-${writer.backend}`);
  const path = join(folder, `damaged-${writer.backend}`);
  const made = makeSmall(whole, writer);

  /** Runs with one file of the directory replaced. */
  async function withFile(file: string, bytes: Buffer, engine: Engine): Promise<Outcome> {
    writeFileSync(join(path, file), bytes);
    return await outcome(path, await made, file, engine);
  }

  test('each byte of each file', { timeout: 0 }, async () => {
    await made;
    cpSync(whole, path, { recursive: true });
    for (const file of filesOf(whole)) {
      const bytes = readFileSync(join(whole, file));
      let refused = 0;
      for (let at = 0; at < bytes.length; at++) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] as number) ^ (1 << (at % 8));
        const result = await withFile(file, damaged, engines[at % engines.length] as Engine);
        // Every byte counts: what is left of a whole file after a change is never taken for it.
        expect(result, `${file}, byte ${at}`).not.toBe('as it was');
        if (result === 'refused') refused++;
      }
      writeFileSync(join(path, file), bytes);
      expect(refused, file).toBeGreaterThan(0);
    }
    expect(await outcome(path, await made, '', writer)).toBe('as it was');
    rmSync(path, { recursive: true });
  });

  test('each length of each file', { timeout: 0 }, async () => {
    await made;
    cpSync(whole, path, { recursive: true });
    for (const file of filesOf(whole)) {
      const bytes = readFileSync(join(whole, file));
      let cuts = 0;
      for (let length = 0; length < bytes.length; length++) {
        const result = await withFile(
          file,
          bytes.subarray(0, length),
          engines[length % engines.length] as Engine,
        );
        if (!file.startsWith('log-')) expect(result, `${file}, ${length} bytes`).toBe('refused');
        else expect(result, `${file}, ${length} bytes`).not.toBe('as it was');
        if (result === 'a log cut between records') cuts++;
      }
      expect(cuts).toBeLessThanOrEqual(RECORDS);
      const longer = Buffer.concat([bytes, Buffer.from('more')]);
      if (!file.startsWith('log-'))
        expect(await withFile(file, longer, writer), `${file}, longer`).toBe('refused');
      writeFileSync(join(path, file), bytes);
    }
    rmSync(path, { recursive: true });
  });

  test('a file that is missing, and files in the place of others', async () => {
    await made;
    for (const a of filesOf(whole)) {
      for (const b of [undefined, ...filesOf(whole)]) {
        if (a === b) continue;
        cpSync(whole, path, { recursive: true });
        if (b === undefined) rmSync(join(path, a));
        else writeFileSync(join(path, a), readFileSync(join(whole, b)));
        const isNew = a === 'MANIFEST' && b === undefined;
        for (const engine of engines) {
          if (isNew) {
            await expect(HammingIndex.open(path, { readOnly: true }, engine)).rejects.toBeInstanceOf(
              NeardupError,
            );
          } else {
            expect(await outcome(path, await made, a, engine), `${b} as ${a}`).toBe('refused');
          }
        }
        rmSync(path, { recursive: true });
      }
    }
  });

  test('an older manifest', async () => {
    await made;
    cpSync(whole, path, { recursive: true });
    const index = await HammingIndex.open(path, {}, writer);
    index.add(1n, 1, { time: 1 });
    await index.checkpoint();
    index.close();
    writeFileSync(join(path, 'MANIFEST'), readFileSync(join(whole, 'MANIFEST')));
    for (const engine of engines) expect(await outcome(path, [], 'MANIFEST', engine)).toBe('refused');
    rmSync(path, { recursive: true });
  });

  test('an older manifest, with all files that it names', async () => {
    await made;
    cpSync(whole, path, { recursive: true });
    const index = await HammingIndex.open(path, {}, writer);
    // A checkpoint that fails after its log was begun, and changes in that log.
    const restore = interceptFs((name, args, call) => {
      if (name === 'openSync' && String(args[0]).includes('segment-')) throw systemError('EIO', name);
      return call(...args);
    });
    await expect(index.checkpoint()).rejects.toMatchObject({ code: 'ERR_NEARDUP_IO' });
    restore();
    for (let id = 1; id < 50; id++) index.add(BigInt(id), id, { time: 1 });
    const held = await numbersOf(index);
    // As kill -9 leaves it, then the older manifest.
    const left = join(folder, `left-${writer.backend}`);
    cpSync(path, left, { recursive: true, filter: (name) => !name.endsWith('LOCK') });
    index.close();
    writeFileSync(join(left, 'MANIFEST'), readFileSync(join(whole, 'MANIFEST')));
    for (const engine of engines) {
      await expect(HammingIndex.open(left, {}, engine)).rejects.toMatchObject({
        code: 'ERR_NEARDUP_CORRUPT',
      });
    }
    expect((await verifyIndex(left))[0]?.message).toMatch(/older than log-/);
    // Repair knows the log that the manifest does not.
    const { dropped } = await repairIndex(left);
    expect(dropped[0]?.section).toBe('manifest');
    const again = await HammingIndex.open(left, {}, writer);
    expect(await numbersOf(again)).toEqual(held);
    again.close();
    rmSync(left, { recursive: true });
    rmSync(path, { recursive: true });
  });

  test('a file of another index in its place', async () => {
    await made;
    const other = join(folder, `other-${writer.backend}`);
    await makeSmall(other, writer);
    for (const file of filesOf(whole)) {
      if (file === 'MANIFEST') continue;
      cpSync(whole, path, { recursive: true });
      writeFileSync(join(path, file), readFileSync(join(other, file)));
      expect(await outcome(path, await made, file, writer), file).toBe('refused');
      rmSync(path, { recursive: true });
    }
    rmSync(other, { recursive: true });
  });
});

test('bytes of a large index, by sample', { timeout: 0 }, async () => {
  const whole = join(folder, 'large');
  const [writer] = engines as [Engine];
  const count = 200_000;
  const index = await HammingIndex.open(whole, { create: true, memory: 'fast' }, writer);
  index.addBatch(
    randomKeys(count, 1),
    Float64Array.from({ length: count }, (_, i) => i % 150_000),
  );
  await index.compact();
  await index.checkpoint();
  const queries = randomKeys(2000, 1);
  const expected = index.queryBatch(queries);
  index.close();
  const path = join(folder, 'large-damaged');
  cpSync(whole, path, { recursive: true });
  const segments = filesOf(whole).filter((file) => file.startsWith('segment-'));
  expect(segments.length).toBeGreaterThan(0);
  for (const file of segments) {
    const bytes = readFileSync(join(whole, file));
    for (let i = 0; i < 60; i++) {
      const at = Math.floor(((i + 0.5) / 60) * bytes.length);
      const damaged = Buffer.from(bytes);
      damaged.fill(i % 2 === 0 ? 0xff : 0x5a, at, at + 1 + i);
      writeFileSync(join(path, file), damaged);
      let opened: HammingIndex | undefined;
      try {
        opened = await HammingIndex.open(path, { readOnly: true }, writer);
        opened.queryBatch(queries);
        const [problem] = await opened.verify();
        expect(problem?.file, `${file}, byte ${at}`).toContain(file);
      } catch (error) {
        expect(error, `${file}, byte ${at}`).toMatchObject({ code: 'ERR_NEARDUP_CORRUPT' });
        expect((error as Error).message).toContain(file);
      } finally {
        opened?.close();
      }
    }
    writeFileSync(join(path, file), bytes);
  }
  const again = await HammingIndex.open(path, { readOnly: true }, writer);
  expect(await again.verify()).toEqual([]);
  expect(again.queryBatch(queries)).toEqual(expected);
  again.close();
});
