/** Segments of the native index in files: written, mapped, adopted; damaged files and hostile arguments. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { EntryBatch, IndexColumns } from '../../lib/engine.ts';
import type { CheckpointPart, SegmentPayload } from '../../lib/engine-storage.ts';
import { createNativeEngine, type NativeEngine } from '../../lib/native/engine.ts';
import { loadAddon } from '../../lib/native/loader.ts';
import { checkWhole } from '../engines.ts';

const { addon } = loadAddon();
const engine = addon === undefined ? undefined : createNativeEngine(addon, undefined);
const native = engine as NativeEngine;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'neardup-storage-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const BLOCK = 1 << 20;
const OFFSET = 4096;
const ALL: IndexColumns = { time: true, tag: true, second: true };
const NONE: IndexColumns = { time: false, tag: false, second: false };

let files = 0;

/** A file of these payload bytes. */
function fileOf(bytes: Uint8Array, checksums = checksumsOf(bytes)): SegmentPayload {
  const name = `segment-${++files}`;
  const target = path.join(folder, name);
  fs.writeFileSync(target, Buffer.concat([Buffer.alloc(OFFSET), bytes]));
  const read = () => {
    throw new Error('the native engine maps');
  };
  return { name, path: target, offset: OFFSET, length: bytes.length, checksums, read };
}

function checksumsOf(bytes: Uint8Array): BigUint64Array {
  const checksums = new BigUint64Array(Math.ceil(bytes.length / BLOCK));
  for (let i = 0; i < checksums.length; i++) {
    checksums[i] = native.hashBytes(bytes.subarray(i * BLOCK, (i + 1) * BLOCK), 0n);
  }
  return checksums;
}

function payloadOf(part: CheckpointPart): Uint8Array {
  const bytes = new Uint8Array(part.length());
  for (let at = 0; at < bytes.length; at += 100_000) part.read(at, bytes.subarray(at, at + 100_000));
  return bytes;
}

function entriesOf(count: number, columns: IndexColumns, seed = 1): EntryBatch {
  let state = BigInt(seed);
  const next = () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return state ^ (state >> 29n);
  };
  const fingerprints = BigUint64Array.from({ length: count }, next);
  for (let i = 1; i < count; i += 3)
    fingerprints[i] = (fingerprints[i - 1] as bigint) ^ (1n << BigInt(i % 64));
  return {
    fingerprints,
    ids: Float64Array.from({ length: count }, (_, i) => (i % 5 === 0 ? i - 1 + +(i === 0) : i)),
    ...(columns.time && { times: Float64Array.from({ length: count }, (_, i) => i % 100) }),
    ...(columns.tag && { tags: Uint32Array.from({ length: count }, (_, i) => i % 3) }),
    ...(columns.second && { secondFingerprints: BigUint64Array.from({ length: count }, next) }),
  };
}

type Index = ReturnType<NativeEngine['createIndex']>;

async function listed(index: Index): Promise<unknown[]> {
  const cursor = index.entries();
  const batches: unknown[] = [];
  for (;;) {
    const batch = await cursor.next().result;
    if (batch === undefined) return batches;
    batches.push(batch);
  }
}

/** Writes all parts without a name, adopts the files, and gives what is to be opened. */
function store(index: Index): { file: SegmentPayload; removed: Uint8Array | undefined }[] {
  const checkpoint = index.checkpoint();
  const stored = checkpoint.parts.map((part) => {
    const file = fileOf(payloadOf(part));
    part.adopt(file);
    return { file, removed: part.removed() };
  });
  checkpoint.close();
  return stored;
}

function reopened(stored: ReturnType<typeof store>, columns: IndexColumns, headEntries?: number): Index {
  const index = native.createIndex({ maxDistance: 3, columns, ...(headEntries && { headEntries }) });
  for (const { file, removed } of stored) index.openSegment(file, removed);
  return index;
}

function errorOf(call: () => unknown): { code?: string; message: string } {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  return { message: 'no error' };
}

