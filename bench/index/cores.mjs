// What all cores gain over one, by the clock. The process must begin on all of them: the threads of the library are
// as many as the cores it may use when its first index is made.
import { HammingIndex } from '../../dist/index.mjs';
import { plantedQueries, uniformCodes } from './codes.mjs';
import { bulkLoad, countPairs, wholeBatch } from './load.mjs';
import { canBind, compareCores } from './measure.mjs';

const QUERIES = 1_000_000;

export async function measureCores(count, memory, report) {
  if (!canBind) return;
  const codes = uniformCodes(count, 1);
  const batches = wholeBatch(codes);
  const index = new HammingIndex({ memory });
  await bulkLoad(index, batches);
  const { queries } = plantedQueries(codes, QUERIES, 13);
  const operations = {
    'queryBatchAsync of 1,000,000': () => index.queryBatchAsync(queries),
    'bulk load': async () => {
      const other = new HammingIndex({ memory });
      await bulkLoad(other, batches);
      other.close();
    },
    'self-join': () => countPairs(index),
  };
  for (const [of, run] of Object.entries(operations)) {
    const times = await compareCores(count > 1e7 ? 1 : 5, run);
    report({ operation: 'all cores over one', of, value: times.one / times.all, unit: 'x', ...times });
  }
  index.close();
}
