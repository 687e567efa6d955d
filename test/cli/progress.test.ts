import { describe, expect, it } from 'vitest';
import { count, duration, ProgressLine, progressText } from '../../lib/cli/progress.ts';

/** A terminal that remembers what was written. */
function terminal(columns: number | undefined, isTTY = true) {
  const written: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

const counters = {
  documents: 1_234_567,
  kept: 987_654,
  exact: 1,
  near: 2,
  withoutFingerprint: 0,
  tooShort: 0,
};

describe('ProgressLine', () => {
  it('writes nothing where there is no terminal, or it is not wanted', () => {
    for (const [stream, wanted] of [
      [terminal(80, false), true],
      [terminal(80), false],
    ] as const) {
      const line = new ProgressLine(stream.stream, wanted);
      line.update(() => 'text');
      line.clear();
      expect(stream.written).toEqual([]);
    }
  });

  it('fits the width, draws once in a while, and clears', () => {
    for (const columns of [20, 80, undefined]) {
      const { stream, written } = terminal(columns);
      const line = new ProgressLine(stream, true);
      line.update(() => 'x'.repeat(200));
      line.update(() => 'too soon');
      line.clear();
      line.clear();
      expect(written).toEqual([`\r\x1b[K${'x'.repeat((columns ?? 80) - 1)}`, '\r\x1b[K']);
    }
  });
});

describe('texts', () => {
  it('say how far, how many and how fast', () => {
    expect(progressText(counters, 100, 0.25)).toBe(
      ' 25%  1,234,567 documents, 987,654 unique, 12,346/s, 5 min 00 s left',
    );
    expect(progressText(counters, 0, undefined)).toBe('1,234,567 documents, 987,654 unique, 0/s');
  });

  it('fit 80 columns for a billion documents', () => {
    const many = { ...counters, documents: 1_234_567_890, kept: 987_654_321 };
    expect(progressText(many, 3600 * 90, 0.5).length).toBeLessThan(80);
  });

  it('write numbers and time spans', () => {
    expect(count(1234567)).toBe('1,234,567');
    expect([0, 0.456, 12.34, 59.96, 65, 3599.7, 7380].map(duration)).toEqual([
      '0.00 s',
      '0.46 s',
      '12.3 s',
      '1 min 00 s',
      '1 min 05 s',
      '1 h 00 min',
      '2 h 03 min',
    ]);
  });
});
