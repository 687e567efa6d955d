import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineBlock, LineSplitter } from '../../lib/cli/lines.ts';

/** Every block that the chunks give. */
function blocks(chunks: readonly Uint8Array[], maxLine?: number): LineBlock[] {
  const splitter = new LineSplitter(maxLine);
  const result: LineBlock[] = [];
  for (const chunk of chunks) result.push(...splitter.push(Buffer.from(chunk)));
  result.push(...splitter.end());
  return result;
}

/** Lines by number, oversized ones put together; each marked as such. */
function lines(chunks: readonly Uint8Array[], maxLine?: number): [number, string, boolean][] {
  const result: [number, string, boolean][] = [];
  for (const { bytes, ends, firstLine, oversized } of blocks(chunks, maxLine)) {
    if (oversized) {
      if (oversized.first) result.push([firstLine, '', true]);
      const last = result.at(-1) as [number, string, boolean];
      expect(last[0]).toBe(firstLine);
      last[1] += bytes.toString('latin1');
    }
    let start = 0;
    for (const [i, end] of ends.entries()) {
      result.push([firstLine + i, bytes.subarray(start, end).toString('latin1'), false]);
      start = end;
    }
    if (!oversized) expect(start).toBe(bytes.length);
  }
  return result;
}

const text = (...chunks: string[]) => chunks.map((chunk) => Buffer.from(chunk, 'latin1'));

describe('LineSplitter', () => {
  it('gives no line for no bytes', () => {
    expect(lines([])).toEqual([]);
    expect(lines(text('', ''))).toEqual([]);
  });

  it('keeps line ends, and a last line without one', () => {
    expect(lines(text('a\r\nb\n\nc'))).toEqual([
      [1, 'a\r\n', false],
      [2, 'b\n', false],
      [3, '\n', false],
      [4, 'c', false],
    ]);
  });

  it('gives the whole lines of a chunk as one block', () => {
    expect(blocks(text('a\nb\nc\nrest')).map(({ ends }) => ends.length)).toEqual([3, 1]);
  });

  it('gives a line over the limit in pieces, with its number, and goes on after it', () => {
    const [first, second, third] = lines(text('ok\n12345', '67', '89\nnext\n'), 6);
    expect(first).toEqual([1, 'ok\n', false]);
    expect(second).toEqual([2, '123456789\n', true]);
    expect(third).toEqual([3, 'next\n', false]);
  });

  it('ends an oversized line that the input leaves open', () => {
    const pieces = blocks(text('1234', '5678'), 6);
    expect(pieces.map(({ oversized }) => oversized)).toEqual([
      { first: true, last: false },
      { first: false, last: true },
    ]);
  });

  it('gives the same lines however the bytes are cut', () => {
    const bytes = fc.array(fc.constantFrom(0x0a, 0x0d, 0x61, 0xc3), { maxLength: 60 });
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.nat(60), { maxLength: 8 }),
        fc.integer({ min: 1, max: 12 }),
        (all, cuts, max) => {
          const whole = Buffer.from(all);
          const at = [
            0,
            ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
            whole.length,
          ];
          const chunks = at.slice(1).map((end, i) => whole.subarray(at[i], end));
          const expected = (whole.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line, i) => [
            i + 1,
            line,
          ]);
          expect(lines(chunks).map(([number, line]) => [number, line])).toEqual(expected);
          const limited = lines(chunks, max);
          expect(limited.map(([number, line]) => [number, line])).toEqual(expected);
          // A line inside one chunk is in memory anyway; the limit is for what is gathered from several.
          const most = Math.max(max, ...chunks.map((chunk) => chunk.length));
          for (const [, line, oversized] of limited) {
            const { length } = line.replace('\n', '');
            if (oversized) expect(length).toBeGreaterThan(max);
            else expect(length).toBeLessThanOrEqual(most);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
