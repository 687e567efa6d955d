/** What is no regular file in the place of one: opening, verify and repair say so, and never wait for it. */
import { execFileSync } from 'node:child_process';
import fs, { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { NeardupError } from '../../lib/errors.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { DamagedFile } from '../../lib/storage/damaged-file.ts';
import { LogReader } from '../../lib/storage/log-reader.ts';
import { repairIndex } from '../../lib/storage/repair.ts';
import { verifyIndex } from '../../lib/storage/verify.ts';
import { tsEngine } from '../../lib/ts/engine.ts';
import { engines, nativeEngine } from '../engines.ts';
import { batch, withCode } from './directories.ts';
import { fastFolder } from './fast-folder.ts';
import { openFilesIn } from './fs-faults.ts';

// Names of sockets must be short.
const folder = mkdtempSync(join(fastFolder, 'nd-'));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});
let made = 0;
const place = () => join(folder, String(made++));

const KINDS: Record<string, (path: string) => Promise<void> | void> = {
  pipe: (path) => void execFileSync('mkfifo', [path]),
  directory: (path) => mkdirSync(path),
  device: (path) => symlinkSync('/dev/zero', path),
  socket: (path) =>
    new Promise((resolve) => {
      servers.push(createServer().listen(path, resolve));
    }),
};

/** Made by the native engine, where there is one: the other writes no bitmaps of what is removed. */
async function makeIndex(): Promise<string> {
  const path = place();
  const index = await HammingIndex.open(path, {}, nativeEngine ?? tsEngine);
  const { fingerprints, ids } = batch(0, 5000);
  index.addBatch(fingerprints, ids);
  await index.compact();
  index.removeBatch(fingerprints.subarray(0, 10), ids.slice(0, 10));
  await index.checkpoint();
  index.add(1n, 1);
  index.close();
  return path;
}

/** The code of the error that a call fails with; undefined where it does not. */
async function codeOf(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof NeardupError) return error.code;
    throw error;
  }
}

/** Opens and closes. */
async function open(path: string, engine: Engine, options: object): Promise<void> {
  (await HammingIndex.open(path, options, engine)).close();
}

describe.skipIf(process.platform === 'win32').each(engines)('$backend engine', (engine) => {
  test.each(Object.entries(KINDS))('a %s', { timeout: 60_000 }, async (_, put) => {
    const path = await makeIndex();
    const names = readdirSync(path).filter((name) => name !== 'LOCK');
    expect(names.map((name) => name.replace(/\d+/, 'N')).sort()).toEqual(
      ['MANIFEST', 'MANIFEST.backup', 'log-N', ...(nativeEngine ? ['removed-N'] : []), 'segment-N'].sort(),
    );
    for (const name of names) {
      const copy = place();
      cpSync(path, copy, { recursive: true });
      rmSync(join(copy, name));
      await put(join(copy, name));
      const isBackup = name === 'MANIFEST.backup';
      const problems = await verifyIndex(copy, engine);
      expect(problems).toMatchObject([{ file: join(copy, name) }]);
      expect(problems[0]?.message).toContain('it is not a regular file');
      for (const options of [{ readOnly: true }, {}]) {
        expect(await codeOf(() => open(copy, engine, options)), name).toBe(
          isBackup ? undefined : 'ERR_NEARDUP_CORRUPT',
        );
      }
      // Only a directory cannot be replaced by a manifest.
      const repaired = await codeOf(() => repairIndex(copy, engine));
      expect([undefined, 'ERR_NEARDUP_IO'], name).toContain(repaired);
      if (repaired === undefined) expect(await codeOf(() => open(copy, engine, {})), name).toBe(undefined);
      expect(openFilesIn(copy)).toEqual([]);
    }
  });

  test.each(Object.entries(KINDS))('a %s that the manifest does not name', async (_, put) => {
    const path = await makeIndex();
    for (const name of ['log-90', 'segment-91', 'removed-92', 'segment-93.1.a.tmp'])
      await put(join(path, name));
    expect(await verifyIndex(path, engine)).toEqual([]);
    await open(path, engine, { readOnly: true });
    expect((await repairIndex(path, engine)).entries).toBe(4991);
    await open(path, engine, {});
    // Where there is no manifest, nothing is made in its place.
    const unmade = place();
    mkdirSync(unmade);
    await put(join(unmade, 'log-1'));
    expect(await codeOf(() => open(unmade, engine, {}))).toBe('ERR_NEARDUP_CORRUPT');
  });

  test.each(Object.entries(KINDS))('a %s as LOCK, and beside it', { timeout: 60_000 }, async (_, put) => {
    const path = await makeIndex();
    await put(join(path, 'LOCK.other'));
    await open(path, engine, {});
    await put(join(path, 'LOCK'));
    expect(await codeOf(() => open(path, engine, {}))).toBe('ERR_NEARDUP_CORRUPT');
    expect(await codeOf(() => repairIndex(path, engine))).toBe('ERR_NEARDUP_CORRUPT');
    await open(path, engine, { readOnly: true });
    expect(openFilesIn(path)).toEqual([]);
  });

  test('a file in the place of the directory', async () => {
    const path = place();
    writeFileSync(path, 'x');
    const wanted = expect.objectContaining({
      code: 'ERR_NEARDUP_BAD_INPUT',
      message: expect.stringContaining('the directory of an index is wanted'),
    });
    await expect(HammingIndex.open(path, {}, engine)).rejects.toThrow(wanted);
    await expect(HammingIndex.open(path, { readOnly: true }, engine)).rejects.toThrow(wanted);
    await expect(verifyIndex(path, engine)).rejects.toThrow(wanted);
    await expect(repairIndex(path, engine)).rejects.toThrow(wanted);
    await expect(HammingIndex.open(join(path, 'x'), {}, engine)).rejects.toThrow(withCode('ERR_NEARDUP_IO'));
    await expect(verifyIndex(join(path, 'x'), engine)).rejects.toThrow(withCode('ERR_NEARDUP_BAD_INPUT'));
    expect(fs.readFileSync(path, 'utf8')).toBe('x');
  });

  test('files are closed where opening them fails', async () => {
    const path = await makeIndex();
    const nameOf = (kind: string) => readdirSync(path).find((name) => name.startsWith(kind)) as string;
    const failing = (body: () => void, times: number): void => {
      for (let i = 0; i < times; i++) expect(body).toThrow();
      expect(openFilesIn(path)).toEqual([]);
    };
    // Memory is refused once the file is open, or what is read is wrong.
    const log = join(path, nameOf('log-'));
    failing(() => new LogReader(log, -8), 3);
    const original = fs.readSync;
    fs.readSync = () => {
      throw new Error('not read');
    };
    try {
      failing(() => new LogReader(log), 3);
      failing(() => new DamagedFile(path, nameOf('segment-'), fs.statSync(log).size + 5000, engine), 3);
    } finally {
      fs.readSync = original;
    }
  });
});
