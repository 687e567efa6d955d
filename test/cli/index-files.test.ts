/** What `neardup index` leaves behind where it does not end well: signals, failures, other writers, files it may not write. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { randomKeys } from '../random.ts';
import { ended, Folder, MAIN } from './run.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder[Symbol.dispose]());

const COUNT = 3000;

async function makeIndex(name: string, count = COUNT): Promise<void> {
  const index = await HammingIndex.open(folder.file(name));
  index.addBatch(
    randomKeys(count, 1),
    Float64Array.from({ length: count }, (_, i) => i),
  );
  await index.checkpoint();
  index.close();
}

async function sizeOf(name: string): Promise<number> {
  const index = await HammingIndex.open(folder.file(name), { create: false });
  try {
    expect(await index.verify()).toEqual([]);
    return index.size;
  } finally {
    index.close();
  }
}

/** Lines of an export. */
function lines(from: number, to: number): string {
  let text = '';
  for (let id = from; id < to; id++) text += `{"fingerprint":"${id.toString(16)}","id":${id}}\n`;
  return text;
}

/** The command with entries on its way in, and no end of them: it has opened the index, or made it. */
async function startImport(name: string) {
  const child = folder.start(['index', 'import', '-', name, '--quiet']);
  const end = ended(child);
  child.stdin?.on('error', () => {});
  child.stdin?.write(lines(0, 100_000));
  while (!readdirSync(folder.path).includes(name) || !readdirSync(folder.file(name)).includes('MANIFEST')) {
    if (child.exitCode !== null) throw new Error((await end).stderr);
    await setTimeout(5);
  }
  return { child, end };
}

describe('neardup index export', () => {
  it('does not write over files of the index, whatever they are called', async () => {
    await makeIndex('a');
    mkdirSync(folder.file('b'));
    symlinkSync('../a', folder.file('b/link'));
    symlinkSync('a/MANIFEST', folder.file('manifest'));
    symlinkSync('a/segment-99', folder.file('new'));
    const before = readdirSync(folder.file('a')).sort();
    const [segment] = before.filter((name) => name.startsWith('segment-'));
    const outs = ['MANIFEST', 'MANIFEST.backup', 'LOCK', 'log-9', 'removed-77', segment].map(
      (name) => `a/${name}`,
    );
    for (const out of [
      ...outs,
      'b/link/MANIFEST',
      './b/../a/LOCK',
      'manifest',
      'new',
      folder.file('a/log-1'),
    ]) {
      const { code, stderr } = await folder.run(['index', 'export', 'a', '-o', out]);
      expect([code, stderr]).toEqual([2, `neardup: ${out} is a file of the index\n`]);
    }
    const { code } = await folder.run(['index', 'export', 'b/link', '-o', 'a/MANIFEST']);
    expect(code).toBe(2);
    expect(readdirSync(folder.file('a')).sort()).toEqual(before);
    expect(await sizeOf('a')).toBe(COUNT);
    // Other names, and other places, are the user's own.
    expect((await folder.run(['index', 'export', 'a', '-o', 'a/all.jsonl'])).code).toBe(0);
    expect((await folder.run(['index', 'export', 'a', '-o', 'b/MANIFEST'])).code).toBe(0);
    expect(await sizeOf('a')).toBe(COUNT);
  });

  it('replaces a file that is there only when it is complete', async () => {
    await makeIndex('a');
    folder.write('out', 'old');
    expect((await folder.run(['index', 'export', 'a', '-o', 'out'])).code).toBe(0);
    expect(folder.lines('out')).toHaveLength(COUNT);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends by %s without a file', async (signal) => {
    await makeIndex('a', 2_000_000);
    folder.write('out', 'old');
    const child = folder.start(['index', 'export', 'a', '-o', 'out']);
    const end = ended(child);
    while (folder.names.length === 2 && child.exitCode === null) await setTimeout(1);
    child.kill(signal);
    const { code, signal: by } = await end;
    expect([code, by]).toEqual([null, signal]);
    expect(folder.names).toEqual(['a', 'out']);
    expect(folder.read('out')).toBe('old');
  });
});

