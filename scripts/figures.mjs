// Writes the tables between <!-- figures:NAME --> and <!-- /figures --> of README.md from bench/results/NAME.json;
// with --check, fails where they are not up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const readme = new URL('../README.md', import.meta.url);

/** 12345678 as 12.3 M. */
function rate(perSecond) {
  const [divisor, unit] = perSecond >= 1e9 ? [1e9, 'G'] : perSecond >= 1e6 ? [1e6, 'M'] : [1e3, 'k'];
  return `${(perSecond / divisor).toPrecision(3)} ${unit}`;
}

const tables = {
  engines: ({ machine, kernel, date, rows }) => [
    '| operation | | native | TypeScript | ratio |',
    '|---|---|---:|---:|---:|',
    ...rows.map(
      (row) =>
        `| ${row.name} | ${row.detail} | ${rate(row.native)} ${row.unit}/s | ${rate(row.js)} ${row.unit}/s | ${row.ratio.toFixed(1)} |`,
    ),
    '',
    `One thread, medians. ${machine}, kernel ${kernel}, ${date}.`,
  ],
};

function table(name) {
  const file = new URL(`../bench/results/${name}.json`, import.meta.url);
  return existsSync(file) ? tables[name](JSON.parse(readFileSync(file, 'utf8'))).join('\n') : '';
}

const before = readFileSync(readme, 'utf8');
const after = before.replace(
  /<!-- figures:(\w+) -->\n[\s\S]*?<!-- \/figures -->/g,
  (_, name) => `<!-- figures:${name} -->\n${table(name)}\n<!-- /figures -->`,
);
if (!process.argv.includes('--check')) writeFileSync(readme, after);
else if (before !== after) {
  console.error('README.md: its figures are not those of bench/results; run `node scripts/figures.mjs`');
  process.exit(1);
}
