/**
 * The part of HammingIndex that has to do with where it is held: its files, durability, closing. Searches and changes
 * reach the store by the functions below, and no one else does.
 */
import type { Cursor, EngineIndex, Job } from '../engine.ts';
import { makeError } from '../errors.ts';
import { checkPath } from '../storage/check-path.ts';
import type { IndexFiles, IndexStore, Recovered } from '../storage/index-store.ts';
import type { IndexProblem } from '../storage/problem.ts';
import { wrongType } from '../validate.ts';
import type { AsyncOptions } from './options.ts';
import { closedError, finishJob } from './work.ts';

/** The store of a handle; undefined after close(). */
export let storeOf: (handle: IndexHandle) => IndexStore | undefined;

/** Removes the files of an index that is open for writing, and closes it. */
export let discardIndex: (handle: IndexHandle) => void;

export abstract class IndexHandle {
  #store: IndexStore | undefined;

  static {
    storeOf = (handle) => handle.#store;
    discardIndex = (handle) => {
      const store = handle.#store;
      handle.#store = undefined;
      store?.files?.discard();
    };
  }

  constructor(store: IndexStore) {
    this.#store = store;
  }

  /** True after close(). */
  get closed(): boolean {
    return IndexHandle.#receiver(this).#store === undefined;
  }

  /** The directory of the index; undefined in memory. */
  get path(): string | undefined {
    return IndexHandle.#receiver(this).#store?.files?.path;
  }

  /** Whether it was opened read-only. */
  get readOnly(): boolean {
    return IndexHandle.#receiver(this).#store?.files?.readOnly ?? false;
  }

  /**
   * The canonical text of the recipe that the fingerprints are of, as it was named when the index was made; undefined
   * where none was, and in memory.
   */
  get recipe(): string | undefined {
    return IndexHandle.#receiver(this).#store?.files?.stored.recipe ?? undefined;
  }

  /** What opening cut off the log: what a crash left of a call that had not returned. Undefined where nothing. */
  get recovered(): Recovered | undefined {
    return IndexHandle.#receiver(this).#store?.files?.recovered;
  }

  /**
   * Makes everything done so far durable, whatever `sync` is. Rejects with ERR_NEARDUP_IO also where a checkpoint in the
   * background failed since the last flush. This and the methods below need an index that was opened from a directory
   * (ERR_NEARDUP_UNSUPPORTED).
   */
  async flush(): Promise<void> {
    await IndexHandle.#receiver(this).#files().flush();
  }

  /**
   * Writes what is held as segment files and begins a new log, so that opening has less to do. It happens by itself
   * when the log is longer than `checkpointBytes`. Changes and searches go on meanwhile.
   */
  async checkpoint(): Promise<void> {
    await IndexHandle.#receiver(this).#files().checkpoint();
  }

  /**
   * Of an index that was opened read-only: shows what the writer has written since; whether there was something. Work
   * under way goes on with what it began with. Of a writer: false.
   */
  async refresh(): Promise<boolean> {
    return await IndexHandle.#receiver(this).#files().refresh();
  }

  /**
   * Makes a copy of the index at `directory`, which must be empty or not there: all that is held when the checkpoint
   * that it begins with is made. Files are linked where possible, so it takes little more than the checkpoint.
   */
  async snapshot(directory: string): Promise<void> {
    const self = IndexHandle.#receiver(this);
    const checked = checkPath('directory', directory);
    await self.#files().snapshot(checked);
  }

  /** Reads and checks every byte of the files: what is not as it was written. See verifyIndex. */
  async verify(): Promise<IndexProblem[]> {
    return await IndexHandle.#receiver(this).#files().verify();
  }

  /**
   * Gives the memory back; work under way is rejected with ERR_NEARDUP_CLOSED. Closing again does nothing. Of an index
   * in a directory: makes all changes durable before, and gives the lock back; where that throws ERR_NEARDUP_IO, the
   * index is closed all the same.
   */
  close(): void {
    const self = IndexHandle.#receiver(this);
    const store = self.#store;
    self.#store = undefined;
    store?.close();
  }

  /** close(), for `using`. */
  [Symbol.dispose](): void {
    IndexHandle.prototype.close.call(this);
  }

  #files(): IndexFiles {
    const { files } = openedStore(this);
    if (files !== undefined) return files;
    const message = 'the index is in memory; HammingIndex.open keeps one in a directory';
    throw makeError('ERR_NEARDUP_UNSUPPORTED', message);
  }

  static #receiver(value: unknown): IndexHandle {
    if (typeof value === 'object' && value !== null && #store in value) return value;
    return wrongType('this', 'a HammingIndex', value);
  }
}

/** The store of a handle that is open. Called after arguments are read, as reading them may run code that closes it. */
export function openedStore(handle: IndexHandle): IndexStore {
  const store = storeOf(handle);
  if (store === undefined) throw closedError();
  return store;
}

/** Finishes a job of the index that is searched now, which is kept meanwhile. */
export async function finishSearch<T>(
  handle: IndexHandle,
  start: (index: EngineIndex) => Job<T>,
  work: AsyncOptions,
): Promise<T> {
  const release = openedStore(handle).retain();
  try {
    return await finishJob(() => start(openedStore(handle).index), work);
  } finally {
    release();
  }
}

/** Opens a cursor of the index that is searched now, which is kept until it is closed. */
export function openCursor<T>(handle: IndexHandle, open: (index: EngineIndex) => Cursor<T>): Cursor<T> {
  const store = openedStore(handle);
  const cursor = open(store.index);
  const release = store.retain();
  return {
    next: () => cursor.next(),
    close: () => {
      cursor.close();
      release();
    },
  };
}