describe.skipIf(engine === undefined)('the native index in files', () => {
  test.each([
    ['without columns', NONE],
    ['with columns', ALL],
  ])('what is opened is what was held, %s', async (_, columns) => {
    const index = native.createIndex({ maxDistance: 3, columns, headEntries: 2000 });
    const large = entriesOf(30_000, columns);
    index.addBatch(large);
    index.addBatch(entriesOf(300, columns, 2));
    index.removeBatch(large.fingerprints.slice(0, 100), large.ids.slice(0, 100));
    const before = await listed(index);
    const bytes = index.stats().bytes;
    const stored = store(index);
    expect(index.stats().mappedBytes).toBeGreaterThan(100_000);
    expect(index.stats().bytes).toBeLessThan(bytes / 2);
    expect(await listed(index)).toEqual(before);
    for (const { file } of stored) checkWhole(native, file, columns);

    const opened = reopened(stored, columns, 2000);
    expect(opened.size).toBe(index.size);
    expect(await listed(opened)).toEqual(before);
    const queries = { fingerprints: large.fingerprints.slice(0, 2000) };
    for (const distance of [1, 3, 5]) {
      const search = { distance, limit: Infinity };
      expect(opened.queryBatch(queries, search)).toEqual(index.queryBatch(queries, search));
    }
    const again = opened.checkpoint();
    expect(again.parts.map((part) => part.name)).toContain(stored[0]?.file.name);
    again.close();
    await opened.compact().result;
    expect(opened.stats().mappedBytes).toBe(0);
    expect(await listed(opened)).toEqual(before);
    opened.close();
    index.close();
  });

  test('removed slots of a mapped segment are told by the next checkpoint', () => {
    const index = native.createIndex({ maxDistance: 3, headEntries: 1000 });
    const entries = entriesOf(5000, NONE);
    index.addBatch(entries);
    store(index);
    index.removeBatch(entries.fingerprints.slice(7, 20), entries.ids.slice(7, 20));
    const checkpoint = index.checkpoint();
    const part = checkpoint.parts[0] as CheckpointPart;
    expect(part.name).toBeDefined();
    const ones = (part.removed() as Uint8Array).reduce(
      (sum, byte) => sum + byte.toString(2).replaceAll('0', '').length,
      0,
    );
    expect(ones).toBe(5000 - index.size);
    expect(part.entries).toBe(index.size);
    checkpoint.close();
    expect(errorOf(() => part.length()).code).toBe('ERR_NEARDUP_CLOSED');
  });

  test('a damaged segment answers queries, and fails what needs the whole, naming the file', async () => {
    const index = native.createIndex({ maxDistance: 3, headEntries: 1000 });
    index.addBatch(entriesOf(200_000, NONE));
    const checkpoint = index.checkpoint();
    const bytes = payloadOf(checkpoint.parts[0] as CheckpointPart);
    const checksums = checksumsOf(bytes);
    checkpoint.close();
    expect(bytes.length).toBeGreaterThan(3 * BLOCK);
    bytes[2 * BLOCK + 5] = (bytes[2 * BLOCK + 5] as number) ^ 64;
    const file = fileOf(bytes, checksums);
    const opened = native.createIndex({ maxDistance: 3, headEntries: 1000 });
    opened.openSegment(file);
    opened.addBatch(entriesOf(5000, NONE, 3));
    const found = opened.queryBatch(
      { fingerprints: entriesOf(100, NONE, 3).fingerprints },
      { distance: 3, limit: 9 },
    );
    expect(found.ids.length).toBeGreaterThan(100);
    for (const failing of [
      () => opened.compact().result,
      () => listed(opened),
      () => opened.pairs({ distance: 2, limit: 9 }).next().result,
    ]) {
      await expect(failing()).rejects.toMatchObject({
        code: 'ERR_NEARDUP_CORRUPT',
        message: expect.stringContaining(file.path),
      });
    }
    const scan = errorOf(() =>
      opened.queryBatch({ fingerprints: new BigUint64Array(1) }, { distance: 9, limit: 9 }),
    );
    expect(scan.code).toBe('ERR_NEARDUP_CORRUPT');
    // That the checksums are right is for the caller to see; what the tables say is wrong as well.
    expect(errorOf(() => checkWhole(native, file, NONE)).message).toMatch(/is corrupt: table \d+: /);
    // Merges of what else there is go on.
    for (let seed = 10; seed < 30; seed++) opened.addBatch(entriesOf(1500, NONE, seed));
    for (let wait = 0; wait < 1000 && opened.stats().merging; wait++)
      await new Promise((done) => setTimeout(done, 5));
    expect(opened.stats().merging).toBe(false);
    expect(opened.stats().segments.length).toBeLessThan(12);
    opened.close();
    index.close();
  });

  test('a head or a description that is damaged is refused at once', () => {
    const index = native.createIndex({ maxDistance: 3, headEntries: 1000 });
    index.addBatch(entriesOf(2000, NONE));
    const checkpoint = index.checkpoint();
    const bytes = payloadOf(checkpoint.parts[0] as CheckpointPart);
    checkpoint.close();
    const empty = native.createIndex({ maxDistance: 3 });
    const refused = (file: SegmentPayload) => errorOf(() => empty.openSegment(file));
    const flipped = bytes.slice();
    flipped[100] = (flipped[100] as number) ^ 1;
    expect(refused(fileOf(flipped, checksumsOf(bytes))).code).toBe('ERR_NEARDUP_CORRUPT');
    expect(refused({ ...fileOf(bytes), length: bytes.length + 1 }).code).toBe('ERR_NEARDUP_CORRUPT');
    expect(refused({ ...fileOf(bytes), path: path.join(folder, 'missing') }).code).toBe('ERR_NEARDUP_IO');
    expect(refused({ ...fileOf(bytes), checksums: new BigUint64Array(9) }).code).toBe('ERR_NEARDUP_CORRUPT');
    expect(refused({ ...fileOf(bytes), offset: 5 }).code).toBe('ERR_NEARDUP_OUT_OF_RANGE');
    expect(errorOf(() => empty.openSegment(fileOf(bytes), new Uint8Array(9999).fill(255))).code).toBe(
      'ERR_NEARDUP_CORRUPT',
    );
    expect(empty.size).toBe(0);
    empty.openSegment(fileOf(bytes));
    expect(empty.size).toBe(2000);
  });

  test('no value crashes it', () => {
    const index = native.createIndex({ maxDistance: 3 });
    index.addBatch(entriesOf(10, NONE));
    const { parts } = index.checkpoint();
    const part = parts[0] as CheckpointPart;
    const throwing = new Proxy(
      {},
      {
        get: () => {
          throw new RangeError('no');
        },
      },
    );
    for (const value of [
      undefined,
      null,
      1,
      'a',
      {},
      [],
      throwing,
      new Uint8Array(3),
      { name: 1, path: [], offset: {} },
    ]) {
      const hostile = value as never;
      expect(errorOf(() => index.openSegment(hostile)).message).not.toBe('no error');
      expect(errorOf(() => checkWhole(native, hostile, hostile)).message).not.toBe('no error');
      expect(errorOf(() => part.read(hostile, hostile)).message).not.toBe('no error');
      expect(errorOf(() => part.adopt(hostile)).message).not.toBe('no error');
    }
    const file = fileOf(new Uint8Array(64));
    for (const offset of [-1, NaN, Infinity, 2 ** 52]) {
      expect(errorOf(() => index.openSegment({ ...file, offset })).message).not.toBe('no error');
      expect(errorOf(() => index.openSegment({ ...file, length: offset })).message).not.toBe('no error');
    }
    expect(errorOf(() => index.openSegment(file, 5 as never)).code).toBe('ERR_NEARDUP_INVALID_TYPE');
    expect(errorOf(() => part.read(1e9, new Uint8Array(1))).code).toBe('ERR_NEARDUP_OUT_OF_RANGE');
    index.close();
    expect(errorOf(() => index.openSegment(file)).code).toBe('ERR_NEARDUP_CLOSED');
    part.adopt(file);
  });
});
