// The tables of docs/choosing.md, from bench/results/eval.json.

const percent = (value) => (100 * value).toFixed(1);
const pair = ({ precision, recall }) => `${percent(precision)} / ${percent(recall)}`;
const row = (cells) => `| ${cells.join(' | ')} |`;
const setOf = ({ sets }, name) => sets.find(({ set }) => set === name);
const countText = (count) => count.toLocaleString('en');

/** Precision / recall of each recipe alone. */
function singles(result) {
  const [policies, licences] = ['policies', 'licences'].map((name) => setOf(result, name));
  const at = ({ points }, k) => points.find((point) => point.k === k);
  return [
    row(['recipe', 'policies, k = 3', 'k = 6', 'k = 8', 'licences, k = 3', 'k = 6']),
    row(['---', '---:', '---:', '---:', '---:', '---:']),
    ...policies.singles.map((one, i) =>
      row([
        one.name,
        ...[3, 6, 8].map((k) => pair(at(one, k))),
        ...[3, 6].map((k) => pair(at(licences.singles[i], k))),
      ]),
    ),
  ];
}

/** Precision / recall of pairs of recipes at some pairs of distances. */
function verified(result) {
  const [policies, licences] = ['policies', 'licences'].map((name) => setOf(result, name));
  const at = ({ points }, [k1, k2]) => points.find((point) => point.k1 === k1 && point.k2 === k2);
  const distances = [
    [6, 14],
    [6, 10],
    [8, 12],
  ];
  return [
    row([
      'first; second',
      ...['policies', 'licences'].flatMap((name) =>
        distances.map(([k1, k2], i) => `${i === 0 ? `${name}, ` : ''}${k1}, ${k2}`),
      ),
    ]),
    row(['---', ...distances.flatMap(() => ['---:', '---:'])]),
    ...policies.verified.map((one, i) =>
      row([
        one.name,
        ...distances.map((d) => pair(at(one, d))),
        ...distances.map((d) => pair(at(licences.verified[i], d))),
      ]),
    ),
  ];
}

/** Precision / recall of the default pair of recipes over a grid of distances. */
function grid(result, set) {
  const { points } = setOf(result, set).verified[0];
  const firsts = [...new Set(points.map(({ k1 }) => k1))];
  const seconds = [...new Set(points.map(({ k2 }) => k2))];
  return [
    row(['', ...seconds.map((k2) => `confirmed within ${k2}`)]),
    row(['---', ...seconds.map(() => '---:')]),
    ...firsts.map((k1) =>
      row([`within ${k1}`, ...points.filter((point) => point.k1 === k1).map((point) => pair(point))]),
    ),
  ];
}

function meaning({ meaning }) {
  return [
    row(['distance', 'shared by theory', 'measured: median', '10th to 90th percentile', 'pairs']),
    row(['---:', '---:', '---:', '---:', '---:']),
    ...meaning.map(({ d, expected, median, low, high, pairs }) =>
      row([
        d,
        `${percent(expected)} %`,
        `${percent(median)} %`,
        `${percent(low)} to ${percent(high)} %`,
        countText(pairs),
      ]),
    ),
  ];
}

function short({ short }) {
  return [
    row([
      'words',
      'found after one changed',
      'pairs taken for near',
      'of them sharing < 70 % of words',
      'sentences',
    ]),
    row(['---:', '---:', '---:', '---:', '---:']),
    ...short.map(({ length, sentences, found, near, apart }) =>
      row([length, `${percent(found)} %`, near, apart, countText(sentences)]),
    ),
  ];
}

function hash({ hash }) {
  return [
    row(['unrelated documents of', 'mean distance', 'the bit farthest from one half is 1 in']),
    row(['---', '---:', '---:']),
    ...hash.map(({ kind, mean, worst }) => row([kind, mean.toFixed(2), `${percent(worst)} %`])),
  ];
}

export const evalTables = {
  eval_single: ['eval', singles],
  eval_verified: ['eval', verified],
  eval_policies: ['eval', (result) => grid(result, 'policies')],
  eval_licences: ['eval', (result) => grid(result, 'licences')],
  eval_meaning: ['eval', meaning],
  eval_short: ['eval', short],
  eval_hash: ['eval', hash],
};
