/** neardup index, verify and repair, as users run them. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { randomKeys } from '../random.ts';
import { Folder } from './run.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder[Symbol.dispose]());

const COUNT = 5000;

/** An index with every column, a segment, removed entries and a log. */
async function makeIndex(name: string): Promise<void> {
  const index = await HammingIndex.open(folder.file(name), {
    create: true,
    times: true,
    tags: true,
    secondFingerprints: true,
  });
  const ids = Float64Array.from({ length: COUNT }, (_, i) => 2 ** 40 + i);
  const columns = {
    times: ids.map((id) => id * 2),
    tags: Uint32Array.from(ids, (_, i) => 0xffff_ffff - i),
    secondFingerprints: randomKeys(COUNT, 2),
  };
  index.addBatch(randomKeys(COUNT, 1), ids, columns);
  await index.checkpoint();
  index.remove(randomKeys(COUNT, 1)[17] as bigint, ids[17] as number);
  index.add(0n, 0, { time: 0, tag: 0, secondFingerprint: 2n ** 64n - 1n });
  index.close();
}

async function entriesIn(name: string): Promise<unknown[]> {
  const index = await HammingIndex.open(folder.file(name), { readOnly: true });
  const entries: unknown[] = [];
  for await (const { fingerprints, ids, times, tags, secondFingerprints } of index.entries()) {
    for (const [i, id] of ids.entries()) {
      entries.push([fingerprints[i], id, times?.[i], tags?.[i], secondFingerprints?.[i]]);
    }
  }
  index.close();
  return entries;
}

