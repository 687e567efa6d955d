// npm run bench:billion -- [count]: one index of a billion fingerprints (when no count is given), compact, k = 3, made
// batch by batch in one process; 24 GiB of memory are enough. Checks planted pairs, and writes time, bytes, peak
// memory and queries to bench/results/billion.json. Takes about 10 minutes on two cores.
import { HammingIndex } from '../dist/index.mjs';
import { computedBatch, computedQueries, fingerprintsOf, originalOf } from './index/computed.mjs';
import { formatRow } from './index/format.mjs';
import { bulkLoad, runQueries } from './index/load.mjs';
import {
  canBind,
  measure,
  once,
  peakBytes,
  residentBytes,
  useAllCores,
  useOneCore,
} from './index/measure.mjs';
import { judge } from './index/targets.mjs';
import { saveRun } from './save-run.mjs';

const count = Number(process.argv[2] ?? 1e9);
const BATCH = Math.min(1_000_000, count / 10);
const BATCH_QUERIES = 1_000_000;
const SINGLES = 20_000;
const CHECKED = 100_000;

const gib = (bytes) => (bytes / 2 ** 30).toFixed(2);

function* batches() {
  for (let first = 0; first < count; first += BATCH) {
    yield computedBatch(first, Math.min(BATCH, count - first));
    if ((first / BATCH) % 100 === 99) console.log(`${first + BATCH} given, ${gib(residentBytes())} GiB`);
  }
}

/** Each of the queries that were made of an entry must find it; throws where one does not. */
function checkFound(index, { queries, sources }) {
  const { offsets, ids } = index.queryBatch(queries);
  for (const [i, source] of sources.entries()) {
    if (source >= 0 && !ids.subarray(offsets[i], offsets[i + 1]).includes(source)) {
      throw new Error(`query ${i} misses entry ${source}`);
    }
  }
}

/** A planted copy must be found by its original, which is within 3 bits; how many were asked for. */
function checkPlanted(index) {
  const step = Math.max(1, Math.floor(count / 100 / CHECKED));
  const copies = Float64Array.from({ length: Math.floor(count / 100 / step) }, (_, i) => 100 * i * step + 99);
  const queries = fingerprintsOf(copies.map(originalOf));
  checkFound(index, { queries, sources: copies });
  checkFound(index, { queries, sources: copies.map(originalOf) });
  return copies.length;
}

const rows = [];
function report(row) {
  const [judged] = judge([{ count, memory: 'compact', ...row }]);
  rows.push(judged);
  console.log(formatRow(judged));
}

// Making the fingerprints is not the index's work: its processor time is taken off, by the time of a few batches.
const making = await measure(5, (round) => computedBatch(round * BATCH, BATCH));
const makingSeconds = (making.cpu * count) / BATCH;
const before = residentBytes();
const index = new HammingIndex();
const load = await once(() => bulkLoad(index, batches()));
report({ operation: 'bulk load', value: count / (load.cpu - makingSeconds), unit: '/s' });
report({ operation: 'bulk load on all cores, fingerprints made in it', value: load.wall, unit: 's' });
report({ operation: 'making the fingerprints', value: makingSeconds, unit: 's' });
const { bytes, segments } = index.stats();
report({ operation: 'bytes per entry', value: bytes / count, unit: 'B', tables: segments[0].tables });
report({ operation: 'growth of resident memory', value: (residentBytes() - before) / count, unit: 'B' });
report({ operation: 'peak of resident memory', value: peakBytes() / count, unit: 'B' });
console.log(
  `${gib(bytes)} GiB, at its peak the process ${gib(peakBytes())} GiB; ${segments.length} segments`,
);
report({ operation: 'planted pairs found', value: checkPlanted(index), unit: '' });

const batch = computedQueries(count, BATCH_QUERIES, 71);
checkFound(index, batch);
useOneCore();
for (const size of [1000, 100_000]) {
  const time = await measure(3, () => runQueries(index, batch.queries, size));
  report({
    operation: `queries, batches of ${size.toLocaleString('en')}`,
    value: BATCH_QUERIES / time.cpu,
    wall: BATCH_QUERIES / time.wall,
    unit: '/s',
    matches: time.value / BATCH_QUERIES,
  });
}
const singles = Array.from(computedQueries(count, SINGLES, 73).queries);
const micros = singles.map((query) => {
  const start = performance.now();
  index.query(query);
  return 1000 * (performance.now() - start);
});
micros.sort((a, b) => a - b);
report({ operation: 'one query, median', value: micros[SINGLES / 2], unit: 'µs' });
report({ operation: 'one query, 99th percentile', value: micros[Math.floor(0.99 * SINGLES)], unit: 'µs' });
if (canBind) {
  useAllCores();
  const { wall } = await measure(3, () => index.queryBatchAsync(batch.queries));
  report({ operation: 'queries, all cores', value: BATCH_QUERIES / wall, unit: '/s' });
}
index.close();

saveRun('billion', count, rows);
