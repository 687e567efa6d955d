import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureOptions } from '../../lib/engine.ts';
import { engines } from '../engines.ts';
import { anyText } from '../texts.ts';

const RECIPES: FeatureOptions[] = [
  { unit: 'words', min: 1, max: 1, weight: 'log' },
  { unit: 'words', min: 2, max: 4, weight: 'count' },
  { unit: 'chars', min: 3, max: 3, weight: 'set' },
];

const LONG: FeatureOptions = { unit: 'words', min: 3, max: 3, weight: 'count' };

describe.each(engines)('hashers of the $backend engine', (engine) => {
  const makers = RECIPES.map((recipe) => engine.createFingerprinter(recipe));

  it('give the value of the whole, wherever a string is cut', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(60), { maxLength: 20 }), (text, sizes) => {
        for (const maker of makers) {
          const hasher = maker.createHasher();
          let at = 0;
          for (const size of sizes) {
            hasher.update(text.slice(at, at + size));
            at += size;
          }
          hasher.update(text.slice(at));
          expect(hasher.digest()).toEqual(maker.describe(text));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('give the value of the whole, wherever bytes are cut', () => {
    const bytes = fc.oneof(
      anyText.map((text) => new TextEncoder().encode(text)),
      fc.uint8Array({ min: 0x60, max: 0xff, maxLength: 40 }),
    );
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 5 }), (text, step) => {
        for (const maker of makers) {
          const hasher = maker.createHasher();
          for (let at = 0; at < text.length; at += step) hasher.update(text.subarray(at, at + step));
          expect(hasher.digest()).toEqual(maker.describe(text));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('reads an unfinished sequence as U+FFFD where the encoding changes', () => {
    const hasher = makers[0].createHasher();
    hasher.update(Uint8Array.of(0x61, 0xc3));
    hasher.update('b\ud83d');
    hasher.update(Uint8Array.of(0x63));
    expect(hasher.digest()).toEqual(makers[0].describe('a b c'));
  });

  it('merge adds the features of both texts', () => {
    const merged = makers[0].createHasher();
    merged.update('a b b');
    const other = makers[0].createHasher();
    other.update('b c');
    merged.merge(other);
    expect(merged.digest()).toEqual(makers[0].describe('a b b b c'));
    merged.merge(merged);
    expect(merged.digest()).toEqual(makers[0].describe('a b b b c a b b b c'));
    expect(() => other.update('d')).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_CLOSED' }));
  });

  it('holds texts of one endless token, character or run of marks', () => {
    const maker = engine.createFingerprinter(LONG);
    expect(maker.describe('a'.repeat(2_000_000)).features).toBe(1);
    expect(maker.describe('東'.repeat(100_000)).features).toBe(99_997);
    expect(maker.describe(`x${'\u0301\u0323'.repeat(500_000)}`).features).toBe(1);
    expect(maker.describe(`${'word '.repeat(100_000)}${'y'.repeat(100_000)} z`).features).toBe(100_000);
    expect(maker.describe('-'.repeat(1_000_000)).fingerprint).toBeUndefined();
  });
});
