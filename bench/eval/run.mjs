// npm run eval: how well fingerprints tell the same page from another, on real documents, by recipe and
// distance; and how good the hash is. Prints the tables, writes bench/results/eval.json, from which
// docs/choosing.md gets its tables.
import { writeFileSync } from 'node:fs';
import { createFingerprinter, recipes } from '../../dist/index.mjs';
import { machineLine } from '../machine.mjs';
import { measurePairs } from './distances.mjs';
import { hashQuality } from './hash-quality.mjs';
import { licences, policies } from './pairs.mjs';

const DISTANCES = Array.from({ length: 13 }, (_, k) => k);
const PRIMARY_DISTANCES = [3, 4, 6, 8, 10];
const SECOND_DISTANCES = [8, 10, 12, 14, 16];

const single = [
  recipes.words({ weight: 'set' }),
  recipes.words({ weight: 'count' }),
  recipes.words({ weight: 'log' }),
  recipes.words({ ngrams: [1, 2], weight: 'log' }),
  recipes.shingles(2, { weight: 'count' }),
  recipes.shingles(3, { weight: 'count' }),
  recipes.shingles(3, { weight: 'set' }),
  recipes.shingles(4, { weight: 'count' }),
  recipes.chars(5, { weight: 'count' }),
  recipes.chars(8, { weight: 'set' }),
];
const words = recipes.words({ weight: 'log' });
const verified = [
  [words, recipes.shingles(3, { weight: 'count' })],
  [words, recipes.shingles(3, { weight: 'set' })],
  [words, recipes.shingles(2, { weight: 'count' })],
  [recipes.words({ ngrams: [1, 2], weight: 'log' }), recipes.shingles(3, { weight: 'count' })],
];

/** Distinct 3-shingles as sorted numbers (53 bits of the hash are enough to tell them apart). */
function shingleSet(text) {
  const tokens = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const known = new Set();
  for (let i = 0; i + 3 <= tokens.length; i++) known.add(numberOf(tokens.slice(i, i + 3).join(' ')));
  return Float64Array.from(known).sort();
}

const numbers = new Map();
function numberOf(shingle) {
  let number = numbers.get(shingle);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(shingle, number);
  }
  return number;
}

const name = (recipe) => recipe.text.replace(/^neardup:\d+ /, '');
const percent = (value) => `${(100 * value).toFixed(1)}`.padStart(5);

function evaluate(set) {
  const cache = new Map();
  const fingerprints = (recipe) => {
    if (!cache.has(recipe.text)) {
      const fingerprinter = createFingerprinter(recipe);
      cache.set(
        recipe.text,
        set.texts.map((text) => fingerprinter.fingerprint(text)),
      );
    }
    return cache.get(recipe.text);
  };
  console.log(`\n${set.name}: ${set.texts.length} documents; precision / recall in percent by distance k`);
  const singles = single.map((recipe) => {
    const measure = measurePairs(set, fingerprints(recipe));
    const points = DISTANCES.map((k) => ({ k, ...measure(k) }));
    console.log(`  ${name(recipe)}`);
    console.log(`    k    ${points.map(({ k }) => String(k).padStart(5)).join(' ')}`);
    console.log(`    P    ${points.map((point) => percent(point.precision)).join(' ')}`);
    console.log(`    R    ${points.map((point) => percent(point.recall)).join(' ')}`);
    return { recipe: name(recipe), points };
  });
  const pairs = verified.map(([primary, second]) => {
    const measure = measurePairs(set, fingerprints(primary), fingerprints(second));
    console.log(`  ${name(primary)} within k1, verified by ${name(second)} within k2`);
    console.log(`    k1 \\ k2 ${SECOND_DISTANCES.map((k2) => String(k2).padStart(13)).join('')}`);
    const rows = PRIMARY_DISTANCES.map((k1) =>
      SECOND_DISTANCES.map((k2) => ({ k1, k2, ...measure(k1, k2) })),
    );
    for (const row of rows) {
      const cells = row.map((point) => `${percent(point.precision)} /${percent(point.recall)}`.padStart(13));
      console.log(`    ${String(row[0].k1).padStart(7)} ${cells.join('')}`);
    }
    return { primary: name(primary), second: name(second), points: rows.flat() };
  });
  return { set: set.name, documents: set.texts.length, singles, pairs };
}

const sets = [policies(shingleSet), licences(shingleSet)].filter((set) => set !== undefined);
if (sets.length === 0)
  console.log('No labelled documents found (set NEARDUP_DATA); only the hash is judged.');
const result = { machine: machineLine(), sets: sets.map(evaluate), hash: hashQuality() };
if (sets.length > 0) {
  writeFileSync(new URL('../results/eval.json', import.meta.url), `${JSON.stringify(result, null, 1)}\n`);
}
