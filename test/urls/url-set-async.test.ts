/** The calls of a URL set that take turns with the event loop, and the checking of bytes as they are read. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { UrlSet } from '../../lib/urls/url-set.ts';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';

const folder = mkdtempSync(join(tmpdir(), 'neardup-urlset-async-'));
afterAll(() => rmSync(folder, { recursive: true }));
const named = engines.map((engine) => [engine.backend, engine] as const);
const withCode = (code: string) => expect.objectContaining({ code });
let serial = 0;
const place = () => join(folder, `set-${serial++}`);
const temporary = (path: string) => readdirSync(path).filter((name) => name.endsWith('.tmp'));

describe.each(named)('a URL set of the %s engine', (_, engine) => {
  test.each(['memory', 'directory'])('added to in turns gives the same, in %s', async (kind) => {
    const set =
      kind === 'memory'
        ? new UrlSet({}, engine)
        : UrlSet.open(place(), { create: true, bufferUrls: 3000 }, engine);
    const oracle = new UrlSet({}, engine);
    const keys = randomKeys(30_000, 1);
    for (const batch of [keys, keys, keys.subarray(5), randomKeys(9000, 2)]) {
      expect(await set.addBatchAsync(batch)).toEqual(oracle.addBatch(batch));
    }
    const urls = Array.from({ length: 10_000 }, (_, i) =>
      i % 100 === 7 ? 'no url' : `http://a/${i % 7000}`,
    );
    expect(await set.addBatchAsync(urls)).toEqual(oracle.addBatch(urls));
    expect(set.counts).toEqual(oracle.counts);
    expect(await set.addBatchAsync([])).toEqual({ added: new Uint8Array(0), invalid: [] });
    set.close();
  });

  test('any mixture of calls at any moment adds each URL once', async () => {
    const step = fc.record({
      call: fc.constantFrom(
        'addBatch',
        'addBatchAsync',
        'hasBatch',
        'saveAsync',
        'flushAsync',
        'verify',
        'save',
      ),
      first: fc.nat(5000),
      turns: fc.nat(4),
    });
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 10 }),
      fc.integer({ min: 800, max: 4000 }),
      async (steps, bufferUrls) => {
        const set = UrlSet.open(place(), { create: true, bufferUrls }, engine);
        const file = place();
        const waiting: Promise<unknown>[] = [];
        const wanted = new Set<bigint>();
        let added = 0;
        for (const { call, first, turns } of steps) {
          const keys = BigUint64Array.from({ length: 5000 }, (_, i) => BigInt(first + i));
          const count = ({ added: flags }: { added: Uint8Array }) => {
            added += flags.reduce((sum, flag) => sum + flag, 0);
          };
          if (call.startsWith('add')) for (const key of keys) wanted.add(key);
          if (call === 'addBatch') count(set.addBatch(keys));
          else if (call === 'addBatchAsync') waiting.push(set.addBatchAsync(keys).then(count));
          else if (call === 'saveAsync') waiting.push(set.saveAsync(file));
          else if (call === 'save') set.save(file);
          else if (call === 'hasBatch') set.hasBatch(keys);
          else waiting.push(set[call as 'flushAsync' | 'verify']());
          for (let i = 0; i < turns; i++) await setImmediate();
        }
        await Promise.all(waiting);
        expect(added).toBe(wanted.size);
        expect(set.size).toBe(wanted.size);
        expect(set.hasBatch(BigUint64Array.from(wanted)).seen.every(Boolean)).toBe(true);
        set.close();
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });

  test('others have their turns while runs are merged and files are written', async () => {
    const set = UrlSet.open(place(), { create: true, bufferUrls: 300_000 }, engine);
    let turns = 0;
    let waiting = true;
    const others = (async () => {
      while (waiting) {
        await setImmediate();
        turns++;
        // Look-ups are right at every moment of a merge.
        if (turns % 16 === 0) expect(set.has('http://a/')).toBe(true);
      }
    })();
    set.addIfNew('http://a/');
    set.addBatch(randomKeys(299_998, 1));
    const before = turns;
    await set.addBatchAsync(BigUint64Array.of(1n));
    await set.saveAsync(place());
    expect(turns - before).toBeGreaterThan(3);
    waiting = false;
    await others;
    set.close();
  });

  test('a call that adds does the rest of a save first: the file is what was there', async () => {
    const file = place();
    const set = new UrlSet({}, engine);
    const keys = randomKeys(400_000, 3);
    set.addBatch(keys);
    const saved = set.saveAsync(file);
    await setImmediate();
    set.addBatch(randomKeys(1000, 4));
    await saved;
    const opened = UrlSet.open(file, {}, engine);
    expect(opened.size).toBe(400_000);
    expect(opened.hasBatch(keys).seen.every(Boolean)).toBe(true);
  });

  test('closing ends what is under way, and loses nothing', async () => {
    const path = place();
    const set = UrlSet.open(path, { create: true, bufferUrls: 200_000 }, engine);
    const keys = randomKeys(199_999, 5);
    set.addBatch(keys);
    const calls = [
      set.addBatchAsync(BigUint64Array.of(7n)),
      set.flushAsync(),
      set.verify(),
      set.saveAsync(place()),
    ];
    await setImmediate();
    set.close();
    for (const call of calls) await expect(call).rejects.toThrow(withCode('ERR_NEARDUP_CLOSED'));
    expect(temporary(path)).toEqual([]);
    const opened = UrlSet.open(path, {}, engine);
    expect(opened.hasBatch(keys).seen.every(Boolean)).toBe(true);
    opened.close();
  });

  test('bad arguments reject, and a read-only directory', async () => {
    const path = place();
    const set = UrlSet.open(path, { create: true, bufferUrls: 10 }, engine);
    await expect(set.addBatchAsync('http://a/' as never)).rejects.toThrow(
      withCode('ERR_NEARDUP_INVALID_TYPE'),
    );
    await expect(set.addBatchAsync([5 as never])).rejects.toThrow(withCode('ERR_NEARDUP_INVALID_TYPE'));
    await expect(set.saveAsync(5 as never)).rejects.toThrow(withCode('ERR_NEARDUP_INVALID_TYPE'));
    set.addBatch(randomKeys(9, 1));
    set.close();
    const reader = UrlSet.open(path, { readOnly: true, bufferUrls: 1 }, engine);
    const before = readdirSync(path);
    await expect(reader.addBatchAsync(randomKeys(1, 2))).rejects.toThrow(withCode('ERR_NEARDUP_UNSUPPORTED'));
    await reader.verify();
    await reader.flushAsync();
    expect(readdirSync(path)).toEqual(before);
    reader.close();
  });

  test('opening reads little; a changed byte is noticed when it is first read, and by verify', async () => {
    const path = place();
    const set = UrlSet.open(path, { create: true, bufferUrls: 400_000 }, engine);
    const keys = randomKeys(400_000, 6);
    set.addBatch(keys);
    set.close();
    const run = join(path, readdirSync(path).find((name) => name.startsWith('run-')) as string);
    const bytes = readFileSync(run);
    const intact = Buffer.from(bytes);
    bytes[4096 + 2 ** 20 + 5000] ^= 1;
    writeFileSync(run, bytes);
    const message = expect.objectContaining({
      code: 'ERR_NEARDUP_CORRUPT',
      message: expect.stringMatching(/run-\d+ is corrupt: payload block 1/),
    });
    for (const opener of engines) {
      const opened = UrlSet.open(path, {}, opener);
      expect(opened.size).toBe(400_000);
      expect(() => opened.hasBatch(keys)).toThrow(message);
      expect(() => opened.addBatch(keys)).toThrow(message);
      await expect(opened.verify()).rejects.toThrow(message);
      // Nor does it get into a file with checksums of its own.
      expect(() => opened.save(place())).toThrow(message);
      opened.close();
    }
    writeFileSync(run, intact);
    const opened = UrlSet.open(path, {}, engine);
    await opened.verify();
    expect(opened.hasBatch(keys).seen.every(Boolean)).toBe(true);
    opened.close();
  });
});
