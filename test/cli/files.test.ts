/** How `neardup dedup` treats files, pipes and signals. */
import { once } from 'node:events';
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ended, Folder, record, TEXTS } from './run.ts';

const INPUT = record('a', TEXTS.fox) + record('b', TEXTS.fox);
const UNIQUE = record('a', TEXTS.fox);

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
  folder.write('in.jsonl', INPUT);
});
afterEach(() => folder[Symbol.dispose]());

describe('outputs', () => {
  it('replace a file and keep its mode', async () => {
    folder.write('out', 'old');
    for (const mode of [0o640, 0o666, 0o600]) {
      chmodSync(folder.file('out'), mode);
      expect((await folder.run(['dedup', 'in.jsonl', '-q', '-o', 'out'])).code).toBe(0);
      expect(folder.read('out')).toBe(UNIQUE);
      expect(statSync(folder.file('out')).mode & 0o777).toBe(mode);
    }
  });

  it('may have the longest name that there is', async () => {
    const name = 'n'.repeat(255);
    expect((await folder.run(['dedup', 'in.jsonl', '--out', name])).code).toBe(0);
    expect(folder.names).toEqual(['in.jsonl', name]);
  });

  it('leave an old file alone when the run fails', async () => {
    folder.write('out', 'old');
    folder.write('in.jsonl', `${INPUT}oops\n`);
    expect((await folder.run(['dedup', 'in.jsonl', '--out', 'out', '--strict'])).code).toBe(1);
    expect(folder.read('out')).toBe('old');
    expect(folder.names).toEqual(['in.jsonl', 'out']);
  });

  it.runIf(process.platform === 'linux')('named as what is open are written as they are', async () => {
    folder.write('log', 'before\n');
    await folder.shell('neardup dedup in.jsonl --out /dev/stdout --quiet >> log');
    expect(folder.read('log')).toBe(`before\n${UNIQUE}`);
    await folder.shell('neardup dedup in.jsonl --out /dev/null --dropped /dev/stderr --quiet 2>> log');
    expect(folder.read('log')).toMatch(/^before\n.*\n\{"id":2,"keptId":1,/);
  });

  it('follow a symbolic link', async () => {
    folder.write('real', '');
    symlinkSync('real', folder.file('link'));
    expect((await folder.run(['dedup', 'in.jsonl', '--out', 'link'])).code).toBe(0);
    expect(lstatSync(folder.file('link')).isSymbolicLink()).toBe(true);
    expect(folder.read('real')).toBe(UNIQUE);
  });

  it('follow symbolic links to a file that is not there yet', async () => {
    mkdirSync(folder.file('folder'));
    symlinkSync('folder/link', folder.file('link'));
    symlinkSync('../real', folder.file('folder/link'));
    expect((await folder.run(['dedup', 'in.jsonl', '--out', 'link'])).code).toBe(0);
    expect(lstatSync(folder.file('link')).isSymbolicLink()).toBe(true);
    expect(lstatSync(folder.file('folder/link')).isSymbolicLink()).toBe(true);
    expect(folder.read('real')).toBe(UNIQUE);
  });

  it.each([
    ['the input', ['--out', 'in.jsonl'], /in\.jsonl is the input/],
    ['the input by a link', ['--dropped', 'hard'], /hard is the input/],
    ['the input by another path', ['--rejected', './in.jsonl'], /is the input/],
    ['one another', ['--out', 'x', '--dropped', './x'], /are one file/],
    ['standard output twice', ['--dropped', '-'], /only one of/],
  ])('must not be %s', async (_, args, message) => {
    linkSync(folder.file('in.jsonl'), folder.file('hard'));
    const { code, stderr } = await folder.run(['dedup', 'in.jsonl', ...args]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(folder.read('in.jsonl')).toBe(INPUT);
    expect(folder.names).toEqual(['hard', 'in.jsonl']);
  });

  it('must not be the input through the shell', async () => {
    const { code, stderr } = await folder.shell('neardup dedup in.jsonl >> in.jsonl');
    expect(stderr).toMatch(/standard output is the input/);
    expect([code, folder.read('in.jsonl')]).toEqual([2, INPUT]);
  });

  it.each([
    ['a folder that is not there', 'missing/out', /cannot write missing\/out: no such file or directory/],
    ['a new folder', 'new/', /cannot write new\/: it names a directory/],
    ['a link to a folder that is not there', 'dangling', /cannot write dangling: no such file or directory/],
    ['a link to itself', 'loop', /cannot write loop: too many symbolic links/],
    ['a folder as file', 'folder', /cannot write folder: it is a directory/],
    ['a file as folder', 'in.jsonl/out', /cannot write in\.jsonl\/out: not a directory/],
  ])('fail in one line for %s', async (_, out, message) => {
    mkdirSync(folder.file('folder'));
    symlinkSync('missing/x', folder.file('dangling'));
    symlinkSync('loop', folder.file('loop'));
    const { code, stderr } = await folder.run(['dedup', 'in.jsonl', '--out', out]);
    expect(stderr).toMatch(message);
    expect(stderr.split('\n').length).toBe(2);
    expect(code).toBe(1);
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'fail in a read-only folder',
    async () => {
      mkdirSync(folder.file('fixed'), 0o555);
      const { code, stderr } = await folder.run(['dedup', 'in.jsonl', '--out', 'fixed/out']);
      expect(stderr).toMatch(/^neardup: cannot write fixed\/out: permission denied \(EACCES\)\n$/);
      expect(code).toBe(1);
    },
  );

  it.skipIf(!existsSync('/dev/full'))('say so when the disk is full, and leave nothing', async () => {
    for (const command of [
      'neardup dedup in.jsonl --dropped d --out /dev/full',
      'neardup dedup in.jsonl --dropped d > /dev/full',
    ]) {
      const { code, stderr } = await folder.shell(command);
      expect(stderr).toMatch(/^neardup: cannot write .*: no space left on device \(ENOSPC\)\n$/);
      expect({ code, names: folder.names }).toEqual({ code: 1, names: ['in.jsonl'] });
    }
  });
});

describe('inputs', () => {
  it.each([
    ['missing', /^neardup: cannot read missing: no such file or directory \(ENOENT\)\n$/],
    ['.', /^neardup: cannot read \.: it is a directory\n$/],
  ])('that cannot be read (%s) fail in one line', async (input, message) => {
    const { code, stderr } = await folder.run(['dedup', input, '--out', 'out']);
    expect(stderr).toMatch(message);
    expect({ code, names: folder.names }).toEqual({ code: 1, names: ['in.jsonl'] });
  });
});

describe.skipIf(process.platform === 'win32')('pipes and signals', () => {
  it('passes devices and process substitutions through', async () => {
    const { code, stdout, stderr } = await folder.shell(
      'neardup dedup <(cat in.jsonl) --out /dev/null --dropped >(cat) --quiet',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ line: 2, reason: 'exact' });
  });

  it('ends quietly when the reader goes away, and leaves no file', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) =>
      record(i, `${'!'.repeat(200)} ${'?'.repeat(i % 500)}${i}`),
    );
    folder.write('in.jsonl', many.join(''));
    const { stdout, stderr } = await folder.shell(
      'neardup dedup in.jsonl --dropped d | head -n 1; echo "$PIPESTATUS"',
    );
    expect(stderr).toBe('');
    expect(stdout).toBe(`${many[0]}141\n`);
    expect(folder.names).toEqual(['in.jsonl']);
  });

  it('ends quietly when the reader of help goes away', async () => {
    const { stdout, stderr } = await folder.shell('sleep 1 | (neardup dedup --help; echo $? >&2) | true');
    expect(stdout).toBe('');
    expect(['0\n', '141\n']).toContain(stderr);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'removes unfinished files on %s and dies of it',
    async (signal) => {
      const child = folder.start(['dedup', '-', '--out', 'out', '--dropped', 'dropped']);
      const end = ended(child);
      child.stdin?.write(INPUT);
      while (folder.names.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill(signal);
      expect(await end).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
      expect(folder.names).toEqual(['in.jsonl']);
    },
  );

  it('answers as lines come, without waiting for more', async () => {
    const child = folder.start(['dedup', '-']);
    child.stdin?.write(INPUT);
    const [first] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    expect(String(first)).toBe(UNIQUE);
    child.stdin?.end();
    await once(child, 'close');
  });
});

describe('inputs of a kind', () => {
  it('with something after their gzip data are refused', async () => {
    const shell =
      'gzip -k in.jsonl; (cat in.jsonl.gz; head -c 600 /dev/zero; cat in.jsonl.gz) > two.gz; neardup dedup two.gz --out out';
    const { code, stderr } = await folder.shell(shell);
    expect(stderr).toContain('something else after its gzip data');
    expect([code, folder.names.includes('out')]).toEqual([1, false]);
  });

  it.runIf(process.platform === 'linux')('that are pipes do not keep a failed run waiting', async () => {
    const { code } = await folder.shell(
      'mkfifo pipe; (exec 3> pipe; echo bad >&3; exec sleep 300 > /dev/null 2>&1) & neardup dedup pipe --strict --quiet; code=$?; kill $!; exit $code',
    );
    expect(code).toBe(1);
  });
});
