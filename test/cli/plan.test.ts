import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesText, nanosecondsText, numberText, parseBytes, parseCount } from '../../lib/cli/units.ts';
import type { PlanOption } from '../../lib/index.ts';
import { plan } from '../../lib/index.ts';
import { Folder } from './run.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder[Symbol.dispose]());

const BILLION = ['plan', '--count', '1e9', '--distance', '3', '--memory', '20GiB'];

describe('neardup plan', () => {
  it('prints a table of 80 columns with the choice marked', async () => {
    const { code, stdout, stderr } = await folder.run(BILLION);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]).toBe('1,000,000,000 fingerprints, exact within 3 bits, in 20.0 GiB');
    expect(lines[2]).toMatch(/^ +tables +key +B\/fp +memory +probes +candidates +query +blocks$/);
    const chosen = plan({ count: 1e9, maxDistance: 3, memory: 20 * 2 ** 30 })[0] as PlanOption;
    const marked = lines.filter((line) => /^\* +\d/.test(line));
    expect(marked).toHaveLength(1);
    expect(marked[0]).toContain(` ${chosen.tables} `);
    expect(marked[0]).toContain(bytesText(chosen.bytes));
    expect(lines.filter((line) => line.endsWith('(published)'))).toHaveLength(4);
    expect(stdout).toMatch(/^ +- +- .* scan$/m);
    expect(stdout).toMatch(/^\* the choice: the fastest that fits in 20\.0 GiB\n {2}new HammingIndex/m);
  });

  it('says when nothing fits', async () => {
    const { code, stdout } = await folder.run(['plan', '--count', '1e9', '--memory', '1GB']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\* nothing fits in 954 MiB: this is the smallest$/m);
    expect(stdout).toMatch(/^! does not fit$/m);
  });

  it('prints JSON with every option, as plan() gives them', async () => {
    const { stdout } = await folder.run([...BILLION, '--json']);
    const { options, ...asked } = JSON.parse(stdout) as { options: PlanOption[] };
    expect(asked).toEqual({ count: 1e9, maxDistance: 3, memory: 20 * 2 ** 30 });
    expect(options).toEqual(plan({ count: 1e9, maxDistance: 3, memory: 20 * 2 ** 30 }));
    const all = await folder.run([...BILLION, '--all']);
    expect(all.stdout.match(/^[ *!] +[\d-]+ .*$/gm)).toHaveLength(options.length);
  });

  it('measures this machine, where the engine can', async () => {
    const native = await folder.run([...BILLION, '--measure', '--json']);
    const { costs } = JSON.parse(native.stdout) as { costs?: { memoryLine: number } };
    if (costs !== undefined) expect(costs.memoryLine).toBeGreaterThan(0);
    const js = await folder.run([...BILLION, '--measure'], '', { NEARDUP_BACKEND: 'js' });
    expect(js.stdout).toContain('Times by constants of a Zen 3 server.');
  });

  it.each([
    [['plan'], /required option '--count <n>' not specified/],
    [['plan', '--count', 'many'], /'many' is invalid\. It must be a whole number from 1 to 2\^40/],
    [['plan', '--count', '0'], /whole number from 1/],
    [['plan', '--count', '2e12'], /whole number from 1/],
    [['plan', '--count', '1e9', '--distance', '17'], /'17' is invalid\. It must be an integer from 0 to 16/],
    [['plan', '--count', '1e9', '--memory', '20'], /'20' is invalid\. It must be a size with a unit/],
    [['plan', '--count', '1e9', '--memory', '20Gi'], /size with a unit/],
    [['plan', '--count', '1e9', '--memory', '0GB'], /size with a unit/],
    [['plan', '--count', '1e9', '--id-bits', '54'], /integer from 1 to 53/],
    [['plan', '--count', '1e9', 'more'], /too many arguments/],
  ])('answers wrong usage with exit code 2: %j', async (args, message) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('units', () => {
  it.each([
    ['20GiB', 20 * 2 ** 30],
    ['20 gib', 20 * 2 ** 30],
    ['512MiB', 2 ** 29],
    ['3KiB', 3072],
    ['1.5GB', 1.5e9],
    ['500MB', 5e8],
    ['2KB', 2000],
    ['1TB', 1e12],
    ['7B', 7],
    ['7', undefined],
    ['GiB', undefined],
    ['-1GB', undefined],
    ['1e3GB', undefined],
    ['1constructor', undefined],
  ])('reads the size %s', (text, bytes) => expect(parseBytes(text)).toBe(bytes));

  it.each([
    ['1000000', 1e6],
    ['1,000,000', 1e6],
    ['1e9', 1e9],
    ['2.5e6', 2.5e6],
    ['2.5', undefined],
    ['1,00', undefined],
    ['0x10', undefined],
    ['', undefined],
    ['1e99', undefined],
  ])('reads the count %s', (text, value) => expect(parseCount(text)).toBe(value));

  it('writes three digits and a unit', () => {
    expect([0, 512, 999.4, 1000, 1536, 20 * 2 ** 30, 2 ** 50].map(bytesText)).toEqual([
      '0 B',
      '512 B',
      '999 B',
      '0.98 KiB',
      '1.50 KiB',
      '20.0 GiB',
      '1024 TiB',
    ]);
    expect([0, 0.001, 0.5, 31.49, 262_144, 999_600, 2 ** 40].map(numberText)).toEqual([
      '0.00',
      '<0.01',
      '0.50',
      '31.5',
      '262k',
      '1.00M',
      '1.10T',
    ]);
    expect([0.25, 756.4, 1234, 3e8, 4e11].map(nanosecondsText)).toEqual([
      '0.25 ns',
      '756 ns',
      '1.23 µs',
      '300 ms',
      '400 s',
    ]);
  });
});
