/** What verify says of the manifest, its backup, and files that change meanwhile; what opening makes good. */
import fs, { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { repairIndex } from '../../lib/storage/repair.ts';
import { verifyIndex } from '../../lib/storage/verify.ts';
import { batch, contentOf, named, pairsOfEngines, place } from './directories.ts';
import { killWriters, startWriter } from './other-writer.ts';

afterEach(() => {
  vi.restoreAllMocks();
  killWriters();
});

const manifestOf = (path: string) => join(path, 'MANIFEST');
const backupOf = (path: string) => join(path, 'MANIFEST.backup');
const parse = (file: string) => JSON.parse(readFileSync(file, 'utf8').split('\n', 1)[0] as string);
const isWhole = (path: string) => readFileSync(manifestOf(path)).equals(readFileSync(backupOf(path)));

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(file, bytes);
}

/** An index with a segment and a log. */
async function makeIndex(engine: Engine): Promise<string> {
  const path = place();
  const index = await HammingIndex.open(path, {}, engine);
  index.addBatch(batch(0, 1000).fingerprints, batch(0, 1000).ids);
  await index.checkpoint();
  index.add(1n, 1);
  index.close();
  return path;
}

/** The ways in which a backup can be wrong, and what is said of it. */
const BACKUPS: [string, (path: string) => void, RegExp][] = [
  ['damaged', (path) => flip(backupOf(path), 40), /its checksum differs/],
  ['cut', (path) => fs.truncateSync(backupOf(path), 100), /its checksum differs/],
  ['not there', (path) => rmSync(backupOf(path)), /it is not there/],
];

