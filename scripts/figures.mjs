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

const MEMORY = {
  UrlSet: (row) => `${row.bytesPerUrl.toFixed(1)} bytes a URL, opened in ${row.openSeconds.toFixed(1)} s`,
  'UrlSet in a directory': (row) =>
    `${row.bytesPerUrl.toFixed(2)} bytes a URL, opened in ${row.openSeconds.toFixed(1)} s`,
};

function urlTable({ machine, rows }) {
  const sized = rows.filter((row) => row.count !== undefined);
  const order = [...new Set(sized.map((row) => row.name))];
  sized.sort(
    (a, b) =>
      b.engine.localeCompare(a.engine) || order.indexOf(a.name) - order.indexOf(b.name) || a.count - b.count,
  );
  const bloom = (row) =>
    `${row.bitsPerItem.toFixed(1)} bits an item, measured rate ${row.measuredRate.toFixed(5)}`;
  const loads = rows.map((row) => row.load).filter((load) => load !== undefined);
  return [
    '| | engine | count | add | test, seen | test, new | |',
    '|---|---|---:|---:|---:|---:|---|',
    ...sized.map(
      (row) =>
        `| ${row.name} | ${row.engine} | 1e${Math.log10(row.count)} | ${rate(row.addsPerSecond)} | ${rate(row.seenTestsPerSecond)} | ${rate(row.newTestsPerSecond)} | ${(MEMORY[row.name] ?? bloom)(row)} |`,
    ),
    '',
    `A second of processor time, in batches of 65,536. ${machine}, ${rows.at(-1).date}, shared with other work (load average ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}).`,
  ];
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
  urls: ['urls', urlTable],
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
