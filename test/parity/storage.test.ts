/** Segments in files: each engine opens what either wrote, and all verbs give the same. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine, EngineIndex, IndexColumns, IndexOptions, SegmentPayload } from '../../lib/engine.ts';
import { checkWhole, engines, nativeEngine } from '../engines.ts';
import { collect, Random } from '../index/collections.ts';
import {
  ALL_COLUMNS,
  batchesOf,
  batchOf,
  type Entry,
  entriesIn,
  entriesOf,
  NO_COLUMNS,
  pairsIn,
} from '../index/entries.ts';

const BLOCK = 2 ** 20;
const OFFSET = 4096;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'neardup-parity-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
let files = 0;

/** A segment file, without what lib/storage puts around the payload. */
function fileOf(bytes: Uint8Array): SegmentPayload {
  const name = `segment-${++files}`;
  const file = path.join(folder, name);
  fs.writeFileSync(file, Buffer.concat([Buffer.alloc(OFFSET), bytes]));
  const [engine] = engines as [Engine];
  const checksums = BigUint64Array.from({ length: Math.ceil(bytes.length / BLOCK) }, (_, i) =>
    engine.hashBytes(bytes.subarray(i * BLOCK, (i + 1) * BLOCK), 0n),
  );
  const read = (offset: number, out: Uint8Array) => {
    if (offset < 0 || offset + out.length > bytes.length)
      throw new Error(`read of ${offset} + ${out.length}`);
    out.set(bytes.subarray(offset, offset + out.length));
  };
  return { name, path: file, offset: OFFSET, length: bytes.length, checksums, read };
}

interface Stored {
  readonly file: SegmentPayload;
  readonly removed: Uint8Array | undefined;
}

/** What a checkpoint holds, written and adopted; `before` are files of names that it may give. */
function store(index: EngineIndex, before: readonly Stored[] = []): Stored[] {
  const checkpoint = index.checkpoint();
  const stored = checkpoint.parts.map((part) => {
    const known = before.find(({ file }) => file.name === part.name)?.file;
    if (known !== undefined) return { file: known, removed: part.removed() };
    expect(part.name).toBeUndefined();
    const bytes = new Uint8Array(part.length());
    for (let at = 0; at < bytes.length; at += 100_001) part.read(at, bytes.subarray(at, at + 100_001));
    const file = fileOf(bytes);
    const removed = part.removed();
    part.adopt(file);
    return { file, removed };
  });
  checkpoint.close();
  return stored;
}

/** Whether a file has tables. */
function hasTables({ file }: Stored): boolean {
  const layout = new Uint8Array(1);
  file.read(0, layout);
  return layout[0] === 2;
}

function open(engine: Engine, options: IndexOptions, stored: readonly Stored[]): EngineIndex {
  const index = engine.createIndex(options);
  for (const { file, removed } of stored) index.openSegment(file, removed);
  return index;
}

/** What all verbs that only read give. */
async function answers(index: EngineIndex, asked: readonly Entry[], columns: IndexColumns) {
  const { fingerprints, tags, secondFingerprints } = batchOf(asked);
  const near = fingerprints.map((fingerprint, i) => fingerprint ^ (1n << BigInt(i % 64)));
  const queries = [1, 3, 9].map((distance) => {
    const filters = {
      ...(columns.tag && tags && { tags }),
      ...(columns.second && secondFingerprints && { secondFingerprints }),
    };
    return index.queryBatch(
      { fingerprints: near, ...filters },
      {
        distance,
        limit: 20,
        ...(columns.second && { secondDistance: 30 }),
        ...(columns.time && { since: 10 * 2 ** 40 }),
      },
    );
  });
  return {
    size: index.size,
    entries: entriesIn(await batchesOf(index.entries())),
    pairs: pairsIn(await batchesOf(index.pairs({ distance: 3, limit: 3 }))),
    queries,
  };
}

/** Verbs on `index`, put beside those of an index of the same engine in memory. */
async function compare(
  engine: Engine,
  index: EngineIndex,
  options: IndexOptions,
  entries: readonly Entry[],
): Promise<void> {
  const { columns = NO_COLUMNS } = options;
  const inMemory = engine.createIndex(options);
  inMemory.addBatch(batchOf(entries, columns));
  const asked = entries.filter((_, i) => i % 97 === 0);
  expect(await answers(index, asked, columns)).toEqual(await answers(inMemory, asked, columns));
  inMemory.close();
}

