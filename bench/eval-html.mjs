// npm run eval:html: what of a page should be fingerprinted? Captures of real pages in order of time: do
// consecutive captures that differ in bytes get the same fingerprint, do different pages stay apart? Prints a
// table and writes bench/results/html.json, from which docs/choosing.md has its figures.
import { writeFileSync } from 'node:fs';
import { createHtmlFingerprinter, extractText } from '../dist/html/index.mjs';
import { createFingerprinter, hamming, recipes } from '../dist/index.mjs';
import { readRecords } from './data.mjs';
import { loadBefore, machineLine } from './machine.mjs';

const captures = readRecords('html');
if (captures === undefined) process.exit(0);

// Two of the groups are one page: the same bytes, fetched within seconds of each other.
const pageOf = ({ group }) =>
  group.replace('Buffer/Copyright Claims Policy.html', 'Buffer/Terms of Service.html');

const consecutive = [];
const apart = [];
for (const [i, capture] of captures.entries()) {
  const next = captures[i + 1];
  if (next?.group === capture.group && next.html !== capture.html) consecutive.push([i, i + 1]);
  for (let j = 0; j < i; j++) if (pageOf(captures[j]) !== pageOf(capture)) apart.push([j, i]);
}

const stripTags = (html) => html.replace(/<[^>]*>/g, ' ');
const texts = [
  ['tags stripped by a regular expression', stripTags],
  ['all', (html) => extractText(html)],
  ['main', (html) => extractText(html, { mode: 'main' })],
];
const chosen = [recipes.shingles(3), recipes.words({ weight: 'log' })];
const ways = chosen.flatMap((recipe) => {
  const fingerprinter = createFingerprinter(recipe);
  const weighted = createHtmlFingerprinter({ recipe });
  return [
    ...texts.map(([name, read]) => ({
      name,
      recipe: recipe.text,
      same: (a, b) => read(a) === read(b),
      fingerprint: (html) => fingerprinter.fingerprint(read(html)),
    })),
    {
      name: 'weighted',
      recipe: recipe.text,
      same: undefined,
      fingerprint: (html) => weighted.fingerprint(html),
    },
  ];
});

const rows = ways.map(({ name, recipe, same, fingerprint }) => {
  const started = performance.now();
  const prints = captures.map(({ html }) => fingerprint(html));
  const milliseconds = (performance.now() - started) / captures.length;
  const distance = ([i, j]) => hamming(prints[i], prints[j]);
  const near = consecutive.map(distance);
  const far = apart.map(distance);
  return {
    name,
    recipe,
    milliseconds,
    sameText: same && consecutive.filter(([i, j]) => same(captures[i].html, captures[j].html)).length,
    equal: near.filter((d) => d === 0).length,
    within3: near.filter((d) => d <= 3).length,
    farthest: Math.max(...near),
    wrong: far.filter((d) => d <= 3).length,
    nearest: Math.min(...far),
  };
});

console.log(
  `${captures.length} captures; ${consecutive.length} consecutive pairs that differ in bytes; ${apart.length} pairs of different pages`,
);
console.table(
  rows.map((row) => ({
    ...row,
    recipe: row.recipe.replace('neardup:1 ', ''),
    milliseconds: Number(row.milliseconds.toFixed(1)),
  })),
);
const result = {
  machine: machineLine(),
  loadBefore,
  consecutive: consecutive.length,
  apart: apart.length,
  rows,
};
writeFileSync(new URL('./results/html.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
