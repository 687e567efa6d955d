import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ContentTable, digestOf } from '../../lib/dedup/content-table.ts';

describe('digestOf', () => {
  it('is the first 128 bits of SHA-256, for a string and for its bytes', () => {
    for (const text of ['', 'abc', 'naïve', '字🎉']) {
      const expected = createHash('sha256').update(text).digest().subarray(0, 16);
      const words = [0, 4, 8, 12].map((at) => expected.readUInt32LE(at));
      expect([...digestOf(text)]).toEqual(words);
      expect(digestOf(Buffer.from(text))).toEqual(digestOf(text));
    }
  });

  it('tells lone surrogates apart, which UTF-8 cannot', () => {
    const texts = ['\ud800', '\udbff', '\ufffd', '\ufffd\ufffd', 'a\ud800'];
    expect(new Set(texts.map((text) => digestOf(text).join())).size).toBe(texts.length);
  });
});

describe('ContentTable', () => {
  const slotOf = (i: number) => (i * 7919) % 4_294_967_296;

  it('finds what was added, and only that, over many growths', () => {
    const table = new ContentTable();
    const count = 100_000;
    const digest = (i: number, third: number) => Uint32Array.of(Math.imul(i, 2654435761), i, third, 5);
    let wrong = 0;
    for (let i = 0; i < count; i++) {
      if (table.find(digest(i, 0)) !== undefined) wrong++;
      table.reserve(1);
      table.add(digest(i, 0), slotOf(i));
    }
    for (let i = 0; i < count; i++) {
      if (table.find(digest(i, 0)) !== slotOf(i) || table.find(digest(i, 1)) !== undefined) wrong++;
    }
    expect(wrong).toBe(0);
  });

  it('compares all 128 bits', () => {
    const table = new ContentTable();
    table.reserve(1);
    table.add(Uint32Array.of(1, 2, 3, 4), 4_294_967_295);
    expect(table.find(Uint32Array.of(1, 2, 3, 4))).toBe(4_294_967_295);
    for (const other of [
      [0, 2, 3, 4],
      [1, 0, 3, 4],
      [1, 2, 0, 4],
      [1, 2, 3, 0],
      [1025, 2, 3, 4],
    ]) {
      expect(table.find(Uint32Array.from(other))).toBeUndefined();
    }
  });

  it('refuses more than it can number', () => {
    expect(() => new ContentTable().reserve(2 ** 31)).toThrow(
      expect.objectContaining({ code: 'ERR_NEARDUP_UNSUPPORTED' }),
    );
  });
});
