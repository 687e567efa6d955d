import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { normalizeUrl } from '../../lib/urls/normalize.ts';
import { UrlSet } from '../../lib/urls/url-set.ts';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';

const folder = mkdtempSync(join(tmpdir(), 'neardup-urlset-'));
afterAll(() => rmSync(folder, { recursive: true }));
const named = engines.map((engine) => [engine.backend, engine] as const);
const withCode = (code: string) => expect.objectContaining({ code });
let serial = 0;
const place = () => join(folder, `set-${serial++}`);

describe.each(named)('a URL set of the %s engine', (_, engine) => {
  test('knows a URL again, however it is spelt', () => {
    const set = new UrlSet({}, engine);
    expect(set.addIfNew('http://Example.com:80/a/../b?x=%7e#top')).toBe(true);
    expect(set.addIfNew('http://example.com/b?x=~')).toBe(false);
    expect(set.has(new URL('http://example.com/b?x=%7E'))).toBe(true);
    expect(set.has('http://example.com/B?x=~')).toBe(false);
    expect(set.size).toBe(1);
    expect(set.counts).toEqual({ added: 1, seen: 1, invalid: 0 });
    expect(set.fingerprint('http://example.com/b?x=%7E')).toBe(
      engine.hashBytes(Buffer.from(normalizeUrl('http://example.com/b?x=~')), 0n),
    );
  });

  test('goes by its policy', () => {
    const set = new UrlSet({ policy: 'crawl' }, engine);
    expect(set.addIfNew('https://a.example/?b=1&a=2&utm_source=x')).toBe(true);
    expect(set.addIfNew('https://a.example/?a=2&b=1')).toBe(false);
    expect(set.policy).toBe('crawl/1');
  });

  test('batches: order counts, invalid ones are named and not added', () => {
    const set = new UrlSet({}, engine);
    const { added, invalid } = set.addBatch([
      'http://a/',
      'nonsense',
      'http://b/',
      'HTTP://A',
      'http://[',
      'http://b/x',
    ]);
    expect([...added]).toEqual([1, 0, 1, 0, 0, 1]);
    expect(invalid).toEqual([1, 4]);
    expect(set.counts).toEqual({ added: 3, seen: 1, invalid: 2 });
    const found = set.hasBatch(['http://b', '', 'http://c/']);
    expect([...found.seen]).toEqual([1, 0, 0]);
    expect(found.invalid).toEqual([1]);
    const prints = BigUint64Array.of(set.fingerprint('http://b/'), set.fingerprint('http://new/'));
    expect([...set.addBatch(prints).added]).toEqual([0, 1]);
    expect(set.has('http://new')).toBe(true);
    expect(set.addBatch([]).added).toHaveLength(0);
  });

  test('single calls on what is no URL throw, and add nothing', () => {
    const set = new UrlSet({}, engine);
    for (const call of [() => set.addIfNew('x y'), () => set.has(''), () => set.fingerprint('//host/')]) {
      expect(call).toThrow(withCode('ERR_NEARDUP_BAD_INPUT'));
    }
    expect(() => set.addIfNew(5 as never)).toThrow(withCode('ERR_NEARDUP_INVALID_TYPE'));
    expect(() => set.addBatch('http://a/' as never)).toThrow(withCode('ERR_NEARDUP_INVALID_TYPE'));
    expect(set.size).toBe(0);
  });

  test('saved and opened, also by the other engine, it is the same', () => {
    const path = place();
    const set = new UrlSet({ policy: { sortQuery: true } }, engine);
    set.addBatch(randomKeys(300_000, 1));
    set.addBatch(BigUint64Array.of(0n, 2n ** 64n - 1n));
    set.save(path);
    expect(readFileSync(path).length).toBeLessThan(8.02 * 300_002 + 5000);
    for (const opener of engines) {
      const opened = UrlSet.open(path, {}, opener);
      expect(opened.size).toBe(300_002);
      expect(opened.policy).toBe('safe/1?sortQuery=true');
      expect(opened.hasBatch(randomKeys(300_000, 1)).seen.every(Boolean)).toBe(true);
      expect(opened.hasBatch(randomKeys(1000, 2)).seen.some(Boolean)).toBe(false);
      opened.close();
    }
    expect(() => UrlSet.open(path, { policy: 'crawl' }, engine)).toThrow(
      expect.objectContaining({
        code: 'ERR_NEARDUP_RECIPE_MISMATCH',
        message: expect.stringMatching(/safe\/1\?sortQuery=true.*crawl\/1/),
      }),
    );
  });

  test('an empty set is saved and opened', () => {
    const path = place();
    new UrlSet({}, engine).save(path);
    expect(UrlSet.open(path, {}, engine).size).toBe(0);
  });

  test('every changed byte of a file is noticed', () => {
    const path = place();
    const set = new UrlSet({}, engine);
    set.addBatch(randomKeys(40, 3));
    set.save(path);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += at >= 200 && at < 4000 ? 97 : 1) {
      const changed = Buffer.from(bytes);
      changed[at] ^= 1 << (at % 8);
      writeFileSync(path, changed);
      expect(() => UrlSet.open(path, {}, engine), `byte ${at}`).toThrow(
        expect.objectContaining({ code: 'ERR_NEARDUP_CORRUPT', message: expect.stringContaining(path) }),
      );
    }
  });

  test('a directory answers as a set in memory does, whatever the size of its memory', () => {
    const batch = fc.array(fc.bigInt({ min: 0n, max: 400n }), { maxLength: 120 });
    fc.assert(
      fc.property(
        fc.array(batch, { maxLength: 12 }),
        fc.integer({ min: 1, max: 60 }),
        (batches, bufferUrls) => {
          const path = place();
          const options = { create: true, bufferUrls };
          const memory = new UrlSet({}, engine);
          let set = UrlSet.open(path, options, engine);
          for (const [i, list] of batches.entries()) {
            const prints = BigUint64Array.from(list);
            expect(set.hasBatch(prints)).toEqual(memory.hasBatch(prints));
            expect(set.addBatch(prints)).toEqual(memory.addBatch(prints));
            expect(set.size).toBe(memory.size);
            if (i % 3 === 2) {
              set.close();
              set = UrlSet.open(path, options, engines[i % engines.length]);
            }
          }
          const all = BigUint64Array.from({ length: 500 }, (_, i) => BigInt(i));
          expect(set.hasBatch(all)).toEqual(memory.hasBatch(all));
          set.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  test('a directory far larger than its memory has few runs and stays exact', () => {
    const path = place();
    const set = UrlSet.open(path, { create: true, bufferUrls: 5000 }, engine);
    const keys = randomKeys(200_000, 5);
    for (let at = 0; at < keys.length; at += 7000) set.addBatch(keys.subarray(at, at + 7000));
    expect(set.size).toBe(200_000);
    expect(set.memoryBytes).toBeLessThan(200_000);
    expect(readdirSync(path).filter((name) => name.startsWith('run-')).length).toBeLessThanOrEqual(5);
    expect(set.addBatch(keys).added.some(Boolean)).toBe(false);
    expect(set.hasBatch(randomKeys(50_000, 6)).seen.some(Boolean)).toBe(false);
    const file = place();
    set.save(file);
    set.close();
    const opened = UrlSet.open(file, {}, engine);
    expect(opened.size).toBe(200_000);
    expect(opened.hasBatch(keys).seen.every(Boolean)).toBe(true);
  });

  test('one writer, many readers', () => {
    const path = place();
    expect(() => UrlSet.open(path, {}, engine)).toThrow(withCode('ERR_NEARDUP_BAD_INPUT'));
    const set = UrlSet.open(path, { create: true, bufferUrls: 10 }, engine);
    set.addBatch(randomKeys(25, 1));
    expect(() => UrlSet.open(path, {}, engine)).toThrow(withCode('ERR_NEARDUP_LOCKED'));
    const reader = UrlSet.open(path, { readOnly: true }, engine);
    expect(reader.size).toBe(25);
    expect(() => reader.addBatch(randomKeys(1, 2))).toThrow(withCode('ERR_NEARDUP_UNSUPPORTED'));
    set.addBatch(randomKeys(50, 9));
    expect(reader.hasBatch(randomKeys(25, 1)).seen.every(Boolean)).toBe(true);
    reader.close();
    set.close();
    expect(UrlSet.open(path, {}, engine).size).toBe(75);
    expect(() => UrlSet.open(path, { policy: 'crawl', readOnly: true }, engine)).toThrow(
      withCode('ERR_NEARDUP_RECIPE_MISMATCH'),
    );
  });

  test('what a crash leaves of a call that had not returned is dropped', () => {
    const path = place();
    const set = UrlSet.open(path, { create: true }, engine);
    set.addBatch(randomKeys(10, 1));
    set.addBatch(randomKeys(10, 2));
    set.close();
    const log = join(path, readdirSync(path).find((name) => name.startsWith('log-')) as string);
    const whole = readFileSync(log);
    for (const tail of [Buffer.alloc(5), Buffer.alloc(4096), whole.subarray(0, 3)]) {
      writeFileSync(log, whole);
      appendFileSync(log, tail);
      const opened = UrlSet.open(path, {}, engine);
      expect(opened.size).toBe(20);
      opened.close();
    }
    truncateSync(log, whole.length - 1);
    const opened = UrlSet.open(path, {}, engine);
    expect(opened.size).toBe(10);
    opened.addBatch(randomKeys(10, 3));
    opened.close();
    expect(UrlSet.open(path, { readOnly: true }, engine).size).toBe(20);
  });

  test('every changed byte of a directory is noticed', () => {
    const path = place();
    const set = UrlSet.open(path, { create: true, bufferUrls: 30 }, engine);
    set.addBatch(randomKeys(30, 1));
    set.addBatch(randomKeys(5, 2));
    set.addBatch(randomKeys(4, 3));
    set.close();
    for (const name of readdirSync(path)) {
      const file = join(path, name);
      const bytes = readFileSync(file);
      for (let at = 0; at < bytes.length; at += at >= 200 && at < 4000 ? 97 : 1) {
        const changed = Buffer.from(bytes);
        changed[at] ^= 1 << (at % 8);
        writeFileSync(file, changed);
        expect(() => UrlSet.open(path, {}, engine), `${name} byte ${at}`).toThrow(
          expect.objectContaining({ code: 'ERR_NEARDUP_CORRUPT', message: expect.stringContaining(file) }),
        );
      }
      writeFileSync(file, bytes);
    }
    expect(UrlSet.open(path, {}, engine).size).toBe(39);
  });

  test('a directory that cannot be written refuses further use until opened again', () => {
    const path = place();
    const set = UrlSet.open(path, { create: true, bufferUrls: 10 }, engine);
    set.addBatch(randomKeys(5, 1));
    rmSync(path, { recursive: true });
    expect(() => set.addBatch(randomKeys(9, 2))).toThrow('ENOENT');
    for (const call of [
      () => set.addBatch(randomKeys(1, 3)),
      () => set.hasBatch(randomKeys(1, 3)),
      () => set.flush(),
    ]) {
      expect(call).toThrow(withCode('ERR_NEARDUP_CLOSED'));
    }
    set.close();
  });

  test('a closed set says so', () => {
    const set = new UrlSet({}, engine);
    set.close();
    set.close();
    expect(set.closed).toBe(true);
    for (const call of [
      () => set.size,
      () => set.addIfNew('http://a/'),
      () => set.save(place()),
      () => set.flush(),
    ]) {
      expect(call).toThrow(withCode('ERR_NEARDUP_CLOSED'));
    }
  });
});

test('the chance of a false seen is the formula', () => {
  const set = new UrlSet({}, engines[0]);
  expect(set.falsePositiveRate()).toBe(0);
  expect(set.falsePositiveRate(1e8)).toBeCloseTo(1e8 / 2 ** 64, 20);
  expect(set.falsePositiveRate(1e9) / (1e9 / 2 ** 64)).toBeCloseTo(1, 9);
  expect(set.expectedFalsePositives(1e9) / (1e18 / 2 ** 65)).toBeCloseTo(1, 6);
  expect(() => set.falsePositiveRate(-1)).toThrow(withCode('ERR_NEARDUP_OUT_OF_RANGE'));
});

test.each([
  [() => UrlSet.open(5 as never), 'ERR_NEARDUP_INVALID_TYPE'],
  [() => UrlSet.open('/nonexistent/urls'), 'ERR_NEARDUP_BAD_INPUT'],
  [() => UrlSet.open(folder, { bufferUrls: 0 }), 'ERR_NEARDUP_OUT_OF_RANGE'],
  [() => UrlSet.open(folder, { sync: 'never' as never }), 'ERR_NEARDUP_OUT_OF_RANGE'],
  [() => new UrlSet({ policy: 'strict' }), 'ERR_NEARDUP_OUT_OF_RANGE'],
  [() => new UrlSet(7 as never), 'ERR_NEARDUP_INVALID_TYPE'],
])('%s is refused', (call, code) => {
  expect(call).toThrow(withCode(code));
});
