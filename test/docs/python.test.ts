/** The Python function of README.md makes our fingerprints. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { fingerprint, recipes, toHex } from '../../lib/index.ts';

const golden = fileURLToPath(new URL('../golden', import.meta.url));
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const block = /^```python\n([\s\S]*?)^```/m.exec(readme)?.[1] as string;

const TEXTS = [
  'Hello',
  'The quick brown fox jumps over the lazy dog.',
  'The THE the: a a a a b b c, d-e_f',
  `${'long word '.repeat(30)}and ${'x'.repeat(300)}`,
  Array.from({ length: 2000 }, (_, i) => `word${(i * i) % 97}`).join(' '),
];

/** xxhash is not in every Python: the hash of the golden fingerprints stands in for it. */
const PROGRAM = `
import json, sys, types
sys.path.insert(0, sys.argv[1])
import fingerprints
sys.modules["xxhash"] = types.SimpleNamespace(xxh3_64_intdigest=fingerprints.xxh3)
source, texts = json.load(sys.stdin)
scope = {}
exec(source, scope)
f = scope["fingerprint"]
ways = [f, lambda t: f(t, 3, lambda tf: tf), lambda t: f(t, 3, lambda tf: 1)]
print(json.dumps([[f"{way(text):016x}" for text in texts] for way in ways]))
`;

it('gives the same as the recipes that it names', () => {
  const output = execFileSync('python3', ['-B', '-c', PROGRAM, golden], {
    input: JSON.stringify([block, TEXTS]),
    encoding: 'utf8',
  });
  const ours = [recipes.words(), recipes.shingles(3), recipes.shingles(3, { weight: 'set' })].map((recipe) =>
    TEXTS.map((text) => toHex(fingerprint(text, recipe) as bigint)),
  );
  expect(JSON.parse(output)).toEqual(ours);
  expect(readme).toContain('`recipes.words()`');
  expect(readme).toContain('`recipes.shingles(3)`');
});