describe('neardup index import', () => {
  it('leaves nothing of an index that it made when it fails', async () => {
    folder.write('in', `${lines(0, 70_000)}oops\n`);
    expect((await folder.run(['index', 'import', 'in', 'deep/er/a'])).code).toBe(1);
    expect(folder.names).toEqual(['in']);
    mkdirSync(folder.file('empty'));
    mkdirSync(folder.file('full'));
    for (const name of ['notes.txt', 'segment', 'log-1.txt'])
      writeFileSync(folder.file(`full/${name}`), name);
    for (const name of ['empty', 'full']) {
      expect((await folder.run(['index', 'import', 'in', name])).code).toBe(1);
    }
    expect(readdirSync(folder.file('empty'))).toEqual([]);
    expect(readdirSync(folder.file('full')).sort()).toEqual(['log-1.txt', 'notes.txt', 'segment']);
  });

  it('leaves an index that was there as it was when it fails', async () => {
    await makeIndex('a');
    await makeIndex('none', 0);
    folder.write('in', `${lines(0, 70_000)}oops\n`);
    for (const [name, count] of [
      ['a', COUNT],
      ['none', 0],
    ] as const) {
      expect((await folder.run(['index', 'import', 'in', name])).code).toBe(1);
      expect(await sizeOf(name)).toBe(count);
    }
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends by %s with all or nothing', async (signal) => {
    await makeIndex('old');
    for (const name of ['new', 'old']) {
      const { child, end } = await startImport(name);
      // `old` was there before the command was; it opens it soon.
      while (!readdirSync(folder.file(name)).includes('LOCK')) await setTimeout(1);
      child.kill(signal);
      const { code, signal: by, stderr } = await end;
      expect([code, by, stderr]).toEqual([null, signal, '']);
    }
    expect(folder.names).toEqual(['old']);
    expect(await sizeOf('old')).toBe(COUNT);
  });

  it('leaves alone what another process has put in the place of its directory', async () => {
    // The shell has the pipe open for writing: no end of it comes before it closes it.
    const script = `mkfifo pipe; exec 3<>pipe; echo '{"fingerprint":"1","id":1}' >&3
'${process.execPath}' '${MAIN}' index import - a <pipe 3>&- 2>err & pid=$!
until [ -e a/MANIFEST ]; do sleep 0.05; done
mv a moved; echo '{"fingerprint":"2","id":2}' | '${process.execPath}' '${MAIN}' index import - a -q
exec 3>&-; wait $pid; echo $?; rm pipe`;
    expect((await folder.shell(script)).stdout).toBe('1\n');
    expect(folder.read('err')).toContain('nothing was changed in it');
    expect(await sizeOf('a')).toBe(1);
  });

  it('gives shells the exit code of the signal', async () => {
    for (const [signal, code] of [
      ['INT', 130],
      ['TERM', 143],
    ] as const) {
      // The shell has the pipe open for writing: no end of it comes.
      const script = `mkfifo pipe; exec 3<>pipe; echo '{"fingerprint":"1","id":1}' >&3
'${process.execPath}' '${MAIN}' index import - a <&3 & pid=$!
until [ -e a/MANIFEST ]; do sleep 0.05; done
kill -${signal} $pid; wait $pid; echo $?; rm pipe; ls`;
      expect((await folder.shell(script)).stdout).toBe(`${code}\n`);
    }
  });

  it('killed at any moment, leaves all or nothing', async () => {
    const isMade = (name: string) =>
      folder.names.includes(name) && readdirSync(folder.file(name)).includes('MANIFEST');
    await makeIndex('old');
    folder.write('in', lines(0, 60_000));
    for (let kill = 0; kill < 16; kill++) {
      const name = kill % 2 === 0 ? 'old' : `new${kill}`;
      const before = name === 'old' ? await sizeOf('old') : 0;
      const child = folder.start(['index', 'import', 'in', name, '--quiet']);
      const closed = once(child, 'close');
      while (child.exitCode === null && !(isMade(name) && readdirSync(folder.file(name)).includes('LOCK'))) {
        await setTimeout(1);
      }
      await setTimeout(kill * 25);
      child.kill('SIGKILL');
      await closed;
      const size = await sizeOf(name);
      expect([before, before + 60_000]).toContain(size);
      if (kill % 5 !== 1) continue;
      expect((await folder.run(['index', 'import', 'in', name, '--quiet'])).code).toBe(0);
      expect(await sizeOf(name)).toBe(size + 60_000);
    }
  });

  it('says who writes to an index that is open elsewhere, and leaves it alone', async () => {
    folder.write('in', lines(0, 10));
    const index = await HammingIndex.open(folder.file('a'));
    index.add(1n, 1);
    const { code, stderr } = await folder.run(['index', 'import', 'in', 'a']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`open for writing in process ${process.pid}\\b.*\\(ERR_NEARDUP_LOCKED\\)\n$`),
    );
    index.close();
    expect(await sizeOf('a')).toBe(1);
  });
});

