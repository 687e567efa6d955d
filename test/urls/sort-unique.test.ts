import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { UniqueSorter } from '../../lib/urls/sort-unique.ts';
import { randomKeys } from '../random.ts';

const folder = mkdtempSync(join(tmpdir(), 'neardup-unique-'));
afterAll(() => rmSync(folder, { recursive: true }));

function sortUnique(lines: readonly string[], memory: number): string {
  const sorter = new UniqueSorter(false, { memory, directory: folder });
  for (const line of lines) sorter.add(line);
  const text = [...sorter.sorted()].join('');
  sorter.close();
  return text;
}

describe('sort and unique', () => {
  test('agree with a plain sort, in any memory', () => {
    const line = fc.string({
      unit: fc
        .integer({ min: 0, max: 255 })
        .filter((c) => c !== 10)
        .map((c) => String.fromCharCode(c)),
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 300 }), fc.integer({ min: 1, max: 9000 }), (lines, memory) => {
        const expected = [...new Set(lines)].sort().map((l) => `${l}\n`);
        expect(sortUnique(lines, memory)).toBe(expected.join(''));
      }),
      { numRuns: 60 },
    );
  });

  test('agree with sort -u over several levels of runs', (context) => {
    const lines = [...randomKeys(60_000, 1)].map(
      (key) => `${(key % 40_000n).toString(36)}/${'x'.repeat(Number(key % 7n))}`,
    );
    const input = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
    const sort = spawnSync('sort', ['-u'], { input, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 1e9 });
    if (sort.status !== 0) context.skip('no sort command here');
    // 500 records a run: over 64 runs, so that runs are merged into runs.
    expect(sortUnique(lines, 160_000)).toBe(sort.stdout.toString('latin1'));
  });

  test('of equal keys the first value stays, also across runs', () => {
    const sorter = new UniqueSorter(true, { memory: 20_000, directory: folder });
    const first = new Map<string, string>();
    for (const [i, key] of randomKeys(20_000, 2).entries()) {
      const name = `k${key % 500n}`;
      sorter.add(name, `value\t${i}`);
      if (!first.has(name)) first.set(name, `value\t${i}`);
    }
    const expected = [...first.keys()].sort().map((key) => `${key}\t${first.get(key)}\n`);
    expect([...sorter.sorted()].join('')).toBe(expected.join(''));
    sorter.close();
  });

  test('nothing is left behind, also when closed early', () => {
    const sorter = new UniqueSorter(false, { memory: 2000, directory: folder });
    for (const key of randomKeys(1000, 3)) sorter.add(String(key));
    sorter.sorted().next();
    sorter.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('no records are no lines', () => {
    expect(sortUnique([], 1000)).toBe('');
    expect(sortUnique([''], 1000)).toBe('\n');
  });
});
