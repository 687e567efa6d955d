import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_RECIPE, DEFAULT_VERIFICATION } from '../../lib/recipe/defaults.ts';
import { Folder, record, TEXTS } from './run.ts';

const { fox, tables, bread } = TEXTS;
/** The fox again: other case and punctuation, so another text with the same features. */
const FOX_NEAR = `${fox.toUpperCase()}!`;
const INPUT = record('a', fox) + record('b', FOX_NEAR) + record('c', tables) + record('d', fox);
const UNIQUE = record('a', fox) + record('c', tables);
const ALL = ['dedup', 'in.jsonl', '--id', 'id', '--out', 'out.jsonl', '--dropped', 'dropped.jsonl'];

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder[Symbol.dispose]());

describe('neardup dedup', () => {
  it('writes kept lines, and for each dropped document what it repeats', async () => {
    folder.write('in.jsonl', INPUT);
    const { code, stdout, stderr } = await folder.run([...ALL, '--text', 'text']);
    expect(stderr).toMatch(
      /^neardup: 4 documents: 2 kept, 2 dropped \(1 exact, 1 near\)\nneardup: \d+\.\d+ s, engine (js|native \(\w+\))\n$/,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(folder.read('out.jsonl')).toBe(UNIQUE);
    expect(folder.lines('dropped.jsonl')).toEqual([
      { id: 'b', keptId: 'a', distance: 0, verifyDistance: 0, reason: 'near', line: 2 },
      { id: 'd', keptId: 'a', distance: 0, reason: 'exact', line: 4 },
    ]);
    expect(folder.names).toEqual(['dropped.jsonl', 'in.jsonl', 'out.jsonl']);
  });

  it('is a filter: standard input to standard output', async () => {
    const { code, stdout } = await folder.run(['dedup', '-', '--id', 'id'], INPUT);
    expect({ code, stdout }).toEqual({ code: 0, stdout: UNIQUE });
    expect(folder.names).toEqual([]);
  });

  it('undoes gzip, by content, in files and on standard input, also in several members', async () => {
    const half = INPUT.indexOf('\n') + 4;
    const zipped = Buffer.concat([gzipSync(INPUT.slice(0, half)), gzipSync(INPUT.slice(half))]);
    folder.write('in.jsonl', zipped);
    expect((await folder.run(['dedup', 'in.jsonl'])).stdout).toBe(UNIQUE);
    expect((await folder.run(['dedup', '-'], zipped)).stdout).toBe(UNIQUE);
  });

  it('fails, and leaves nothing, where a gzip file is cut short', async () => {
    folder.write('in.jsonl', gzipSync(INPUT).subarray(0, -12));
    const { code, stderr } = await folder.run(ALL);
    expect(stderr).toBe('neardup: cannot read in.jsonl: unexpected end of file (Z_BUF_ERROR)\n');
    expect({ code, names: folder.names }).toEqual({ code: 1, names: ['in.jsonl'] });
  });

  it('names the tool for a compression that it does not undo', async () => {
    folder.write('in.jsonl', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0]));
    const { code, stderr } = await folder.run(ALL);
    expect(stderr).toBe(
      'neardup: in.jsonl is Zstandard data; undo it first: zstdcat in.jsonl | neardup dedup -\n',
    );
    expect(code).toBe(1);
  });

  it('passes kept lines through byte for byte', async () => {
    const odd = [
      `\ufeff {"text" : ${JSON.stringify(fox)}, "n": 1.50, "id":"\\u0061"}\r\n`,
      `{"id":"b","text":${JSON.stringify(fox)}}\r\n`,
      `{"id":"c","text":"${tables}","more":{"x":[1,  2]}}\n`,
      `{"id":"d","text":"${bread}"}`,
    ];
    const { stdout } = await folder.run(['dedup', '-', '--id', 'id'], odd.join(''));
    expect(stdout).toBe([odd[0], odd[2], odd[3]].join(''));
  });

  it.each([
    ['nothing', ''],
    ['blank lines', '\n\r\n  \n'],
  ])('gives an empty result for %s', async (_, input) => {
    const { code, stdout, stderr } = await folder.run(['dedup', '-', '--out', 'o', '--dropped', 'd'], input);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^neardup: 0 documents: 0 kept, 0 dropped\n/);
    expect([folder.read('o'), folder.read('d')]).toEqual(['', '']);
  });

  it('keeps every text without features', async () => {
    const input = record(1, '!!!') + record(2, '???') + record(3, '!!!');
    const { stdout } = await folder.run(['dedup', '-', '--id', 'id', '--dropped', 'd'], input);
    expect(stdout).toBe(input);
    expect(folder.lines('d')).toEqual([]);
  });

  it('takes numbers, repeated ids and field paths', async () => {
    const line = (id: number, body: string) => `${JSON.stringify({ meta: { id }, body })}\n`;
    const input = line(7, fox) + line(7, tables) + line(7, FOX_NEAR);
    const args = ['dedup', '-', '--id', 'meta.id', '--text', 'body', '--dropped', 'd'];
    expect((await folder.run(args, input)).stdout).toBe(line(7, fox) + line(7, tables));
    expect(folder.lines('d')).toEqual([
      { id: 7, keptId: 7, distance: 0, verifyDistance: 0, reason: 'near', line: 3 },
    ]);
  });

  it('reads lines of 100 MB', async () => {
    const long = `{"id":1,"blob":"${'x'.repeat(100_000_000)}","text":${JSON.stringify(fox)}}\n`;
    folder.write('in.jsonl', long + record(2, FOX_NEAR));
    const { code, stderr } = await folder.run([...ALL, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(folder.read('out.jsonl') === long).toBe(true);
    expect(folder.lines('dropped.jsonl')).toMatchObject([{ id: 2, keptId: 1 }]);
  });

  it('drops by the distance asked for', async () => {
    const words = fox.split(' ');
    const versions = words
      .map((_, i) => record(i, [...words.slice(0, i), 'another', ...words.slice(i + 1)].join(' ')))
      .join('');
    const kept: number[] = [];
    for (const distance of ['0', '3', '8']) {
      const { stdout } = await folder.run(['dedup', '-', '--distance', distance], versions);
      kept.push(stdout.split('\n').length - 1);
    }
    expect(kept[0]).toBeGreaterThan(kept[1] as number);
    expect(kept[1]).toBeGreaterThan(kept[2] as number);
  });

  it('confirms by a second fingerprint, another one, or none', async () => {
    // The same words in another order: equal by words, far by shingles.
    const turned = fox.split(' ').reverse().join(' ');
    const input = record(1, fox) + record(2, turned) + record(3, FOX_NEAR);
    const words = DEFAULT_RECIPE.text;
    const dropped = async (...args: string[]) => {
      const { code } = await folder.run(['dedup', '-', '--id', 'id', '--dropped', 'd', ...args], input);
      expect(code).toBe(0);
      return folder.lines('d').map(({ id, verifyDistance }) => [id, verifyDistance]);
    };
    expect(await dropped()).toEqual([[3, 0]]);
    expect(await dropped('--verify', words)).toEqual([
      [2, 0],
      [3, 0],
    ]);
    expect(await dropped('--no-verify')).toEqual([
      [2, undefined],
      [3, undefined],
    ]);
    expect((await dropped('--verify-distance', '64')).length).toBe(2);
    expect(await dropped('--min-features', '1000')).toEqual([]);
    expect(await dropped('--recipe', 'neardup:1 shingles width=3 weight=set', '--no-verify')).toEqual([
      [3, undefined],
    ]);
  });
});