/** How to run the command as a user who may not write: undefined where that cannot be arranged. */
function reader(): readonly string[] | undefined {
  if (process.platform === 'win32') return undefined;
  if (process.getuid?.() !== 0) return [process.execPath, MAIN];
  const run = ['setpriv', '--reuid', '65534', '--clear-groups', process.execPath, MAIN];
  try {
    execFileSync(run[0] as string, [...run.slice(1), '--version'], { stdio: 'ignore' });
    return run;
  } catch {
    console.warn('skipped: the command cannot be run as a user who may not write');
    return undefined;
  }
}

describe.skipIf(reader() === undefined)('in a directory that cannot be written', () => {
  const [program, ...first] = reader() ?? [''];
  const run = (...args: string[]) => {
    const quoted = [program as string, ...first, ...args].map((arg) => `'${arg}'`).join(' ');
    return folder.shell(quoted);
  };

  it('info, export and verify work, import and repair say what is wrong', async () => {
    await makeIndex('a');
    folder.write('in', lines(0, 10));
    chmodSync(folder.path, 0o755);
    for (const name of readdirSync(folder.file('a'))) chmodSync(folder.file(`a/${name}`), 0o444);
    chmodSync(folder.file('a'), 0o555);
    try {
      const before = readFileSync(folder.file('a/MANIFEST'));
      expect(await run('index', 'info', 'a')).toMatchObject({ code: 0, stderr: '' });
      expect(await run('verify', 'a')).toMatchObject({ code: 0, stderr: '' });
      const exported = await run('index', 'export', 'a');
      expect([exported.code, exported.stderr, exported.stdout.split('\n').length]).toEqual([
        0,
        '',
        COUNT + 1,
      ]);
      for (const args of [
        ['index', 'import', 'in', 'a'],
        ['repair', 'a'],
      ]) {
        const { code, stderr } = await run(...args);
        expect(code).toBe(1);
        expect(stderr).toMatch(/^neardup: .*permission denied.* \(ERR_NEARDUP_IO\)\n$/);
      }
      expect(readFileSync(folder.file('a/MANIFEST'))).toEqual(before);
    } finally {
      chmodSync(folder.file('a'), 0o755);
    }
  });

  it('no index is made', async () => {
    folder.write('in', lines(0, 10));
    chmodSync(folder.path, 0o755);
    mkdirSync(folder.file('fixed'), 0o555);
    for (const name of ['fixed', 'fixed/a', 'fixed/a/b']) {
      const { code, stderr } = await run('index', 'import', 'in', name);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^neardup: .*permission denied.* \(ERR_NEARDUP_IO\)\n$/);
    }
    expect(readdirSync(folder.file('fixed'))).toEqual([]);
    chmodSync(folder.file('fixed'), 0o755);
  });
});
