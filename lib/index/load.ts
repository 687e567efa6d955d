/** Loading of any number of batches at once. */
import type { EngineIndex, IndexColumns } from '../engine.ts';
import { checkNamedOptions, wrongType } from '../validate.ts';
import { checkEntries } from './columns.ts';
import { type AsyncOptions, BATCH_NAMES, type LoadBatch } from './options.ts';
import { finishJob } from './work.ts';

/**
 * Adds the entries of all batches to an index with these columns, or none; how many. `open` gives the index, or throws
 * where it is closed: asked again after each batch, as reading one may run code that closes it.
 */
export async function loadBatches(
  open: () => Pick<EngineIndex, 'loader'>,
  columns: IndexColumns,
  batches: Iterable<LoadBatch> | AsyncIterable<LoadBatch>,
  work: AsyncOptions,
): Promise<number> {
  if (!isIterable(batches)) wrongType('batches', 'an iterable of batches', batches);
  work.signal?.throwIfAborted();
  const loader = open().loader();
  let count = 0;
  try {
    for await (const batch of batches) {
      work.signal?.throwIfAborted();
      const checked = checkNamedOptions('batch', batch, ['fingerprints', 'ids', ...BATCH_NAMES]);
      const entries = checkEntries(columns, checked.fingerprints, checked.ids, checked);
      open();
      loader.add(entries);
      count += entries.ids.length;
    }
    await finishJob(() => {
      open();
      return loader.finish();
    }, work);
  } finally {
    loader.close();
  }
  return count;
}

/** False also where asking throws, as for a revoked proxy. */
function isIterable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return Symbol.asyncIterator in value || Symbol.iterator in value;
  } catch {
    return false;
  }
}