describe('neardup index', () => {
  it.each(['binary', 'jsonl'])('exports and imports %s, with the same entries', async (format) => {
    await makeIndex('a');
    const exported = await folder.run(['index', 'export', 'a', '--format', format, '--out', 'all']);
    expect(exported).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const columns = format === 'binary' ? [] : ['--times', '--tags', '--second-fingerprints'];
    const imported = await folder.run(['index', 'import', 'all', 'b', ...columns]);
    expect(imported).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'neardup: 5,000 entries added, 5,000 held\n',
    });
    expect(await entriesIn('b')).toEqual(await entriesIn('a'));
    expect(await entriesIn('b')).toHaveLength(COUNT);
  });

  it('exports to standard output what import reads from standard input, also gzip', async () => {
    await makeIndex('a');
    const { code, stderr } = await folder.shell(
      'neardup index export a --format binary | gzip | neardup index import - b --distance 5 --quiet',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await entriesIn('b')).toEqual(await entriesIn('a'));
    const info = JSON.parse((await folder.run(['index', 'info', 'b', '--json'])).stdout);
    expect(info).toMatchObject({ entries: COUNT, removed: 0, maxDistance: 5 });
    expect(info.columns).toEqual({ times: true, tags: true, secondFingerprints: true });
  });

  it('moves recipe and distance with a binary export, and refuses another recipe', async () => {
    const [recipe, other] = [
      'neardup:1 shingles width=3 weight=set',
      'neardup:1 words ngrams=1..2 weight=log',
    ];
    const options = { maxDistance: 6, recipe };
    const index = await HammingIndex.open(folder.file('a'), options);
    index.add(1n, 1);
    index.close();
    await folder.run(['index', 'export', 'a', '--format', 'binary', '--out', 'all']);
    expect((await folder.run(['index', 'import', 'all', 'b'])).code).toBe(0);
    const copy = await HammingIndex.open(folder.file('b'), { readOnly: true });
    expect(copy).toMatchObject({ size: 1, maxDistance: 6, recipe });
    copy.close();
    (await HammingIndex.open(folder.file('c'), { recipe: other })).close();
    (await HammingIndex.open(folder.file('d'), { maxDistance: 2, recipe })).close();
    const refused = await folder.run(['index', 'import', 'all', 'c']);
    expect(refused.code).toBe(1);
    for (const name of [recipe, other]) expect(refused.stderr).toContain(name);
    const named = await folder.run(['index', 'import', 'all', 'e', '--recipe', other]);
    expect([named.code, named.stderr]).toEqual([1, expect.stringContaining(`not of "${other}"`)]);
    // Into an index of another distance: entries have none.
    expect((await folder.run(['index', 'import', 'all', 'd'])).code).toBe(0);
    folder.write('lines', '{"fingerprint":"2","id":2}');
    expect((await folder.run(['index', 'import', 'lines', 'd', '--recipe', recipe])).code).toBe(0);
    expect((await folder.run(['index', 'info', 'd'])).stdout).toContain(`recipe: ${recipe}\n`);
    expect(await entriesIn('d')).toHaveLength(2);
  });

  it.each([4, 12, 23, 30])('knows an export whose first %i bytes come alone', async (length) => {
    await makeIndex('a');
    await folder.run(['index', 'export', 'a', '--format', 'binary', '--out', 'all']);
    const { code, stderr } = await folder.shell(
      `(head -c ${length} all; sleep 0.3; tail -c +${length + 1} all) | neardup index import - b --quiet`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await entriesIn('b')).toEqual(await entriesIn('a'));
  });

  it('prints JSON lines that say what they hold', async () => {
    folder.write('in', '{"fingerprint":"c0ffee","id":7}\n\n{"id":8,"fingerprint":"FFFFFFFFFFFFFFFF"}');
    expect((await folder.run(['index', 'import', 'in', 'a'])).code).toBe(0);
    const { stdout } = await folder.run(['index', 'export', 'a']);
    expect(stdout).toBe(
      '{"fingerprint":"0000000000c0ffee","id":7}\n{"fingerprint":"ffffffffffffffff","id":8}\n',
    );
  });

  it('says in 80 columns what an index holds', async () => {
    await makeIndex('a');
    const { code, stdout } = await folder.run(['index', 'info', 'a']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^5,000 entries, exact within 3 bits, /);
    expect(stdout).toContain('columns: times, tags, secondFingerprints');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([
    ['{"fingerprint":"c0ffee"}', /line 1 of in: the field "id" must be an integer/],
    ['{"fingerprint":"xyz","id":1}', /"fingerprint" must be up to 16 hexadecimal digits/],
    ['{"fingerprint":"1","id":1.5}', /"id" must be an integer/],
    ['{"fingerprint":"1","id":1}\n[1]', /line 2 of in is not a JSON object/],
    [
      '{"fingerprint":"1","id":1,"tag":4}',
      /line 1 of in has the field "tag", which the index has no column for/,
    ],
    ['{"fingerprint":', /line 1 of in is not valid JSON/],
  ])('refuses %s and adds nothing', async (text, message) => {
    folder.write('in', text);
    const { code, stderr } = await folder.run(['index', 'import', 'in', 'a']);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(folder.names).toEqual(['in']);
  });

  it('refuses an export that is cut off, changed or longer', async () => {
    await makeIndex('a');
    await folder.run(['index', 'export', 'a', '--format', 'binary', '--out', 'all']);
    const bytes = readFileSync(folder.file('all'));
    const damaged = [
      bytes.subarray(0, bytes.length - 1),
      bytes.subarray(0, 20),
      bytes.subarray(0, 40),
      Buffer.from(bytes.map((byte, i) => (i === 30 ? byte ^ 1 : byte))),
      Buffer.concat([bytes, Buffer.from('x')]),
      Buffer.from(bytes.map((byte, i) => (i === 3000 ? byte ^ 1 : byte))),
    ];
    for (const [i, content] of damaged.entries()) {
      writeFileSync(folder.file('bad'), i % 2 === 0 ? content : gzipSync(content));
      const { code, stderr } = await folder.run(['index', 'import', 'bad', `b${i}`]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/bad (is not a whole export|is not valid JSON)|line 1 of bad/),
      ]);
    }
  });

  it('adds to an index that is there, and refuses other columns and distances', async () => {
    await makeIndex('a');
    await folder.run(['index', 'export', 'a', '--format', 'binary', '--out', 'all']);
    expect((await folder.run(['index', 'import', 'all', 'a'])).stderr).toContain(
      '5,000 entries added, 10,000 held',
    );
    folder.write('in', '{"fingerprint":"1","id":1}');
    expect(await folder.run(['index', 'import', 'in', 'a'])).toMatchObject({ code: 1 });
    expect(await folder.run(['index', 'import', 'all', 'a', '--distance', '4'])).toMatchObject({ code: 1 });
    expect((await folder.run(['index', 'info', 'a', '--json'])).stdout).toContain('"entries":10000');
  });

  it('names what is missing', async () => {
    for (const command of [['index', 'info'], ['index', 'export'], ['verify'], ['repair']]) {
      const { code, stderr } = await folder.run([...command, 'nothing']);
      expect(code, command.join(' ')).toBe(1);
      expect(stderr.split('\n')).toHaveLength(2);
      expect(stderr).toContain('nothing');
    }
    expect((await folder.run(['index', 'import', 'nothing', 'a'])).stderr).toContain('cannot read nothing');
  });
});

