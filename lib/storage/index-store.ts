/** Where an index has its entries: in memory alone, or in a directory as well. */
import type { EngineIndex } from '../engine.ts';
import type { StoredOptions } from './manifest.ts';
import type { IndexProblem } from './problem.ts';

/** The verbs that change an index; arguments are checked. */
export type IndexWriter = Pick<
  EngineIndex,
  | 'addBatch'
  | 'addBatchAsync'
  | 'loader'
  | 'addIfNewBatch'
  | 'addIfNewOne'
  | 'removeBatch'
  | 'removeBefore'
  | 'compact'
>;

/** What opening for writing found at the end of the log, left by a crash, and cut off. */
export interface Recovered {
  /** Path of the log. */
  readonly file: string;
  /** Bytes of the log that were kept. */
  readonly position: number;
  /** Bytes that were cut off: of a call that had not returned. */
  readonly bytes: number;
  readonly reason: string;
}

/** The part of a store that has files. */
export interface IndexFiles {
  readonly path: string;
  readonly readOnly: boolean;
  /** How the index was made. */
  readonly stored: StoredOptions;
  readonly recovered: Recovered | undefined;
  /** Whether opening has made the index. */
  readonly isNew: boolean;
  flush(): Promise<void>;
  checkpoint(): Promise<void>;
  refresh(): Promise<boolean>;
  snapshot(directory: string): Promise<void>;
  verify(): Promise<IndexProblem[]>;
  /** Closes without saving, and removes the index where the directory is still the one that was opened for writing. */
  discard(): void;
}

export interface IndexStore {
  /** What searches go to now. */
  readonly index: EngineIndex;
  readonly writer: IndexWriter;
  /** None in memory. */
  readonly files: IndexFiles | undefined;
  /** Keeps `index` as it is now from being closed before the result is called, but by close(). */
  retain(): () => void;
  /** Waits until what an asynchronous call added is as durable as promised. */
  committed(): Promise<void>;
  /** Waits until what is held is in files, after a call that no log has. */
  written(): Promise<void>;
  close(): void;
}

/** A store without files. */
export function memoryStore(index: EngineIndex): IndexStore {
  return {
    index,
    writer: index,
    files: undefined,
    retain: () => () => {},
    committed: async () => {},
    written: async () => {},
    close: () => index.close(),
  };
}