const COLUMN_SETS: IndexColumns[] = [
  NO_COLUMNS,
  { time: true, tag: false, second: false },
  { time: false, tag: true, second: false },
  { time: false, tag: false, second: true },
  ALL_COLUMNS,
];

describe.each(engines)('written by the $backend engine', (writer) => {
  describe.each(engines)('opened by the $backend engine', (reader) => {
    test.each(COLUMN_SETS)('with columns %o', async (columns) => {
      const options = { maxDistance: 3, columns, headEntries: 256 };
      const all = entriesOf('planted', 12_000, 3);
      const index = writer.createIndex(options);
      index.addBatch(batchOf(all.slice(0, 10_000), columns));
      index.addBatch(batchOf(all.slice(10_000, 11_900), columns));
      index.addBatch(batchOf(all.slice(11_900), columns));
      const gone = all.filter((_, i) => i % 50 === 7);
      const { fingerprints, ids } = batchOf(gone);
      // Some before the files are written, some after.
      index.removeBatch(fingerprints.slice(0, 100), ids.slice(0, 100));
      const first = store(index);
      index.removeBatch(fingerprints, ids);
      const stored = store(index, first);
      if (writer === nativeEngine) expect(stored.some(hasTables)).toBe(true);
      for (const { file } of stored) checkWhole(reader, file, columns);
      const isGone = new Set(gone.map(({ fingerprint, id }) => `${fingerprint} ${id}`));
      const kept = all.filter(({ fingerprint, id }) => !isGone.has(`${fingerprint} ${id}`));

      const opened = open(reader, options, stored);
      await compare(reader, opened, options, kept);

      // It goes on as any index does: more comes, more goes, and it is stored and opened again.
      const more = entriesOf('planted', 500, 4);
      opened.addBatch(batchOf(more, columns));
      const late = batchOf(kept.slice(40, 90));
      opened.removeBatch(late.fingerprints, late.ids);
      const isLate = new Set(kept.slice(40, 90).map(({ fingerprint, id }) => `${fingerprint} ${id}`));
      const last = [...kept, ...more].filter(({ fingerprint, id }) => !isLate.has(`${fingerprint} ${id}`));
      await compare(reader, open(writer, options, store(opened, stored)), options, last);
      await compare(reader, opened, options, last);
      await opened.compact().result;
      await compare(reader, opened, options, last);
      opened.close();
      index.close();
    });
  });
});

/** Whether this process has a file mapped, where the system tells. */
const isMapped = (file: string): boolean =>
  fs.existsSync('/proc/self/maps') && fs.readFileSync('/proc/self/maps', 'utf8').includes(file);

describe.each(engines)('a check by the $backend engine', (engine) => {
  test.each([NO_COLUMNS, ALL_COLUMNS])('is done in steps, and ends where it is given up: %o', (columns) => {
    for (const writer of engines) {
      const index = writer.createIndex({ maxDistance: 3, columns });
      for (const collection of ['uniform', '30 % identical', 'all equal']) {
        index.addBatch(batchOf(entriesOf(collection, 50_000, 1), columns));
      }
      const stored = store(index);
      index.close();
      let steps = 0;
      for (const { file } of stored) {
        steps += checkWhole(engine, file, columns);
        const check = engine.checkSegment(file, columns)[Symbol.iterator]();
        expect(check.next().done).toBe(false);
        expect(isMapped(file.path)).toBe(engine === nativeEngine && fs.existsSync('/proc/self/maps'));
        check.return?.();
        expect(isMapped(file.path)).toBe(false);
        expect(check.next().done).toBe(true);
      }
      // No step looks at more entries.
      expect(steps).toBeGreaterThan(150_000 / 2 ** 15 - 1);
    }
  });
});

