// The index under the conditions of its peers: ours.mjs CODES QUERIES DISTANCE MEMORY OUT; matches and pairs go to
// OUT.matches and OUT.pairs, as (query or id, id, distance) in three little-endian uint32 each.
import { writeFileSync } from 'node:fs';
import { HammingIndex } from '../../dist/index.mjs';
import { bulkLoad, runQueries, wholeBatch } from '../index/load.mjs';
import { measure, once, useOneCore } from '../index/measure.mjs';
import { readCodes } from './files.mjs';

const [codesFile, queriesFile, distance, memory, out] = process.argv.slice(2);
useOneCore();
const codes = readCodes(codesFile);
const queries = readCodes(queriesFile);
const index = new HammingIndex({ maxDistance: Number(distance), memory });
const load = await once(() => bulkLoad(index, wholeBatch(codes)));
const query = await measure(3, () => runQueries(index, queries, 1000));

const { offsets, ids, distances } = index.queryBatch(queries);
const matches = new Uint32Array(3 * ids.length);
for (let i = 0, at = 0; i < queries.length; i++) {
  for (let j = offsets[i]; j < offsets[i + 1]; j++) {
    matches[at++] = i;
    matches[at++] = ids[j];
    matches[at++] = distances[j];
  }
}
writeFileSync(`${out}.matches`, matches);

const join = await measure(3, async () => {
  const pairs = [];
  for await (const batch of index.pairs()) pairs.push(batch);
  return pairs;
});
const pairs = new Uint32Array(3 * join.value.reduce((sum, batch) => sum + batch.distances.length, 0));
let at = 0;
for (const { firstIds, secondIds, distances: apart } of join.value) {
  for (let i = 0; i < apart.length; i++) {
    pairs[at++] = Math.min(firstIds[i], secondIds[i]);
    pairs[at++] = Math.max(firstIds[i], secondIds[i]);
    pairs[at++] = apart[i];
  }
}
writeFileSync(`${out}.pairs`, pairs);
console.log(JSON.stringify({ load: load.cpu, query: query.cpu, join: join.cpu, bytes: index.stats().bytes }));
