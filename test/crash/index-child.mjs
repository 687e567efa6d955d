// Changes an index in a directory, as a seed says, until it is killed; prints the number of changes that were
// acknowledged after each one.
import { HammingIndex } from '../../dist/index.mjs';
import { changes, columnsOf, entryOf } from './index-work.mjs';

const [path, sync, seed] = process.argv.slice(2);
const index = await HammingIndex.open(path, { create: true, times: true, sync, checkpointBytes: 100_000 });

/** Work that goes on while changes come; a failure of it ends the process. */
function behind(promise) {
  promise.catch((error) => {
    console.error(error);
    process.exit(1);
  });
}

async function apply({ kind, numbers, time }) {
  if (kind === 'checkpoint' || kind === 'compact') return behind(index[kind]());
  if (kind === 'flush') return await index.flush();
  if (kind === 'removeBefore') return index.removeBefore(time);
  const { fingerprints, ids, times } = columnsOf(numbers);
  if (kind === 'add' || kind === 'addIfNew') {
    const entry = entryOf(numbers[0]);
    return index[kind](entry.fingerprint, entry.id, { time: entry.time });
  }
  if (kind === 'remove') return index.remove(fingerprints[0], ids[0]);
  if (kind === 'removeBatch') return index.removeBatch(fingerprints, ids);
  if (kind === 'load') return await index.load([{ fingerprints, ids, times }]);
  return await index[kind](fingerprints, ids, { times });
}

let done = 0;
process.stdout.write(`${done}\n`);
for (const change of changes(Number(seed))) {
  await apply(change);
  process.stdout.write(`${++done}\n`);
}
