import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { BloomFilter } from '../../lib/urls/bloom-filter.ts';
import { plainShape, rateOf } from '../../lib/urls/bloom-sizing.ts';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';

const folder = mkdtempSync(join(tmpdir(), 'neardup-bloom-'));
afterAll(() => rmSync(folder, { recursive: true }));
const named = engines.map((engine) => [engine.backend, engine] as const);

describe('sizes', () => {
  test('follow the formulas', () => {
    const billion = plainShape(1e9, 0.001);
    expect(billion.bits).toBe(14_377_587_567);
    expect(billion.hashes).toBe(10);
    expect(billion.bits / 8 / 1e9).toBeCloseTo(1.797, 3);
    // Bits for an item at a rate of 1 %, as in the literature.
    expect(plainShape(1e6, 0.01)).toEqual({ bits: 9_585_059, hashes: 7, blocked: false });
    for (const rate of [0.3, 0.1, 0.01, 1e-3, 1e-6, 1e-9]) {
      expect(rateOf(plainShape(1e7, rate), 1e7) / rate).toBeCloseTo(1, 1);
    }
  });

  test('a blocked filter keeps its own rate, for more memory', () => {
    for (const rate of [0.1, 0.01, 0.001, 1e-5]) {
      const { bits, hashes } = BloomFilter.forCount(1e5, rate, { blocked: true });
      const shape = { bits, hashes, blocked: true };
      expect(rateOf(shape, 1e5)).toBeLessThanOrEqual(rate);
      expect(rateOf({ ...shape, bits: bits - 512 }, 1e5)).toBeGreaterThan(rate);
      const plain = plainShape(1e5, rate);
      expect(bits).toBeGreaterThan(plain.bits);
      // The same bits without blocks err less.
      expect(rateOf({ ...shape, blocked: false }, 1e5)).toBeLessThan(rate);
    }
  });
});

