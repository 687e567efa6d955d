// npm run eval: how well fingerprints tell the same page from another, on real documents, by recipe and
// distance; and how good the hash is. Prints the tables, writes bench/results/eval.json, from which
// docs/choosing.md gets its tables.
import { writeFileSync } from 'node:fs';
import { createFingerprinter } from '../../dist/index.mjs';
import { loadBefore, machineLine } from '../machine.mjs';
import { measurePairs } from './distances.mjs';
import { hashQuality } from './hash-quality.mjs';
import { measureMeaning } from './meaning.mjs';
import { licences, policies } from './pairs.mjs';
import { singleRecipes, verifiedRecipes } from './recipes.mjs';
import { measureShortTexts } from './short-texts.mjs';

const DISTANCES = Array.from({ length: 13 }, (_, k) => k);
const PRIMARY_DISTANCES = [3, 4, 5, 6, 7, 8];
const SECOND_DISTANCES = [8, 10, 12, 14, 16];

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

const percent = (value) => `${(100 * value).toFixed(1)}`.padStart(5);
const rounded = (_, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(6)) : value;

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
  const singles = singleRecipes(set.texts).map(([name, recipe]) => {
    const measure = measurePairs(set, fingerprints(recipe));
    const points = DISTANCES.map((k) => ({ k, ...measure(k) }));
    console.log(`  ${name}`);
    console.log(`    k    ${points.map(({ k }) => String(k).padStart(5)).join(' ')}`);
    console.log(`    P    ${points.map((point) => percent(point.precision)).join(' ')}`);
    console.log(`    R    ${points.map((point) => percent(point.recall)).join(' ')}`);
    return { name, recipe: recipe.text, points };
  });
  const verified = verifiedRecipes().map(([name, primary, second]) => {
    const measure = measurePairs(set, fingerprints(primary), fingerprints(second));
    console.log(`  ${name}: within k1, confirmed within k2`);
    console.log(`    k1 \\ k2 ${SECOND_DISTANCES.map((k2) => String(k2).padStart(13)).join('')}`);
    const rows = PRIMARY_DISTANCES.map((k1) =>
      SECOND_DISTANCES.map((k2) => ({ k1, k2, ...measure(k1, k2) })),
    );
    for (const row of rows) {
      const cells = row.map((point) => `${percent(point.precision)} /${percent(point.recall)}`.padStart(13));
      console.log(`    ${String(row[0].k1).padStart(7)} ${cells.join('')}`);
    }
    return { name, primary: primary.text, second: second.text, points: rows.flat() };
  });
  return { set: set.name, documents: set.texts.length, singles, verified };
}

const policySet = policies(shingleSet);
const sets = [policySet, licences(shingleSet)].filter((set) => set !== undefined);
if (sets.length === 0)
  console.log('No labelled documents found (set NEARDUP_DATA); only the hash is judged.');
const result = {
  machine: machineLine(),
  loadBefore,
  sets: sets.map(evaluate),
  meaning: policySet ? measureMeaning(policySet, shingleSet) : [],
  short: policySet ? measureShortTexts(policySet.texts) : [],
  hash: hashQuality(),
};
if (sets.length === 2) {
  const text = JSON.stringify(result, rounded, 1).replace(/\n {4,}/g, ' ');
  writeFileSync(new URL('../results/eval.json', import.meta.url), `${text}\n`);
}
