import { describe, expect, it } from 'vitest';
import {
  createFingerprinter,
  fingerprint,
  fromInt64,
  hamming,
  parseHex,
  recipes,
  toHex,
  toInt64,
} from '../../lib/index.ts';

const code = (suffix: string) => expect.objectContaining({ code: `ERR_NEARDUP_${suffix}` });

describe('fingerprint', () => {
  it('is the same for a string and its UTF-8, whatever the case and punctuation', () => {
    const text = 'The quick brown fox jumps over the lazy dog';
    expect(fingerprint(text)).toBe(fingerprint(Buffer.from(`${text.toUpperCase()}!`)));
    expect(fingerprint(text)).toBe(createFingerprinter().fingerprint(text));
    expect(fingerprint(text)).toBe(fingerprint(text, recipes.words({ weight: 'log' }).text));
    expect(fingerprint(text, recipes.shingles(3))).not.toBe(fingerprint(text));
  });

  it('is undefined without features', () => {
    expect(fingerprint('')).toBeUndefined();
    expect(fingerprint('... 😀')).toBeUndefined();
  });

  it('is described with margins and weak bits', () => {
    const about = createFingerprinter(recipes.words({ weight: 'count' })).describe('a b b');
    expect(about.features).toBe(3);
    expect(about.weight).toBe(3);
    expect(about.smallestMargin).toBe(1);
    expect(Math.abs(about.margins[about.weakestBits[0]])).toBe(1);
    expect(Math.abs(about.margins[about.weakestBits[63]])).toBe(3);
  });

  it('refuses what is not text', () => {
    for (const bad of [undefined, null, 1, {}, [], new Uint16Array(2), new ArrayBuffer(2), Symbol('x')]) {
      expect(() => fingerprint(bad as string)).toThrow(code('INVALID_TYPE'));
      expect(() => createFingerprinter().describe(bad as string)).toThrow(code('INVALID_TYPE'));
    }
  });
});

describe('formats', () => {
  it('keep all 64 bits', () => {
    for (const value of [0n, 1n, 0x0123456789abcdefn, 2n ** 63n, 2n ** 64n - 1n]) {
      expect(toHex(value)).toHaveLength(16);
      expect(parseHex(toHex(value))).toBe(value);
      expect(fromInt64(toInt64(value))).toBe(value);
    }
    expect(toHex(0x0123456789abcdefn)).toBe('0123456789abcdef');
    expect(toInt64(2n ** 64n - 1n)).toBe(-1n);
    expect(hamming(0xdeadbeefn, 0xdeadbeadn)).toBe(2);
    expect(hamming(0n, 2n ** 64n - 1n)).toBe(64);
  });

  it('refuse what is out of range', () => {
    expect(() => toHex(-1n)).toThrow(code('OUT_OF_RANGE'));
    expect(() => toHex(1 as never)).toThrow(code('INVALID_TYPE'));
    expect(() => toInt64(2n ** 64n)).toThrow(code('OUT_OF_RANGE'));
    expect(() => fromInt64(2n ** 63n)).toThrow(code('OUT_OF_RANGE'));
    expect(() => parseHex('abc')).toThrow(code('OUT_OF_RANGE'));
    expect(() => hamming(1n, 2n ** 64n)).toThrow(code('OUT_OF_RANGE'));
  });
});
