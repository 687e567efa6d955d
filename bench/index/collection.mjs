// One uniform collection in one index: bytes, load, queries, self-join, and a stream of new entries.
import { HammingIndex } from '../../dist/index.mjs';
import { plantedQueries, uniformCodes } from './codes.mjs';
import { bulkLoad, countPairs, runQueries, settle, wholeBatch } from './load.mjs';
import { measure, median, once, peakBytes, residentBytes } from './measure.mjs';

const ROUNDS = 5;
const QUERIES = 400_000;
const SINGLES = 20_000;
const STREAMED = 100_000;

/** Rates are by CPU time; the wall-clock rate stands beside. */
function rate(operation, items, { cpu, wall }) {
  return { operation, value: items / cpu, wall: items / wall, unit: '/s' };
}

export async function measureCollection(count, memory, report) {
  const codes = uniformCodes(count, 1);
  const batches = wholeBatch(codes);
  const makeIndex = () => new HammingIndex({ memory });
  const rounds = count > 1e7 ? 2 : ROUNDS;

  // The first load shows the memory; later ones, in memory that the system has given before, the work.
  const before = residentBytes();
  let index = makeIndex();
  const first = await once(() => bulkLoad(index, batches));
  const { bytes, segments } = index.stats();
  report({ operation: 'bytes per entry', value: bytes / count, unit: 'B', tables: segments[0].tables });
  report({ operation: 'growth of resident memory', value: (residentBytes() - before) / count, unit: 'B' });
  report({ operation: 'peak of resident memory', value: (peakBytes() - before) / count, unit: 'B' });
  report({ ...rate('bulk load, first', count, first) });
  const loads = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    index.close();
    index = makeIndex();
    loads.push(await once(() => bulkLoad(index, batches)));
  }
  const load = { cpu: median(loads.map(({ cpu }) => cpu)), wall: median(loads.map(({ wall }) => wall)) };
  report(rate('bulk load', count, load));
  report(await measureAddBatch(makeIndex, batches[0], count));

  await measureQueries(index, codes, report);
  const join = await measure(count > 1e7 ? 1 : 3, () => countPairs(index));
  report({ operation: 'self-join', value: join.cpu, wall: join.wall, unit: 's', pairs: join.value });
  await measureStream(index, report);
  index.close();
}

async function measureAddBatch(makeIndex, { fingerprints, ids }, count) {
  const index = makeIndex();
  const time = await once(async () => {
    index.addBatch(fingerprints, ids);
    await settle(index);
  });
  index.close();
  return rate('addBatch and its merges', count, time);
}

async function measureQueries(index, codes, report) {
  const { queries, sources } = plantedQueries(codes, QUERIES, 11);
  checkFound(index, queries, sources);
  for (const batch of [1000, 100_000]) {
    const time = await measure(ROUNDS, () => runQueries(index, queries, batch));
    const operation = `queries, batches of ${batch.toLocaleString('en')}`;
    report({ ...rate(operation, QUERIES, time), matches: time.value / QUERIES });
  }
  const singles = Array.from(queries.subarray(0, SINGLES));
  const time = await measure(ROUNDS, () => {
    for (const query of singles) index.query(query);
  });
  report(rate('queries, one at a time', SINGLES, time));
}

/** Every query that was made of a stored fingerprint must find it. */
function checkFound(index, queries, sources) {
  const { offsets, ids } = index.queryBatch(queries);
  for (let i = 0; i < sources.length; i++) {
    if (sources[i] < 0) continue;
    if (!ids.subarray(offsets[i], offsets[i + 1]).includes(sources[i])) {
      throw new Error(`query ${i} misses entry ${sources[i]}`);
    }
  }
}

/** Merges that the new entries cause count as their cost. */
async function measureStream(index, report) {
  const fresh = uniformCodes(STREAMED + ROUNDS * SINGLES, 21);
  const singles = Array.from(fresh.subarray(STREAMED));
  let id = 2 ** 32;
  const batched = await once(async () => {
    for (let at = 0; at < STREAMED; at += 1000) {
      const ids = new Float64Array(1000).fill(id++);
      index.addIfNewBatch(fresh.subarray(at, at + 1000), ids);
    }
    await settle(index);
  });
  report(rate('addIfNew, batches of 1,000', STREAMED, batched));
  const single = await measure(ROUNDS, async (round) => {
    for (const code of singles.slice(round * SINGLES, (round + 1) * SINGLES)) index.addIfNew(code, id++);
    await settle(index);
  });
  report(rate('addIfNew, one at a time', SINGLES, single));
}
