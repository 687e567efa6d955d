import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CodePoints } from '../../lib/ts/text/code-points.ts';
import { normalizeNfc } from '../../lib/ts/text/nfc.ts';

function nfc(codePoints: Iterable<number>): number[] {
  const out = new CodePoints();
  normalizeNfc(CodePoints.of(codePoints), out);
  return [...out.slice(0, out.length)];
}

import { BOUNDARY, flagsOf, recordOf } from '../../lib/ts/text/unicode.ts';

const UCD_TEST = '/usr/share/unicode/NormalizationTest.txt.bz2';

const codePoints = (field: string): number[] => field.split(' ').map((hex) => Number.parseInt(hex, 16));

function checkLines(text: string): number {
  let checked = 0;
  for (const line of text.split('\n')) {
    if (!/^[0-9A-F]/.test(line)) continue;
    const [source, composed, decomposed] = line.split(';').slice(0, 3).map(codePoints);
    for (const form of [source, composed, decomposed]) {
      const got = nfc(form);
      if (got.join() !== composed.join()) expect(got, line).toEqual(composed);
    }
    checked++;
  }
  return checked;
}

describe('normalizeNfc', () => {
  it('passes the committed part of NormalizationTest.txt', () => {
    const sample = readFileSync(new URL('normalization-sample.txt', import.meta.url), 'utf8');
    expect(checkLines(sample)).toBe(501);
  });

  it.skipIf(!existsSync(UCD_TEST))('passes all of NormalizationTest.txt', () => {
    const text = execFileSync('bzcat', [UCD_TEST], { maxBuffer: 1 << 26 }).toString('utf8');
    expect(checkLines(text)).toBeGreaterThan(19_000);
  });

  it('agrees with String.prototype.normalize for every code point that the platform knows', () => {
    for (let cp = 0; cp < 0x110000; cp++) {
      const char = String.fromCodePoint(cp);
      if (/\p{Surrogate}|\p{Unassigned}/u.test(char)) continue;
      const expected = Array.from(char.normalize('NFC'), (c) => c.codePointAt(0));
      const got = nfc([cp]);
      if (got.join() === expected.join()) continue;
      // The platform's Unicode may be newer; to the tables such a code point is unassigned, without any flag but BOUNDARY.
      expect(flagsOf(recordOf(cp)), cp.toString(16)).toBe(BOUNDARY);
    }
  });

  it('orders and composes a million marks in linear time', () => {
    const marks = [0x301, 0x323, 0x345, 0x30c];
    const piece = [0x61, ...Array.from({ length: 1_000_000 }, (_, i) => marks[i % marks.length])];
    const text = nfc(piece);
    expect(text.slice(0, 3)).toEqual([0x1ea1, 0x323, 0x323]);
    expect(text.length).toBe(1_000_000);
  });
});
