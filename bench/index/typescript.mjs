// The TypeScript engine; the process is started with NEARDUP_BACKEND=js.
import { backendInfo, HammingIndex } from '../../dist/index.mjs';
import { plantedQueries, uniformCodes } from './codes.mjs';
import { bulkLoad, runQueries, wholeBatch } from './load.mjs';
import { measure, once } from './measure.mjs';

const QUERIES = 50_000;

export async function measureTypeScript(count, memory, report) {
  if (backendInfo().backend !== 'js') throw new Error('this part is for NEARDUP_BACKEND=js');
  const codes = uniformCodes(count, 1);
  const index = new HammingIndex({ memory });
  const load = await once(() => bulkLoad(index, wholeBatch(codes)));
  report({ operation: 'TypeScript bulk load', value: count / load.cpu, wall: count / load.wall, unit: '/s' });
  report({ operation: 'TypeScript bytes per entry', value: index.stats().bytes / count, unit: 'B' });
  const { queries } = plantedQueries(codes, QUERIES, 11);
  const time = await measure(3, () => runQueries(index, queries, 1000));
  report({
    operation: 'TypeScript queries, batches of 1,000',
    value: QUERIES / time.cpu,
    wall: QUERIES / time.wall,
    unit: '/s',
  });
  index.close();
}
