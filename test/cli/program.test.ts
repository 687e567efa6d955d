import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ended, Folder, MAIN, record } from './run.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder[Symbol.dispose]());

describe('neardup', () => {
  it('prints its version', async () => {
    expect(await folder.run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    [['--help']],
    [['help']],
    [['dedup', '--help']],
    [['help', 'dedup']],
    [['info', '--help']],
    [['plan', '--help']],
  ])('shows help in 80 columns: %j', async (args) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: neardup/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([
    [[], /Usage: neardup/],
    [['dedpu'], /unknown command 'dedpu'\n\(Did you mean dedup\?\)/],
    [['dedup'], /missing required argument 'file'/],
    [['dedup', 'a', 'b'], /too many arguments/],
    [['dedup', 'a', '--distence', '3'], /unknown option '--distence'\n\(Did you mean --distance\?\)/],
    [['dedup', 'a', '--distance', '9'], /'9' is invalid\. It must be an integer from 0 to 8/],
    [['dedup', 'a', '--distance', '2.5'], /'2\.5' is invalid/],
    [['dedup', 'a', '--distance', ''], /'' is invalid/],
    [['dedup', 'a', '--text', ''], /It must name a field/],
    [['dedup', 'a', '--recipe', 'nonsense'], /'--recipe <recipe>' argument 'nonsense' is invalid/],
    [['dedup', 'a', '--verify', 'nonsense'], /'--verify <recipe>' argument 'nonsense' is invalid/],
    [['dedup', 'a', '--verify-distance', '65'], /'65' is invalid\. It must be an integer from 0 to 64/],
    [['dedup', 'a', '--min-features', '0'], /'0' is invalid/],
    [['dedup', 'a', '--out'], /argument missing/],
  ])('answers wrong usage with exit code 2: %j', async (args, message) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('says in one line, with the code, when an engine cannot be had', async () => {
    const { code, stderr } = await folder.run(['info'], '', { NEARDUP_BACKEND: 'steam' });
    expect(stderr).toMatch(/^neardup: NEARDUP_BACKEND is "steam"; .* \(ERR_NEARDUP_UNSUPPORTED\)\n$/);
    expect(code).toBe(1);
  });
});

describe('neardup info', () => {
  it('tells the engine and why, for people and for scripts', async () => {
    const env = { NEARDUP_BACKEND: 'js' };
    const text = await folder.run(['info'], '', env);
    expect(text.stdout).toMatch(
      /^version +\S+\nbackend +js\nkernel +js\nreason +NEARDUP_BACKEND=js asks for it\n/,
    );
    const json = await folder.run(['info', '--json'], '', env);
    expect(JSON.parse(json.stdout)).toMatchObject({ version, backend: 'js', node: process.version });
    expect([text.code, json.code, text.stderr, json.stderr]).toEqual([0, 0, '', '']);
  });
});

const hasScript = spawnSync('script', ['--version']).status === 0;

describe.skipIf(!hasScript)('on a terminal', () => {
  /** Runs the command with a pseudo-terminal as its standard error and output. */
  async function onTerminal(args: string): Promise<string[]> {
    const command = `script -qefc "stty cols 60; '${process.execPath}' '${MAIN}' ${args}" /dev/null`;
    const { stdout } = await folder.shell(command);
    return stdout.split(/\r\n|\r|\n/).map((line) => line.replaceAll('\x1b[K', ''));
  }

  beforeEach(() => {
    // About 3 MB, so that there are several chunks.
    const lines = Array.from({ length: 3000 }, (_, i) => record(i, `${'?'.repeat(1000)}${'!'.repeat(i)}`));
    folder.write('in.jsonl', lines.join(''));
  });

  it('draws a progress line of less than a line, then the summary', async () => {
    const lines = await onTerminal('dedup in.jsonl --out out');
    expect(lines.some((line) => /^ *\d+% {2}[\d,]+ documents, [\d,]+ unique/.test(line))).toBe(true);
    for (const line of lines) expect(line.length).toBeLessThan(80);
    expect(lines.at(-3)).toBe('neardup: 3,000 documents: 3,000 kept, 0 dropped');
  });

  it('keeps the terminal for the lines where they go there', async () => {
    const lines = await onTerminal('dedup in.jsonl');
    expect(lines.some((line) => line.includes('% '))).toBe(false);
    expect(lines.filter((line) => line.startsWith('{')).length).toBe(3000);
  });

  it('is silent in a pipe', async () => {
    const child = folder.start(['dedup', 'in.jsonl', '--out', 'out']);
    const { stdout, stderr } = await ended(child);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^neardup: 3,000 documents: \P{Cc}*\nneardup: \P{Cc}*\n$/u);
  });
});