describe('neardup verify and repair', () => {
  it('finds nothing in an index that is whole, and leaves it as it is', async () => {
    await makeIndex('a');
    expect(await folder.run(['verify', 'a'])).toMatchObject({
      code: 0,
      stdout: 'a: all is what was written\n',
      stderr: '',
    });
    cpSync(folder.file('a'), folder.file('b'), { recursive: true });
    const { code, stdout } = await folder.run(['repair', 'a']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('nothing was changed')]);
    expect((await folder.shell('diff -r a b && echo same')).stdout).toBe('same\n');
  });

  it('tells a stale backup of the manifest, and that a file is no index', async () => {
    await makeIndex('a');
    folder.write('a/MANIFEST.backup', 'lost');
    const verified = await folder.run(['verify', 'a']);
    expect(verified.code).toBe(1);
    expect(verified.stdout).toMatch(/MANIFEST\.backup: manifest: its checksum differs; .* renew it\n$/);
    expect(await folder.run(['repair', 'a'])).toMatchObject({ code: 0 });
    expect((await folder.run(['verify', 'a'])).code).toBe(0);
    for (const command of ['verify', 'repair']) {
      const { code, stderr } = await folder.run([command, 'a/MANIFEST']);
      expect(code).toBe(1);
      expect(stderr).toContain('a/MANIFEST is a file: the directory of an index is wanted');
    }
  });

  it('names damage, keeps what is whole, and says what was dropped', async () => {
    await makeIndex('a');
    const [segment] = (await folder.shell('ls a | grep segment')).stdout.split('\n');
    const path = `${folder.file('a')}/${segment}`;
    const bytes = readFileSync(path);
    bytes[6000] = (bytes[6000] as number) ^ 255;
    writeFileSync(path, bytes);
    const verified = await folder.run(['verify', 'a']);
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain(`${segment}: payload block 0`);
    expect(verified.stderr).toMatch(/^neardup: a: 1 file is damaged; neardup repair keeps what is whole\n$/);
    const json = JSON.parse((await folder.run(['verify', 'a', '--json'])).stdout);
    expect(json.problems[0]).toMatchObject({ section: expect.stringContaining('payload block 0') });
    const repaired = await folder.run(['repair', 'a']);
    expect(repaired).toMatchObject({ code: 0, stderr: '' });
    expect(repaired.stdout).toContain(`${segment}: payload block 0`);
    expect((await folder.run(['verify', 'a'])).code).toBe(0);
    // What came after the segment is there.
    expect(await entriesIn('a')).toContainEqual([0n, 0, 0, 0, 2n ** 64n - 1n]);
  });
});
