// The tables of the index, from bench/results/{index,peers,billion,storage}.json.
import { measured, short, targeted } from '../bench/index/format.mjs';

const row = (cells) => `| ${cells.join(' | ')} |`;
const head = (titles) => [row(titles), row(titles.map((_, i) => (i === 0 ? '---' : '---:')))];
const sizes = {
  1e5: '100 thousand',
  1e6: '1 million',
  1e7: '10 million',
  1e8: '100 million',
  1e9: '1 billion',
};
const size = (count) => sizes[count] ?? count.toLocaleString('en');
/** 7047.3 as 7,050 x. */
const factor = (value) => `${Number(value.toPrecision(3)).toLocaleString('en')} x`;
const html = (text) => text.replaceAll('<', '&lt;');

/** Where and when; runs may differ. */
function conditions(runs) {
  const lines = runs.map(
    ({ machine, kernel, date }) => `${machine}${kernel === undefined ? '' : `, kernel ${kernel}`}, ${date}`,
  );
  const loads = runs.flatMap(({ loadBefore, loadAfter }) => [loadBefore, loadAfter]);
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(2));
  return ['', `${[...new Set(lines)].join('; ')}; load average ${least} to ${most}.`];
}

/** A figure, and its target where there is one. */
function cell(one) {
  if (one === undefined) return '';
  if (one.met === undefined) return measured(one);
  if (one.met === false) return html(`${measured(one)}, **short** of ${targeted(one)}`);
  return html(`${measured(one)}, ${one.met === true ? 'met' : `met ${one.met}`} ${targeted(one)}`);
}

const distinct = (values) => [...new Set(values)];
const rowsOf = (runs) => runs.flatMap(({ rows }) => rows);

/** One row for each operation and budget, one column for each size. */
function operationsTable({ runs }, parts) {
  const chosen = runs.filter(({ part }) => parts.includes(part));
  const rows = rowsOf(chosen);
  const counts = distinct(rows.map(({ count }) => count));
  const name = ({ operation, of }) => (of === undefined ? operation : `${operation}: ${of}`);
  const lines = distinct(rows.map((one) => name(one))).flatMap((operation) =>
    ['compact', 'fast'].flatMap((memory) => {
      const same = rows.filter((one) => name(one) === operation && one.memory === memory);
      if (same.length === 0) return [];
      return [
        row([operation, memory, ...counts.map((count) => cell(same.find((one) => one.count === count)))]),
      ];
    }),
  );
  return [...head(['', 'memory', ...counts.map(size)]), ...lines, ...conditions(chosen)];
}

function skewTable({ runs }) {
  const chosen = runs.filter(({ part }) => part === 'skew');
  const rows = rowsOf(chosen);
  const titles = ['', 'fingerprints', 'queries', 'rate of uniform', 'self-join', 'time of uniform'];
  return [
    ...head(titles),
    ...rows
      .filter(({ operation }) => operation.endsWith('queries'))
      .map((query) => {
        const join = rows.find((one) => one !== query && one.of === query.of && one.count === query.count);
        return row([
          query.of,
          size(query.count),
          `${short(query.skewed.rate)}/s, ${query.skewed.matches.toFixed(1)} matches each`,
          cell(query),
          `${short(join.skewed.seconds)} s, ${short(join.skewed.pairs)} pairs`,
          cell(join),
        ]);
      }),
    ...conditions(chosen),
  ];
}

function peersTable({ rows, ...run }) {
  return [
    ...head([
      '',
      'fingerprints',
      'bytes',
      'load',
      'queries',
      'ours to theirs',
      'self-join',
      'theirs to ours',
    ]),
    ...rows.map((one) =>
      row([
        one.recall < 1 ? `${one.name}: finds ${(100 * one.recall).toFixed(1)} %` : one.name,
        size(one.count),
        one.bytes === undefined ? '' : one.bytes.toFixed(1),
        `${short(one.loadsPerSecond)}/s`,
        `${short(one.queriesPerSecond)}/s`,
        one.queryRatio === undefined ? '' : `${factor(one.queryRatio)}${targetOf(one, 'queryRatio')}`,
        one.joinSeconds === undefined ? '' : `${short(one.joinSeconds)} s`,
        one.joinRatio === undefined ? '' : `${factor(one.joinRatio)}${targetOf(one, 'joinRatio')}`,
      ]),
    ),
    ...conditions([run]),
  ];
}

function targetOf({ targetOf: of, target, met }, ratio) {
  if (of !== ratio) return '';
  return met ? `, met ${target} x` : `, **short** of ${target} x`;
}

/** One row for each operation, one column for each run. */
function runsTable({ runs }) {
  const counts = runs.map(({ count }) => count);
  const rows = rowsOf(runs);
  return [
    ...head(['', ...counts.map(size)]),
    ...distinct(rows.map(({ operation }) => operation)).map((operation) =>
      row([
        operation,
        ...counts.map((count) =>
          cell(rows.find((one) => one.operation === operation && one.count === count)),
        ),
      ]),
    ),
    ...conditions(runs),
  ];
}

/** For the README: bytes and queries by size, and how many times as fast as others. */
function readmeTable({ runs }, peers) {
  const chosen = runs.filter(({ part }) => part === 'collection');
  const rows = rowsOf(chosen);
  const counts = distinct(rows.map(({ count }) => count));
  const find = (operation, memory, count) =>
    rows.find((one) => one.operation === operation && one.memory === memory && one.count === count);
  const values = (operation, memory) =>
    counts.map((count) => {
      const one = find(operation, memory, count);
      return one === undefined ? '' : measured(one);
    });
  const lines = ['compact', 'fast'].flatMap((memory) => [
    row([`\`memory: '${memory}'\`: bytes per entry`, ...values('bytes per entry', memory)]),
    row(['queries, batches of 1,000', ...values('queries, batches of 1,000', memory)]),
  ]);
  const names = distinct((peers?.rows ?? []).filter(({ queryRatio }) => queryRatio).map(({ name }) => name));
  const ratios = names.map((name) =>
    row([
      `compact, times as fast as ${name}`,
      ...counts.map((count) => {
        const one = peers.rows.find((other) => other.name === name && other.count === count);
        return one === undefined ? '' : factor(one.queryRatio);
      }),
    ]),
  );
  return [
    ...head(['exact search within 3 bits', ...counts.map(size)]),
    ...lines,
    ...ratios,
    ...conditions(chosen),
  ];
}

/** By name: the results that a table is made of, and how. */
export const indexTables = {
  index: ['index', (result) => operationsTable(result, ['collection', 'floor', 'cores'])],
  index_radii: ['index', (result) => operationsTable(result, ['radii', 'typescript'])],
  index_skew: ['index', skewTable],
  index_short: ['index', readmeTable, 'peers'],
  index_peers: ['peers', peersTable],
  index_billion: ['billion', runsTable],
  storage: ['storage', runsTable],
};