describe('lines that cannot be used', () => {
  const bad = ['oops\n', '{"id":"x"}\n', '[1]\n'];
  const input = record('a', fox) + bad[0] + record('b', FOX_NEAR) + bad[1] + bad[2] + record('c', tables);

  it('are named with their numbers, counted, and left out', async () => {
    folder.write('in.jsonl', input);
    const { code, stderr } = await folder.run([...ALL, '--rejected', 'rejected.jsonl']);
    const messages = stderr.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(messages[0]).toMatch(/^neardup: in\.jsonl:2: not valid JSON: /);
    expect(messages.slice(1, 3)).toEqual([
      'neardup: in.jsonl:4: no field "text"',
      'neardup: in.jsonl:5: no field "text"',
    ]);
    expect(messages[3]).toMatch(/^neardup: 3 documents: 2 kept, 1 dropped \(/);
    expect(messages[5]).toBe('neardup: 3 lines could not be used');
    expect(folder.read('out.jsonl')).toBe(record('a', fox) + record('c', tables));
    expect(folder.lines('dropped.jsonl')).toMatchObject([{ id: 'b', line: 3 }]);
    expect(folder.read('rejected.jsonl')).toBe(bad.join(''));
  });

  it('are fatal under --strict; files stay away, what came before went to standard output', async () => {
    folder.write('in.jsonl', input);
    const toFiles = await folder.run([...ALL, '--strict']);
    expect(toFiles.stderr).toMatch(/^neardup: in\.jsonl:2: .*\nneardup: stopped .*\(--strict\)\n$/);
    expect({ code: toFiles.code, names: folder.names }).toEqual({ code: 1, names: ['in.jsonl'] });
    const toPipe = await folder.run(['dedup', 'in.jsonl', '--strict']);
    expect([toPipe.code, toPipe.stdout]).toEqual([1, record('a', fox)]);
  });

  it('are named ten times at most', async () => {
    const { code, stderr } = await folder.run(['dedup', '-'], `${INPUT}\n${'oops\n'.repeat(1000)}`);
    const messages = stderr.trimEnd().split('\n');
    expect(messages.filter((message) => message.startsWith('neardup: standard input:')).length).toBe(10);
    expect(messages.length).toBe(14);
    expect(messages.at(-1)).toBe('neardup: 1,000 lines could not be used');
    expect(code).toBe(0);
  });

  it('are an error when there are no others; an older result stays', async () => {
    folder.write('in.jsonl', '{"id":"x","body":"text"}\n');
    folder.write('out.jsonl', 'older');
    const { code, stderr } = await folder.run(ALL);
    expect(stderr).toContain('none of the lines can be used');
    expect([code, folder.read('out.jsonl')]).toEqual([1, 'older']);
  });

  it('do not fail --strict when there are none', async () => {
    expect((await folder.run(['dedup', '-', '--strict'], `${INPUT}\n`)).code).toBe(0);
  });
});

describe('summary', () => {
  it('is JSON for scripts: on standard output where that is free, else on standard error', async () => {
    folder.write('in.jsonl', `${INPUT}\noops\n`);
    const toFiles = await folder.run([...ALL, '--json', '--quiet']);
    expect(JSON.parse(toFiles.stdout)).toMatchObject({
      lines: 6,
      blank: 1,
      rejected: 1,
      documents: 4,
      kept: 2,
      exact: 1,
      near: 1,
      withoutFingerprint: 0,
      tooShort: 0,
      recipe: DEFAULT_RECIPE.text,
      maxDistance: 6,
      verification: DEFAULT_VERIFICATION.text,
      verifyDistance: 14,
      minFeatures: 4,
    });
    const toPipe = await folder.run(['dedup', '-', '--json'], INPUT);
    expect(toPipe.stdout).toBe(UNIQUE);
    expect(JSON.parse(toPipe.stderr)).toMatchObject({ documents: 4, rejected: 0 });
  });

  it('is left out under --quiet', async () => {
    expect(await folder.run(['dedup', '-', '--quiet'], INPUT)).toMatchObject({ code: 0, stderr: '' });
  });
});