describe.each(named)('a filter of the %s engine', (_, engine) => {
  test.each([
    [0.01, false],
    [0.001, false],
    [0.01, true],
    [0.001, true],
  ])('errs at the rate asked for: %d, blocked %s', (rate, blocked) => {
    const count = 100_000;
    const filter = BloomFilter.forCount(count, rate, { blocked }, engine);
    filter.addBatch(randomKeys(count, 1));
    expect(filter.hasBatch(randomKeys(count, 1)).every(Boolean)).toBe(true);
    const probes = Math.round(20_000 / rate / 10);
    const wrong = filter.hasBatch(randomKeys(probes, 2)).reduce((sum, found) => sum + found, 0);
    expect(wrong / probes / rate).toBeGreaterThan(0.9);
    expect(wrong / probes / rate).toBeLessThan(1.1);
    expect(filter.falsePositiveRate() / rate).toBeCloseTo(1, 1);
    expect(filter.estimatedCount() / count).toBeCloseTo(1, 2);
  });

  test('takes strings, bytes and hashes', () => {
    const filter = BloomFilter.forCount(100, 1e-6, {}, engine);
    expect(filter.addIfNew('é')).toBe(true);
    expect(filter.addIfNew('é')).toBe(false);
    expect(filter.has(Buffer.from('é'))).toBe(true);
    expect(filter.has(engine.hashBytes(Buffer.from('é'), 0n))).toBe(true);
    expect([...filter.addBatch(['a', 'b', 'a'])]).toEqual([1, 1, 0]);
    expect([...filter.hasBatch(['b', Buffer.from('c'), 5n])]).toEqual([1, 0, 0]);
    expect(filter.addBatch([])).toHaveLength(0);
  });

  test('a union holds both, and only what has one shape', () => {
    const make = (seed: number) => {
      const filter = BloomFilter.forCount(4000, 0.001, {}, engine);
      filter.addBatch(randomKeys(2000, seed));
      return filter;
    };
    const both = make(1).union(make(2));
    expect(both.hasBatch(randomKeys(2000, 1)).every(Boolean)).toBe(true);
    expect(both.hasBatch(randomKeys(2000, 2)).every(Boolean)).toBe(true);
    expect(both.estimatedCount()).toBeGreaterThan(3900);
    expect(both.estimatedCount()).toBeLessThan(4100);
    const other = BloomFilter.forCount(4001, 0.001, {}, engine);
    expect(() => both.union(other)).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_OUT_OF_RANGE' }));
  });

  test('saved and opened, also by the other engine, it is the same; additions stay in memory', () => {
    for (const blocked of [false, true]) {
      const path = join(folder, `${engine.backend}-${blocked}`);
      const filter = BloomFilter.forCount(200_000, 0.001, { blocked }, engine);
      filter.addBatch(randomKeys(200_000, 3));
      filter.save(path);
      const bytes = readFileSync(path);
      for (const opener of engines) {
        const opened = BloomFilter.open(path, {}, opener);
        expect([opened.bits, opened.hashes, opened.blocked]).toEqual([filter.bits, filter.hashes, blocked]);
        expect(opened.hasBatch(randomKeys(200_000, 3)).every(Boolean)).toBe(true);
        expect(opened.addIfNew('something else entirely')).toBe(true);
        expect(readFileSync(path).equals(bytes)).toBe(true);
        opened.save(path);
        expect(BloomFilter.open(path, {}, engine).has('something else entirely')).toBe(true);
        writeFileSync(path, bytes);
      }
    }
  });

  test('an empty filter holds nothing; a closed one says so', () => {
    const filter = BloomFilter.forCount(1, 0.5, {}, engine);
    expect(filter.estimatedCount()).toBe(0);
    expect(filter.falsePositiveRate()).toBe(0);
    expect(filter.has('')).toBe(false);
    filter.close();
    filter.close();
    expect(filter.closed).toBe(true);
    for (const call of [
      () => filter.has('a'),
      () => filter.addBatch([]),
      () => filter.save(join(folder, 'x')),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_CLOSED' }));
    }
  });

  test('every changed byte of a file is noticed', () => {
    const path = join(folder, `${engine.backend}-flip`);
    const filter = BloomFilter.forCount(200, 0.01, {}, engine);
    filter.addBatch(randomKeys(200, 4));
    filter.save(path);
    const bytes = readFileSync(path);
    const broken = `${path}-broken`;
    copyFileSync(path, broken);
    // The header is mostly padding: every byte of its text and of the rest, some of the padding.
    for (let at = 0; at < bytes.length; at += at >= 200 && at < 65_000 ? 997 : 1) {
      const changed = Buffer.from(bytes);
      changed[at] ^= 1 << (at % 8);
      writeFileSync(broken, changed);
      expect(() => BloomFilter.open(broken, {}, engine), `byte ${at}`).toThrow(
        expect.objectContaining({ code: 'ERR_NEARDUP_CORRUPT', message: expect.stringContaining(broken) }),
      );
    }
    for (const length of [0, 7, 39, 40, 65_536, bytes.length - 1]) {
      writeFileSync(broken, bytes.subarray(0, length));
      expect(() => BloomFilter.open(broken, {}, engine)).toThrow(
        expect.objectContaining({ code: 'ERR_NEARDUP_CORRUPT' }),
      );
    }
  });
});

describe('arguments', () => {
  test.each([
    [() => BloomFilter.forCount(0, 0.1), 'ERR_NEARDUP_OUT_OF_RANGE'],
    [() => BloomFilter.forCount(1.5, 0.1), 'ERR_NEARDUP_OUT_OF_RANGE'],
    [() => BloomFilter.forCount('9' as never, 0.1), 'ERR_NEARDUP_INVALID_TYPE'],
    [() => BloomFilter.forCount(10, 0), 'ERR_NEARDUP_OUT_OF_RANGE'],
    [() => BloomFilter.forCount(10, 1), 'ERR_NEARDUP_OUT_OF_RANGE'],
    [() => BloomFilter.forCount(10, Number.NaN), 'ERR_NEARDUP_OUT_OF_RANGE'],
    [() => BloomFilter.forCount(10, '1' as never), 'ERR_NEARDUP_INVALID_TYPE'],
    [() => BloomFilter.forCount(2 ** 53 - 1, 1e-300), 'ERR_NEARDUP_OUT_OF_MEMORY'],
    [() => new BloomFilter({ bits: 100, hashes: 2, blocked: true }), 'ERR_NEARDUP_OUT_OF_RANGE'],
    [() => new BloomFilter({ bits: 100, hashes: 65, blocked: false }), 'ERR_NEARDUP_OUT_OF_RANGE'],
    [() => BloomFilter.forCount(10, 0.1).addIfNew(5 as never), 'ERR_NEARDUP_INVALID_TYPE'],
    [() => BloomFilter.forCount(10, 0.1).addIfNew(-5n), 'ERR_NEARDUP_OUT_OF_RANGE'],
    [() => BloomFilter.forCount(10, 0.1).addBatch('x' as never), 'ERR_NEARDUP_INVALID_TYPE'],
    [() => BloomFilter.forCount(10, 0.1).union({} as never), 'ERR_NEARDUP_INVALID_TYPE'],
    [() => BloomFilter.open(5 as never), 'ERR_NEARDUP_INVALID_TYPE'],
  ])('%s is refused', (call, code) => {
    expect(call).toThrow(expect.objectContaining({ code }));
  });
});
