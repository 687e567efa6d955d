/** docs/api.md names every export and every error code, and none that there is not. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const [main = '', html = '', errors = ''] = read('docs/api.md').split(/^## (?:neardup\/html|Errors)$/m);

/** The names that a module exports, types too. */
function exportsOf(path: string): string[] {
  const source = read(path).replace(/\/\*\*[\s\S]*?\*\//g, '');
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  );
}

/** The names in code of a part of the page, without the arguments of functions. */
const namesIn = (part: string) => [...part.matchAll(/`(\w+)(?:\([^`]*\))?`/g)].map(([, name = '']) => name);

describe.each([
  ['lib/index.ts', main],
  ['lib/html/index.ts', html],
])('the reference of %s', (path, part) => {
  it('names every export', () => {
    const named = new Set(namesIn(part));
    const exported = exportsOf(path);
    expect(exported.length).toBeGreaterThan(10);
    expect(exported.filter((name) => !named.has(name))).toEqual([]);
  });

  it('names no function or class that there is not', async () => {
    const exported = new Set(exportsOf(path));
    const listed = [...part.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => namesIn(cell));
    expect(listed.filter((name) => !exported.has(name))).toEqual([]);
  });
});

it('lists the error codes', () => {
  const codes = [...read('lib/errors.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(5);
  expect([...errors.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code)).toEqual(codes);
});
