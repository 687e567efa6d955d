// Makes snapshots of an index in a directory, one after the other, while entries come, until it is killed; prints the
// number of snapshots that were completed after each one.
import { HammingIndex } from '../../dist/index.mjs';
import { columnsOf } from './index-work.mjs';

const [path, target] = process.argv.slice(2);
const index = await HammingIndex.open(path, { times: true });
let next = index.size;
process.stdout.write('0\n');
for (let done = 1; ; done++) {
  const { fingerprints, ids, times } = columnsOf(Array.from({ length: 1500 }, () => next++));
  index.addBatch(fingerprints, ids, { times });
  await index.snapshot(`${target}-${done}`);
  process.stdout.write(`${done}\n`);
}
