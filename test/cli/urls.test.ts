/** `neardup urls normalize` and `neardup urls unique`, through the program. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { main } from '../../lib/cli/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'neardup-cli-urls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const input = join(folder, 'in');
const output = join(folder, 'out');

let messages = '';
beforeEach(() => {
  messages = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    messages += text;
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

async function run(args: readonly string[], text: string | Buffer): Promise<{ code: number; out: string }> {
  writeFileSync(input, text);
  rmSync(output, { force: true });
  const code = await main(['urls', ...args, input, '-o', output]);
  return { code, out: code === 0 ? readFileSync(output, 'latin1') : '' };
}

const LINES =
  'http://B.example/x#1\r\n\nhttp://a.example\nno url\nhttp://b.example:80/x\nhttp://a.example/?utm_source=1\n';

describe('urls unique', () => {
  test('prints the first line of each URL, sorted by the normalised URL', async () => {
    const { code, out } = await run(['unique'], LINES);
    expect(code).toBe(0);
    expect(out).toBe('http://a.example\nhttp://a.example/?utm_source=1\nhttp://B.example/x#1\n');
    expect(messages).toBe(`neardup: 6 lines, 3 unique; 1 are no URLs, the first is line 4 of ${input}\n`);
  });

  test('takes a policy, prints keys, resolves relative URLs, keeps quiet, reads gzip', async () => {
    const args = ['unique', '--policy', 'crawl', '--keys', '--base', 'http://c.example/d/', '-q'];
    const { out } = await run(args, gzipSync(LINES));
    expect(out).toBe('http://a.example/\nhttp://b.example/x\nhttp://c.example/d/no%20url\n');
    expect(messages).toBe('');
  });

  test('--lines compares bytes', async () => {
    const { out } = await run(['unique', '--lines'], Buffer.from('b\na\n\xff\nb\r\na\n\nb', 'latin1'));
    expect(out).toBe('\na\nb\nb\r\n\xff\n');
  });

  test('--strict names the line, and leaves no output', async () => {
    const { code } = await run(['unique', '--strict'], LINES);
    expect(code).toBe(1);
    expect(messages).toBe(`neardup: line 4 of ${input} is not a URL\n`);
    expect(() => readFileSync(output)).toThrow();
  });

  test('goes through files in a small memory, with the same result', async () => {
    const lines = Array.from(
      { length: 30_000 },
      (_, i) => `http://h${(i * 7919) % 20_011}.example/${'p'.repeat(i % 40)}`,
    );
    const small = await run(['unique', '--memory', '1', '--temp', folder], lines.join('\n'));
    const expected = [...new Set(lines)].sort().map((line) => `${line}\n`);
    expect(small.out).toBe(expected.join(''));
  });

  test('a folder for files that is not there is a failure, named in one line', async () => {
    const lines = Array.from({ length: 9000 }, (_, i) => `http://h${i}.example/${'p'.repeat(90)}`).join('\n');
    expect((await run(['unique', '--memory', '1', '--temp', join(folder, 'none')], lines)).code).toBe(1);
    expect(messages).toMatch(
      /^neardup: cannot use files for sorting: no such file or directory \(ENOENT\)\n$/,
    );
  });

  test.each([
    [['unique', '--memory', '0'], 'whole MiB'],
    [['unique', '--policy', 'strict'], 'safe, crawl, aggressive'],
    [['unique', '--base', 'x'], 'not a URL'],
  ])('%j is refused', async (args, message) => {
    expect((await run(args, '')).code).toBe(2);
    expect(messages).toContain(message);
  });

  test('an input that is also the output, or is not there, is a failure', async () => {
    writeFileSync(output, 'http://a/\n');
    expect(await main(['urls', 'unique', output, '-o', output])).not.toBe(0);
    expect(readFileSync(output, 'utf8')).toBe('http://a/\n');
    expect(await main(['urls', 'unique', join(folder, 'missing'), '-o', output])).toBe(1);
    expect(messages).toContain('ENOENT');
  });
});

describe('urls normalize', () => {
  test('line i is the key of line i, empty where there is none', async () => {
    const { out } = await run(['normalize'], LINES);
    expect(out).toBe(
      'http://b.example/x\n\nhttp://a.example/\n\nhttp://b.example/x\nhttp://a.example/?utm_source=1\n',
    );
    expect((await run(['normalize'], '')).out).toBe('');
  });
});
