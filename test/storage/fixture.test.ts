/**
 * Directories that version 1 of the format has written are read for ever: test/fixtures/index-1. They were made by
 * makeFixture, with NEARDUP_MAKE_FIXTURE=1; a later version of the format gets a directory of its own beside it.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { verifyIndex } from '../../lib/storage/verify.ts';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';

const fixtures = fileURLToPath(new URL('../fixtures/index-1/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'neardup-fixture-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Entries of the first segment, of the second, and in the log; each with every eleventh removed afterwards. */
const FIRST = 3000;
const SECOND = 40;
const LOGGED = 10;
const COUNT = FIRST + SECOND + LOGGED;

interface Entry {
  readonly fingerprint: bigint;
  readonly id: number;
  readonly time: number;
  readonly tag: number;
  readonly second: bigint;
}

/** What the fixtures hold, by what each was written from. Every fifth has the fingerprint of the one before it. */
function entriesOf(count: number): Entry[] {
  const fingerprints = randomKeys(count, 5);
  const secondFingerprints = randomKeys(count, 6);
  return Array.from({ length: count }, (_, i) => ({
    fingerprint: fingerprints[i % 5 === 4 ? i - 1 : i] as bigint,
    id: i % 7 === 0 ? i + 2 ** 40 : i,
    time: 1_700_000_000_000 + (i % 100),
    tag: i % 3,
    second: secondFingerprints[i] as bigint,
  }));
}

const entries = entriesOf(COUNT);
const isRemoved = (i: number) => i % 11 === 0;
const held = entries.filter((_, i) => !isRemoved(i));

async function makeFixture(path: string, hasColumns: boolean, engine: Engine): Promise<void> {
  const columns = { times: hasColumns, tags: hasColumns, secondFingerprints: hasColumns };
  const index = await HammingIndex.open(path, { maxDistance: 3, memory: 'fast', ...columns }, engine);
  const add = (from: number, to: number) => {
    const some = entries.slice(from, to);
    const { length } = some;
    const column = <T>(of: (entry: Entry) => T) => Array.from({ length }, (_, i) => of(some[i] as Entry));
    index.addBatch(
      BigUint64Array.from(column((entry) => entry.fingerprint)),
      column((entry) => entry.id),
      {
        times: hasColumns ? column((entry) => entry.time) : undefined,
        tags: hasColumns ? column((entry) => entry.tag) : undefined,
        secondFingerprints: hasColumns ? BigUint64Array.from(column((entry) => entry.second)) : undefined,
      },
    );
  };
  const remove = (from: number, to: number) => {
    for (const [i, { fingerprint, id }] of entries.entries()) {
      if (from <= i && i < to && isRemoved(i)) index.remove(fingerprint, id);
    }
  };
  add(0, FIRST);
  await index.compact();
  remove(0, FIRST);
  add(FIRST, FIRST + SECOND);
  await index.checkpoint();
  add(FIRST + SECOND, COUNT);
  remove(FIRST, COUNT);
  index.close();
}

const KINDS = [
  { name: 'native', backend: 'native', hasColumns: false },
  { name: 'native-columns', backend: 'native', hasColumns: true },
  { name: 'js', backend: 'js', hasColumns: false },
  { name: 'js-columns', backend: 'js', hasColumns: true },
];

if (process.env.NEARDUP_MAKE_FIXTURE !== undefined) {
  test.each(KINDS)('making $name', async ({ name, backend, hasColumns }) => {
    const engine = engines.find((one) => one.backend === backend) as Engine;
    rmSync(join(fixtures, name), { recursive: true, force: true });
    await makeFixture(join(fixtures, name), hasColumns, engine);
    rmSync(join(fixtures, name, 'LOCK'), { force: true });
  });
}

async function readAll(index: HammingIndex): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const { fingerprints, ids, times, tags, secondFingerprints } of index.entries()) {
    for (const [i, id] of ids.entries()) {
      all.push({
        fingerprint: fingerprints[i] as bigint,
        id,
        time: times?.[i] ?? 0,
        tag: tags?.[i] ?? 0,
        second: secondFingerprints?.[i] ?? 0n,
      });
    }
  }
  return all.sort((a, b) => a.id - b.id);
}

function expected(hasColumns: boolean): Entry[] {
  const all = hasColumns ? held : held.map((entry) => ({ ...entry, time: 0, tag: 0, second: 0n }));
  return [...all].sort((a, b) => a.id - b.id);
}

describe.each(engines)('the $backend engine', (engine) => {
  test.each(KINDS)('reads what $name has written', async ({ name, hasColumns }) => {
    const path = join(fixtures, name);
    expect(existsSync(join(path, 'MANIFEST'))).toBe(true);
    expect(await verifyIndex(path, engine)).toEqual([]);
    const index = await HammingIndex.open(path, { readOnly: true }, engine);
    expect(index.size).toBe(held.length);
    for (const { fingerprint, id } of held.slice(0, 300)) {
      expect(index.query(fingerprint)).toContainEqual({ id, distance: 0 });
      expect(index.query(fingerprint ^ 0x8000_0000_0100_0001n)).toContainEqual({ id, distance: 3 });
    }
    expect(await readAll(index)).toEqual(expected(hasColumns));
    index.close();
  });

  test.each(KINDS)('goes on with what $name has written', async ({ name, hasColumns }) => {
    const path = join(folder, `${engine.backend}-${name}`);
    cpSync(join(fixtures, name), path, { recursive: true });
    const index = await HammingIndex.open(path, {}, engine);
    const [first] = expected(hasColumns) as [Entry];
    index.remove(first.fingerprint, first.id);
    await index.checkpoint();
    index.close();
    for (const reader of engines) {
      const again = await HammingIndex.open(path, { readOnly: true }, reader);
      expect(await readAll(again)).toEqual(expected(hasColumns).slice(1));
      again.close();
    }
  });
});
