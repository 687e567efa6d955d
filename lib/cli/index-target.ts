/** The index that `import` adds to. One that was made for it is removed again where the import does not end well. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HammingIndex } from '../index/hamming-index.ts';
import type { HammingIndexOpenOptions } from '../index/open-options.ts';
import { removeEmpty } from '../storage/atomic-file.ts';
import { BACKUP, isOwnFile, LOCK, MANIFEST } from '../storage/names.ts';
import { Unfinished } from './unfinished.ts';

/** The first directory on the way to a path that is not there; undefined where the path is. */
function firstMissing(path: string): string | undefined {
  let first: string | undefined;
  for (let at = path; !existsSync(at) && at !== dirname(at); at = dirname(at)) first = at;
  return first;
}

/** Removes an index that this process has locked: the manifest first, as there is no index without it, and the lock last. */
function removeIndex(directory: string): void {
  const own = [MANIFEST, BACKUP, ...readdirSync(directory).filter(isOwnFile), LOCK];
  for (const name of own) rmSync(join(directory, name), { force: true });
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
  const isThere = existsSync(join(path, MANIFEST));
  const index = await HammingIndex.open(path, options);
  // Another process may have made it, and have added to it, meanwhile.
  if (isThere || index.size > 0) {
    using _ = index;
    return await work(index);
  }
  const made = new Unfinished(() => {
    removeIndex(path);
    if (missing !== undefined) removeEmpty(path, missing);
  });
  try {
    await work(index);
    index.close();
    made.keep();
  } catch (error) {
    made.remove();
    try {
      index.close();
    } catch {
      // There is nothing to save any more.
    }
    throw error;
  }
}
