/** The index that `import` adds to. One that was made for it is removed again where the import does not end well. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { HammingIndex } from '../index/hamming-index.ts';
import { discardIndex, storeOf } from '../index/index-handle.ts';
import type { HammingIndexOpenOptions } from '../index/open-options.ts';
import { removeEmpty } from '../storage/atomic-file.ts';
import { Unfinished } from './unfinished.ts';

/** The first directory on the way to a path that is not there; undefined where the path is. */
function firstMissing(path: string): string | undefined {
  let first: string | undefined;
  for (let at = path; !existsSync(at) && at !== dirname(at); at = dirname(at)) first = at;
  return first;
}

/**
 * Opens the index, or makes it, gives it to `work`, and closes it. Where it was made and `work` fails, or a signal ends
 * the process, nothing is left of it; other files stay, and so does a directory that was there or that has any.
 */
export async function withTarget(
  directory: string,
  options: HammingIndexOpenOptions,
  work: (index: HammingIndex) => Promise<void>,
): Promise<void> {
  const path = resolve(directory);
  const missing = firstMissing(path);
  const index = await HammingIndex.open(path, options);
  if (storeOf(index)?.files?.isNew !== true) {
    using _ = index;
    return await work(index);
  }
  const made = new Unfinished(() => {
    discardIndex(index);
    if (missing !== undefined) removeEmpty(path, missing);
  });
  try {
    await work(index);
    index.close();
    made.keep();
  } finally {
    made.remove();
  }
}