describe.each(named)('%s', (backend, engine) => {
  test('a log that lost records that were written is told by whoever has it open', async () => {
    const path = place();
    const index = await HammingIndex.open(path, {}, engine);
    for (let id = 0; id < 10; id++) index.add(BigInt(id), id);
    await index.flush();
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    const log = join(path, fs.readdirSync(path).find((name) => name.startsWith('log-')) as string);
    // 64 bytes of header, 32 for each record.
    fs.truncateSync(log, 64 + 5 * 32);
    const told = [{ file: log, section: 'file', message: 'it ends at byte 224, and 384 were written' }];
    expect(await index.verify()).toEqual(told);
    expect(await reader.verify()).toEqual(told);
    reader.close();
    index.close();
  });

  test.each(BACKUPS)('a backup that is %s is told, does no harm, and is renewed', async (_, damage, what) => {
    const path = await makeIndex(engine);
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    const told = [
      {
        file: backupOf(path),
        section: 'manifest',
        message: expect.stringMatching(
          new RegExp(`${what.source}; opening for writing and checkpoints renew it`),
        ),
      },
    ];
    damage(path);
    expect(await verifyIndex(path, engine)).toEqual(told);
    expect(await reader.verify()).toEqual(told);
    reader.close();
    const index = await HammingIndex.open(path, {}, engine);
    expect(isWhole(path)).toBe(true);
    expect(await index.verify()).toEqual([]);
    damage(path);
    expect(await index.verify()).toEqual(told);
    await index.checkpoint();
    expect(await index.verify()).toEqual([]);
    index.close();
    damage(path);
    expect(await repairIndex(path, engine)).toEqual({ entries: 1001, dropped: [] });
    expect(await verifyIndex(path, engine)).toEqual([]);
  });

  test('a backup of an older manifest is told; that it cannot be renewed is no reason not to open', async () => {
    const path = await makeIndex(engine);
    const stale = readFileSync(backupOf(path));
    const index = await HammingIndex.open(path, {}, engine);
    await index.checkpoint();
    index.close();
    writeFileSync(backupOf(path), stale);
    expect(await verifyIndex(path, engine)).toMatchObject([{ file: backupOf(path), section: 'manifest' }]);
    vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('EIO: i/o error, rename'), { code: 'EIO', syscall: 'rename' });
    });
    const opened = await HammingIndex.open(path, {}, engine);
    vi.restoreAllMocks();
    expect(opened.size).toBe(1001);
    opened.close();
    expect(readFileSync(backupOf(path)).equals(stale)).toBe(true);
  });

  test('an open index goes by the manifest on the disk', async () => {
    const path = await makeIndex(engine);
    const other = await makeIndex(engine);
    const older = place();
    cpSync(path, older, { recursive: true });
    const writer = await HammingIndex.open(path, {}, engine);
    await writer.checkpoint();
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    const right = readFileSync(manifestOf(path));
    for (const [damage, section, message] of [
      [() => flip(manifestOf(path), 50), 'manifest', 'its checksum differs'],
      [() => rmSync(manifestOf(path)), 'file', 'there is none'],
      [() => cpSync(manifestOf(older), manifestOf(path)), 'manifest', 'older'],
    ] as const) {
      damage();
      for (const index of [writer, reader]) {
        expect(await index.verify()).toMatchObject([
          { file: manifestOf(path), section, message: expect.stringContaining(message) },
        ]);
      }
      writeFileSync(manifestOf(path), right);
    }
    cpSync(manifestOf(other), manifestOf(path));
    expect(await writer.verify()).toMatchObject([
      { file: manifestOf(path), section: 'manifest', message: expect.stringContaining('another index') },
    ]);
    // Damage of the manifest hides none of what it names.
    const [segment] = fs.readdirSync(path).filter((name) => name.startsWith('segment-')) as [string];
    flip(join(path, segment), 5000);
    flip(manifestOf(path), 50);
    expect((await writer.verify()).map(({ file }) => file)).toEqual([manifestOf(path), join(path, segment)]);
    writer.close();
    reader.close();
  });

  test('no false alarms beside a writer in another process that makes checkpoints all the time', async () => {
    const path = place();
    const writer = await startWriter(path, backend);
    await writer.tell('add 100000000 3000');
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    let isOver = false;
    const over = writer.tell('churn 0 80').finally(() => {
      isOver = true;
    });
    let rounds = 0;
    const first = parse(manifestOf(path)).generation;
    for (; !isOver; rounds++) {
      expect(await verifyIndex(path, engine)).toEqual([]);
      expect(await reader.verify()).toEqual([]);
    }
    expect(await over).toBeGreaterThan(40_000);
    expect(parse(manifestOf(path)).generation).toBeGreaterThan(first + 150);
    expect(rounds).toBeGreaterThan(1);
    writer.end();
    await writer.ended;
    reader.close();
  });

  test('what is damaged is found beside such a writer as well', async () => {
    const path = place();
    const writer = await startWriter(path, backend);
    await writer.tell('add 100000000 70000');
    await writer.tell('compact 0 0');
    const files = fs.readdirSync(path).filter((name) => name.startsWith('segment-'));
    const size = (name: string) => fs.statSync(join(path, name)).size;
    const [large] = files.sort((a, b) => size(b) - size(a)) as [string];
    const damaged = join(path, `${large}.damaged`);
    cpSync(join(path, large), damaged);
    flip(damaged, size(large) - 1000);
    fs.renameSync(damaged, join(path, large));
    // The writer has the file mapped that was there before, and nine rounds do not replace it.
    const over = writer.tell('churn 0 9');
    const problems = await verifyIndex(path, engine);
    expect(problems).toMatchObject([{ file: join(path, large) }]);
    await over;
    writer.end();
    await writer.ended;
  });
});

test.each(pairsOfEngines)(
  'made by %s, opened by %s: a memory that is given is stored at once',
  async (_, __, a, b) => {
    const path = await makeIndex(a);
    const content = await (async () => {
      const index = await HammingIndex.open(path, { readOnly: true }, a);
      const held = await contentOf(index);
      index.close();
      return held;
    })();
    const { generation } = parse(manifestOf(path));
    for (const [i, memory] of (['fast', 40, 'compact'] as const).entries()) {
      const index = await HammingIndex.open(path, { memory }, b);
      expect(parse(manifestOf(path))).toMatchObject({ memory, generation: generation + i + 1 });
      expect(isWhole(path)).toBe(true);
      index.close();
      // Where it is the same, or not given, nothing is written.
      for (const options of [{ memory }, {}]) {
        const same = await HammingIndex.open(path, options, a);
        expect(await contentOf(same)).toEqual(content);
        same.close();
      }
      expect(parse(manifestOf(path))).toMatchObject({ memory, generation: generation + i + 1 });
      expect(await verifyIndex(path, a)).toEqual([]);
    }
  },
);
