// Skewed collections against uniform ones that have as many pairs and matches: queries by rate, self-joins by time.
import { HammingIndex } from '../../dist/index.mjs';
import { plantedQueries } from './codes.mjs';
import { bulkLoad, countPairs, runQueries, wholeBatch } from './load.mjs';
import { measure } from './measure.mjs';
import { clusteredCodes, clusterSize, SKEWED } from './skewed.mjs';

const QUERIES = 100_000;
const BATCH = 1000;
const ROUNDS = 3;
/** Results of one fingerprint at most, where all of them would be billions. */
const LIMIT = 10;
/** Of the members of a cluster, those that a query made of one of them finds; and half of the queries are. */
const FOUND_IN_CLUSTER = 0.75 / 2;

function limitOf(name) {
  return name === '30 % identical' ? LIMIT : undefined;
}

/** Of ten million entries of a thousand templates, four billion pairs are near. */
function isTooMuch(name, count) {
  return name.includes('templates') && count > 1e6;
}

async function withIndex(codes, memory, run) {
  const index = new HammingIndex({ memory });
  await bulkLoad(index, wholeBatch(codes));
  try {
    return await run(index);
  } finally {
    index.close();
  }
}

async function measureQueries(index, codes, limit) {
  const { queries } = plantedQueries(codes, QUERIES, 11);
  const { cpu, value } = await measure(ROUNDS, () => runQueries(index, queries, BATCH, { limit }));
  return { rate: QUERIES / cpu, matches: value / QUERIES };
}

async function measureJoin(index, limit) {
  const { cpu, value } = await measure(ROUNDS, () => countPairs(index, { limit }));
  return { seconds: cpu, pairs: value };
}

export async function measureSkew(count, memory, report) {
  for (const [of, make] of Object.entries(SKEWED)) {
    if (isTooMuch(of, count)) continue;
    const limit = limitOf(of);
    const codes = make(count, 31);
    const [queries, join] = await withIndex(codes, memory, async (index) => [
      await measureQueries(index, codes, limit),
      await measureJoin(index, limit),
    ]);
    // Clusters for as many matches, and clusters for as many pairs.
    const likeQueries = clusteredCodes(count, Math.round(queries.matches / FOUND_IN_CLUSTER), 41);
    const uniformQueries = await withIndex(likeQueries, memory, (index) =>
      measureQueries(index, likeQueries, limit),
    );
    const likeJoin = clusteredCodes(count, clusterSize(join.pairs, count, limit), 41);
    const uniformJoin = await withIndex(likeJoin, memory, (index) => measureJoin(index, limit));
    report({
      operation: 'skewed over uniform, queries',
      of,
      value: queries.rate / uniformQueries.rate,
      unit: 'x',
      skewed: queries,
      uniform: uniformQueries,
    });
    report({
      operation: 'skewed over uniform, self-join',
      of,
      value: join.seconds / uniformJoin.seconds,
      unit: 'x',
      skewed: join,
      uniform: uniformJoin,
    });
  }
}
