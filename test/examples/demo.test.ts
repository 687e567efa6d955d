/** The demo and its data: which documents are kept is fixed; a change of it is a change of the recipe. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Deduplicator } from '../../lib/dedup/deduplicator.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const FILE = '../../examples/data/policies-demo.jsonl';

interface Policy {
  readonly id: string;
  readonly group: string;
  readonly text: string;
}

const documents = read(FILE)
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Policy);
const expected = JSON.parse(read('../fixtures/demo-kept.json')) as string[];

it('keeps exactly these documents', () => {
  using dedup = new Deduplicator();
  const kept = documents.filter((document) => dedup.offer(document).kept);
  expect(kept.map(({ id }) => id)).toEqual(expected);
});

it('drops only revisions of the page that it keeps, and no page altogether', () => {
  const groups = new Map(documents.map(({ id, group }) => [id, group]));
  using dedup = new Deduplicator();
  for (const [i, decision] of dedup.offerBatch(documents).entries()) {
    if (!decision.kept) expect(groups.get(decision.keptId as string)).toBe(documents[i]?.group);
  }
  expect(new Set(expected.map((id) => groups.get(id)))).toEqual(new Set(groups.values()));
});

it('gives the same by the command line', () => {
  const main = fileURLToPath(new URL('../../dist/cli/main.mjs', import.meta.url));
  const file = fileURLToPath(new URL(FILE, import.meta.url));
  const output = execFileSync(process.execPath, [main, 'dedup', file, '--id', 'id', '--quiet'], {
    encoding: 'utf8',
  });
  const lines = read(FILE).split('\n').slice(0, -1);
  const kept = new Set(expected);
  expect(output).toBe(
    lines
      .filter((_, i) => kept.has(documents[i]?.id ?? ''))
      .join('\n')
      .concat('\n'),
  );
});

it('prints a summary of at most 80 columns with these counts', () => {
  const demo = fileURLToPath(new URL('../../examples/demo.mjs', import.meta.url));
  const lines = execFileSync(process.execPath, [demo], { encoding: 'utf8' }).trimEnd().split('\n');
  for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80);
  const text = lines.join('\n');
  expect(text).toMatch(new RegExp(`documents +${documents.length} `));
  expect(text).toMatch(new RegExp(`unique +${expected.length}$`, 'm'));
  const dropped = documents.length - expected.length;
  expect(text).toMatch(new RegExp(`dropped +${dropped} `));
  expect(text).toContain(`${dropped} of ${dropped} dropped documents are revisions`);
});
