/** What an index must not take for its own, nor for damage: other directories, locks of the living, passing failures. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { makeError } from '../../lib/errors.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { crc32 } from '../../lib/storage/crc32.ts';
import { lockDirectory } from '../../lib/storage/directory-lock.ts';
import { repairIndex } from '../../lib/storage/repair.ts';
import { tsEngine } from '../../lib/ts/engine.ts';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';
import { type FsCall, interceptFs, systemError } from './intercepted-fs.ts';

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'neardup-foreign-')));
const cwd = process.cwd();
let restore = () => {};
afterEach(() => {
  restore();
  restore = () => {};
  process.chdir(cwd);
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

let made = 0;
function place(): string {
  const path = join(folder, String(made++));
  fs.mkdirSync(path);
  return path;
}

function add(index: HammingIndex, count: number, from = 0): void {
  const ids = Float64Array.from({ length: count }, (_, i) => from + i);
  index.addBatch(randomKeys(count, from + 1), ids);
}

async function sizeOf(path: string): Promise<number> {
  const index = await HammingIndex.open(path, { readOnly: true, create: false });
  expect(await index.verify()).toEqual([]);
  const { size } = index;
  index.close();
  return size;
}

/** The bytes of all files but the lock. */
function filesOf(path: string): Map<string, string> {
  const names = fs.readdirSync(path).filter((name) => !name.startsWith('LOCK'));
  return new Map(names.sort().map((name) => [name, fs.readFileSync(join(path, name), 'hex')]));
}

const named = (path: string, kind: string) =>
  join(path, fs.readdirSync(path).find((name) => name.startsWith(kind)) as string);

test.each(engines)('$backend: a relative path is that of the moment when it was opened', async (engine) => {
  const [a, b] = [place(), place()];
  process.chdir(b);
  const other = await HammingIndex.open('index', {}, engine);
  add(other, 1000);
  other.close();
  process.chdir(a);
  const index = await HammingIndex.open('index', {}, engine);
  add(index, 5);
  process.chdir(b);
  await index.checkpoint();
  await index.snapshot('copy');
  expect(index.path).toBe(join(a, 'index'));
  index.close();
  expect(await sizeOf(join(a, 'index'))).toBe(5);
  expect(await sizeOf(join(b, 'index'))).toBe(1000);
  expect(await sizeOf(join(b, 'copy'))).toBe(5);
});

test.each(engines)(
  '$backend: a directory made anew in the place of one that was renamed is left alone',
  async (engine) => {
    const path = join(place(), 'index');
    const first = await HammingIndex.open(path, {}, engine);
    add(first, 5);
    fs.renameSync(path, `${path}-old`);
    await expect(first.flush()).rejects.toMatchObject({ code: 'ERR_NEARDUP_LOCKED' });
    const second = await HammingIndex.open(path, { sync: 'always' }, engine);
    add(second, 1000, 10);
    await expect(first.checkpoint()).rejects.toMatchObject({ code: 'ERR_NEARDUP_LOCKED' });
    first.close();
    second.add(1n, 1);
    await second.flush();
    second.close();
    expect(await sizeOf(path)).toBe(1001);
    expect(await sizeOf(`${path}-old`)).toBe(5);
  },
);

/** An index with a segment, removed entries of it, and a log. */
async function makeIndex(): Promise<string> {
  const path = place();
  const index = await HammingIndex.open(path, { maxDistance: 8 });
  add(index, 3000);
  await index.checkpoint();
  for (let id = 0; id < 10; id++) index.remove(randomKeys(3000, 1)[id] as bigint, id);
  await index.checkpoint();
  add(index, 100, 5000);
  index.close();
  return path;
}

test.each([
  ['EIO', 'readSync'],
  ['EIO', 'openSync'],
  ['EIO', 'fstatSync'],
  ['EACCES', 'openSync'],
] as const)('repair takes %s of %s for no damage, at any call', async (code, call) => {
  const path = await makeIndex();
  const before = filesOf(path);
  // Something to repair.
  const log = fs.readFileSync(named(path, 'log-'));
  fs.writeFileSync(named(path, 'log-'), log.subarray(0, log.length - 3));
  const damaged = filesOf(path);
  let failures = 0;
  for (let at = 0; ; at++) {
    let calls = 0;
    let isHit = false;
    restore = interceptFs((name: FsCall, args, real) => {
      const isMeant =
        name === call && !String(args[0]).startsWith('/proc') && !String(args[0]).includes('LOCK');
      if (!isMeant || isHit || calls++ < at) return real(...args);
      isHit = true;
      throw systemError(code, name);
    });
    const error = await repairIndex(path).catch((thrown) => thrown);
    restore();
    if (!isHit) break;
    if (error instanceof Error) {
      failures++;
      expect(error).toMatchObject({ code: 'ERR_NEARDUP_IO' });
      // Segments and logs are there as they were; only the manifest may be the new one, where syncing it failed.
      const left = filesOf(path);
      for (const [name, bytes] of damaged) {
        if (!name.startsWith('MANIFEST')) expect(left.get(name), `${call} ${at}: ${name}`).toBe(bytes);
      }
      expect((await repairIndex(path)).entries).toBe(2990);
    }
    for (const name of fs.readdirSync(path)) if (!before.has(name)) fs.rmSync(join(path, name));
    for (const [name, bytes] of damaged) fs.writeFileSync(join(path, name), Buffer.from(bytes, 'hex'));
  }
  expect(failures).toBeGreaterThan(1);
  const { entries } = await repairIndex(path);
  // Only the record that is cut off is lost.
  expect(entries).toBe(2990);
});

