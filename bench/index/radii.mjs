// Indexes planned for other distances.
import { HammingIndex } from '../../dist/index.mjs';
import { plantedQueries, uniformCodes } from './codes.mjs';
import { bulkLoad, runQueries, wholeBatch } from './load.mjs';
import { measure, once } from './measure.mjs';

const BATCH = 1000;
/** About the seconds that a round takes. */
const SECONDS = 0.4;

export async function measureRadii(count, memory, report) {
  const codes = uniformCodes(count, 1);
  const batches = wholeBatch(codes);
  for (const maxDistance of [1, 6, 10]) {
    const index = new HammingIndex({ maxDistance, memory });
    await bulkLoad(index, batches);
    const { bytes, segments } = index.stats();
    const { queries } = plantedQueries(codes, 400 * BATCH, 11, maxDistance);
    const { cpu } = await once(() => runQueries(index, queries.subarray(0, BATCH), BATCH));
    const calls = Math.min(400, Math.max(1, Math.round(SECONDS / cpu)));
    const part = queries.subarray(0, calls * BATCH);
    const time = await measure(3, () => runQueries(index, part, BATCH));
    report({
      operation: `queries, k = ${maxDistance}`,
      value: part.length / time.cpu,
      wall: part.length / time.wall,
      unit: '/s',
      bytes: bytes / count,
      tables: segments[0].tables,
    });
    index.close();
  }
}
