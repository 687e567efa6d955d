// Skewed collections against uniform ones that have as many pairs and matches: queries by rate, self-joins by time.
import { HammingIndex } from '../../dist/index.mjs';
import { plantedQueries } from './codes.mjs';
import { bulkLoad, countPairs, runQueries, wholeBatch } from './load.mjs';
import { measure } from './measure.mjs';
import { clusteredCodes, clusterSize, SKEWED } from './skewed.mjs';

const QUERIES = 100_000;
const BATCH = 1000;
/** Results of one fingerprint at most: equal ones alone have millions of pairs. */
const LIMIT = 10;
const ROUNDS = 3;

async function measureOne(codes, memory) {
  const index = new HammingIndex({ memory });
  await bulkLoad(index, wholeBatch(codes));
  const { queries } = plantedQueries(codes, QUERIES, 11);
  const query = await measure(ROUNDS, () => runQueries(index, queries, BATCH, { limit: LIMIT }));
  const join = await measure(ROUNDS, () => countPairs(index, { limit: LIMIT }));
  const bytes = index.stats().bytes / codes.length;
  index.close();
  return {
    rate: QUERIES / query.cpu,
    matches: query.value / QUERIES,
    seconds: join.cpu,
    pairs: join.value,
    bytes,
  };
}

export async function measureSkew(count, memory, report) {
  const controls = new Map();
  for (const [of, make] of Object.entries(SKEWED)) {
    const skewed = await measureOne(make(count, 31), memory);
    const size = clusterSize(skewed.pairs, count, LIMIT);
    if (!controls.has(size)) controls.set(size, await measureOne(clusteredCodes(count, size, 41), memory));
    const uniform = controls.get(size);
    const row = { of, skewed, uniform, clusters: size, unit: 'x' };
    report({ ...row, operation: 'skewed over uniform, queries', value: skewed.rate / uniform.rate });
    report({ ...row, operation: 'skewed over uniform, self-join', value: skewed.seconds / uniform.seconds });
  }
}