test('repair takes refused memory for no damage', async () => {
  const path = await makeIndex();
  const log = fs.readFileSync(named(path, 'log-'));
  fs.writeFileSync(named(path, 'log-'), log.subarray(0, log.length - 3));
  const before = filesOf(path);
  const refusing = {
    ...tsEngine,
    hashBytes: tsEngine.hashBytes,
    checkSegment: tsEngine.checkSegment,
    createIndex: (options: Parameters<typeof tsEngine.createIndex>[0]) => {
      const index = tsEngine.createIndex(options);
      index.openSegment = () => {
        throw makeError('ERR_NEARDUP_OUT_OF_MEMORY', 'out of memory');
      };
      return index;
    },
  };
  await expect(repairIndex(path, refusing)).rejects.toMatchObject({ code: 'ERR_NEARDUP_OUT_OF_MEMORY' });
  expect(filesOf(path)).toEqual(before);
});

test('repair leaves what a later release has written', async () => {
  const path = await makeIndex();
  const name = named(path, 'log-');
  const log = fs.readFileSync(name);
  log.writeUInt32LE(2, 8);
  log.writeUInt32LE(crc32(log, 0, 60, 0), 60);
  fs.writeFileSync(name, log);
  const before = filesOf(path);
  await expect(repairIndex(path)).rejects.toMatchObject({ code: 'ERR_NEARDUP_UNSUPPORTED' });
  expect(filesOf(path)).toEqual(before);
});

test('repair with a damaged manifest does not go by a backup whose files are gone', async () => {
  const path = await makeIndex();
  const stale = fs.readFileSync(join(path, 'MANIFEST.backup'));
  const index = await HammingIndex.open(path);
  add(index, 200, 9000);
  await index.compact();
  index.close();
  fs.writeFileSync(join(path, 'MANIFEST.backup'), stale);
  fs.writeFileSync(join(path, 'MANIFEST'), 'lost');
  const { entries } = await repairIndex(path);
  expect(entries).toBe(3290);
  const again = await HammingIndex.open(path);
  // What no file but the backup says.
  expect([again.size, again.maxDistance]).toEqual([3290, 8]);
  again.close();
});

test('a file of another kind is no log that was left over', async () => {
  const path = place();
  fs.writeFileSync(join(path, 'log-9'), 'my own diary');
  await expect(HammingIndex.open(path)).rejects.toMatchObject({ code: 'ERR_NEARDUP_CORRUPT' });
  expect(fs.readFileSync(join(path, 'log-9'), 'utf8')).toBe('my own diary');
});

test('a snapshot that fails leaves what others have put beside it', async () => {
  const backups = join(place(), 'backups');
  const index = await HammingIndex.open(place());
  add(index, 100);
  restore = interceptFs((name, args, call) => {
    if (name !== 'linkSync' || !String(args[1]).includes('mine')) return call(...args);
    fs.mkdirSync(join(backups, 'theirs'));
    throw systemError('ENOSPC', name);
  });
  await expect(index.snapshot(join(backups, 'mine'))).rejects.toMatchObject({ code: 'ERR_NEARDUP_IO' });
  expect(fs.readdirSync(backups)).toEqual(['theirs']);
  index.close();
});

test('the lock of a process is kept where the system hides it, and not that of one that has ended', async () => {
  const path = place();
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
  try {
    const stat = fs.readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const owner = `${child.pid} ${child.pid} ${fields[19]} other`;
    const seen = (answer: (() => string) | undefined) => {
      fs.writeFileSync(join(path, 'LOCK'), owner);
      restore = interceptFs((name, args, call) => {
        if (answer === undefined || name !== 'readFileSync' || args[0] !== `/proc/${child.pid}/stat`)
          return call(...args);
        return answer();
      });
      try {
        lockDirectory(path, tsEngine).release();
        return 'taken over';
      } catch (error) {
        return (error as { code?: string }).code;
      } finally {
        restore();
      }
    };
    expect(seen(undefined)).toBe('ERR_NEARDUP_LOCKED');
    const hidden = () => {
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open' });
    };
    expect(seen(hidden)).toBe('ERR_NEARDUP_LOCKED');
    const ended = (threads: number) => () =>
      stat.replace(/\) \w ((?:\S+ ){16})\d+/, (_, between) => `) Z ${between}${threads}`);
    expect(seen(ended(2))).toBe('ERR_NEARDUP_LOCKED');
    expect(seen(ended(1))).toBe('taken over');
  } finally {
    child.kill();
  }
});

test.each(engines)(
  '$backend: a load that cannot be written says that its entries are held',
  async (engine) => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    restore = interceptFs((name, args, call) => {
      if (name === 'openSync' && String(args[0]).includes('segment-')) throw systemError('ENOSPC', name);
      return call(...args);
    });
    const batch = { fingerprints: randomKeys(10, 1), ids: Float64Array.from({ length: 10 }, (_, i) => i) };
    await expect(index.load([batch])).rejects.toThrow(/what was added is held/);
    restore();
    expect(index.size).toBe(10);
    await index.flush();
    index.close();
    expect(await sizeOf(path)).toBe(10);
  },
);

test.each(engines)(
  '$backend: a reader does not go on with an index that was made in another way',
  async (engine) => {
    const path = place();
    (await HammingIndex.open(path, { tags: true }, engine)).close();
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    fs.rmSync(path, { recursive: true });
    const other = await HammingIndex.open(path, {}, engine);
    add(other, 10);
    await expect(reader.refresh()).rejects.toMatchObject({ code: 'ERR_NEARDUP_OUT_OF_RANGE' });
    expect(reader.size).toBe(0);
    reader.close();
    other.close();
  },
);