describe.skipIf(nativeEngine === undefined)('tables of all kinds', () => {
  const native = nativeEngine as Engine;
  const [js] = engines.filter(({ backend }) => backend === 'js') as [Engine];

  /** What the description says of the plan: tables, codes, and whether bits are reordered. */
  function planOf({ file }: Stored) {
    const bytes = new Uint8Array(file.length);
    file.read(0, bytes);
    const view = new DataView(bytes.buffer);
    const word = (i: number) => Number(view.getBigUint64(8 * i, true));
    const tables = word(16);
    const ranges = word(17);
    const codes = word(19 + ranges);
    return {
      tables,
      codes: Array.from({ length: codes }, (_, i) => word(20 + ranges + i)),
      isOrdered: bytes.subarray(64, 128).some((byte) => byte !== 0),
    };
  }

  test('are read by the js engine', async () => {
    const plans: ReturnType<typeof planOf>[] = [];
    for (const [name, maxDistance, bytesPerEntry] of [
      ['uniform', 1, 0],
      ['uniform', 3, 0],
      ['uniform', 6, Number.POSITIVE_INFINITY],
      ['uniform', 10, 0],
      ['templates with 0..6 flips', 3, 0],
      ['planted', 10, Number.POSITIVE_INFINITY],
    ] as const) {
      const options = { maxDistance, bytesPerEntry, headEntries: 256 };
      const fingerprints = BigUint64Array.from(collect(name, 60_000, maxDistance));
      const index = native.createIndex(options);
      index.addBatch({ fingerprints, ids: Float64Array.from(fingerprints, (_, i) => (i * 7919) % 50_000) });
      const stored = store(index);
      plans.push(...stored.filter(hasTables).map(planOf));
      for (const { file } of stored) checkWhole(js, file, NO_COLUMNS);
      const opened = open(js, options, stored);
      const found = await batchesOf(opened.entries());
      expect(entriesIn(found)).toEqual(entriesIn(await batchesOf(index.entries())));
      index.close();
    }
    expect(plans.length).toBe(6);
    expect(plans.some(({ codes }) => codes.length > 0)).toBe(true);
    expect(plans.some(({ isOrdered }) => isOrdered)).toBe(true);
    expect(plans.some(({ tables }) => tables > 4)).toBe(true);
  });
});

describe.skipIf(nativeEngine === undefined)('payloads that are not what was written', () => {
  const native = nativeEngine as Engine;
  const corpus = path.join(import.meta.dirname, '../../native/fuzz/corpus/segment');

  /** The first words of the message of a refusal; undefined where a payload passes. */
  function refusal(engine: Engine, file: SegmentPayload, columns: IndexColumns): string | undefined {
    try {
      checkWhole(engine, file, columns);
      return undefined;
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_NEARDUP_CORRUPT' });
      return (error as Error).message;
    }
  }

  test.each(fs.readdirSync(corpus))(
    '%s: the js engine finds all that is wrong to the native one',
    async (name) => {
      const bytes = new Uint8Array(fs.readFileSync(path.join(corpus, name)));
      const bits = bytes[16] as number;
      const columns = { time: (bits & 1) !== 0, tag: (bits & 2) !== 0, second: (bits & 4) !== 0 };
      const [js] = engines.filter(({ backend }) => backend === 'js') as [Engine];
      /** Whether both engines let a payload pass; then they read the same. */
      const passes = async (changed: Uint8Array, what: string) => {
        const file = fileOf(changed);
        const [a, b] = [native, js].map((engine) => refusal(engine, file, columns));
        // The js engine also refuses what would do no harm, such as bytes between sections.
        // It does not judge plans, which it does not use.
        const isFound =
          b !== undefined || a === undefined || a.includes('a plan that does not serve its distance');
        expect(isFound, `${what}; native: ${a}; js: ${b}`).toBe(true);
        if (a === undefined && b === undefined) {
          const [one, other] = [native, js].map((engine) =>
            open(engine, { maxDistance: 3, columns }, [{ file, removed: undefined }]),
          );
          const [found, expected] = [one, other].map((index) => batchesOf((index as EngineIndex).entries()));
          expect(entriesIn((await found) ?? [])).toEqual(entriesIn((await expected) ?? []));
          one?.close();
          other?.close();
        }
        fs.rmSync(file.path);
        return b === undefined;
      };
      expect(await passes(bytes, 'unchanged')).toBe(true);
      const random = new Random(11);
      let refused = 0;
      for (let i = 0; i < 250; i++) {
        const changed = bytes.slice();
        // The description is short, and rich.
        const at = random.below(i % 2 === 0 ? bytes.length : Math.min(bytes.length, 1024));
        changed[at] ^= 1 << random.below(8);
        if (!(await passes(changed, `byte ${at} is ${changed[at]}`))) refused++;
      }
      expect(refused).toBeGreaterThan(30);
      for (const length of [0, 39, 40, 64, bytes.length - 64, bytes.length - 8, bytes.length - 1]) {
        expect(await passes(bytes.slice(0, length), `${length} bytes`)).toBe(false);
      }
    },
  );
});
