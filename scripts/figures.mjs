// Writes the tables between <!-- figures:NAME --> and <!-- /figures --> of README.md and docs/ from
// bench/results/*.json; with --check, fails where they are not up to date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { evalTables } from './figures-eval.mjs';
import { indexTables } from './figures-index.mjs';

const root = new URL('../', import.meta.url);

/** 12345678 as 12.3 M. */
function rate(perSecond) {
  const [divisor, unit] = perSecond >= 1e9 ? [1e9, 'G'] : perSecond >= 1e6 ? [1e6, 'M'] : [1e3, 'k'];
  return `${(perSecond / divisor).toPrecision(3)} ${unit}`;
}

/** By name: the results that a table is made of, and how. */
const tables = {
  engines: [
    'engines',
    ({ machine, kernel, date, rows }) => [
      '| operation | | native | TypeScript | ratio |',
      '|---|---|---:|---:|---:|',
      ...rows.map(
        (row) =>
          `| ${row.name} | ${row.detail} | ${rate(row.native)} ${row.unit}/s | ${rate(row.js)} ${row.unit}/s | ${row.ratio.toFixed(1)} |`,
      ),
      '',
      `One thread, medians. ${machine}, kernel ${kernel}, ${date}.`,
    ],
  ],
  fingerprint: [
    'fingerprint',
    ({ machine, kernel, date, texts, time, loadBefore, loadAfter, rows }) => [
      '| operation | measured | target | |',
      '|---|---:|---:|---|',
      ...rows.map(({ operation, measured, target, met }) => {
        const verdict = met === undefined ? '' : met ? 'met' : '**short**';
        return `| ${operation.trim()} | ${measured} | ${target.replaceAll('<', '&lt;')} | ${verdict} |`;
      }),
      '',
      `${machine}, kernel ${kernel}, ${date}; load average ${loadBefore.toFixed(2)} before, ${loadAfter.toFixed(2)} after.`,
      `${texts}. ${time}.`,
    ],
  ],
  ...evalTables,
  ...indexTables,
};

function readResults(name) {
  const file = new URL(`bench/results/${name}.json`, root);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** A table of results, and for some of others beside them; empty where there are no results yet. */
function table(name) {
  const [results, make, beside] = tables[name];
  const result = readResults(results);
  return result === undefined ? '' : make(result, beside && readResults(beside)).join('\n');
}

const pages = ['README.md', ...readdirSync(new URL('docs', root)).map((page) => `docs/${page}`)];
for (const page of pages.filter((name) => name.endsWith('.md'))) {
  const file = new URL(page, root);
  const before = readFileSync(file, 'utf8');
  const after = before.replace(
    /<!-- figures:(\w+) -->\n[\s\S]*?<!-- \/figures -->/g,
    (_, name) => `<!-- figures:${name} -->\n${table(name)}\n<!-- /figures -->`,
  );
  if (!process.argv.includes('--check')) writeFileSync(file, after);
  else if (before !== after) {
    console.error(`${page}: its figures are not those of bench/results; run \`node scripts/figures.mjs\``);
    process.exitCode = 1;
  }
}
