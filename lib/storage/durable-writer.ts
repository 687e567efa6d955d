/**
 * The verbs that change an index whose changes are kept in a log. A change is written to the log, then made; what
 * cannot be known before it is made (addIfNew, addBatchAsync) is made, then written. An error of the file system
 * reaches the caller, and either nothing was changed or the change is `owed`: written before the next one.
 */
import type { AddIfNewResult, EngineIndex, EntryBatch, Job, Loader } from '../engine.ts';
import { makeError } from '../errors.ts';
import type { IndexWriter } from './index-store.ts';
import { ioError } from './io-error.ts';
import { ADD, REMOVE } from './log-format.ts';
import type { LogWriter } from './log-writer.ts';
import { copyBatch, pickAdded } from './owed.ts';

/** When changes become durable: before a call returns, a while later, or when the system likes. */
export type SyncMode = 'always' | 'interval' | 'never';

export interface WriterOptions {
  readonly sync: SyncMode;
  /** Of 'interval': milliseconds. */
  readonly syncInterval: number;
}

/** A sync that is late by so many intervals is made by the next change. */
const OVERDUE = 2;
const NOTHING_CHANGED = 'nothing was changed, and the call may be repeated';
const OWED = 'the entries are held and will be written before the next change; flush() tries at once';
const STOPPED =
  'the log is no longer relied on: changes are refused until a checkpoint, which is under way, has put all that is held into new files; await flush()';

export class DurableWriter implements IndexWriter {
  readonly #path: string;
  readonly #index: EngineIndex;
  readonly #options: WriterOptions;
  /** Called after each change, and where changes are refused until there is a checkpoint. */
  readonly #onChange: (isStopped: boolean) => void;
  #log: LogWriter;
  /** Added, and not in the log. */
  #owed: EntryBatch[] = [];
  /** Changes that only a checkpoint can make durable, and how many of them one has. */
  #unlogged = 0;
  #covered = 0;
  #doubt: unknown;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer was set. */
  #unsyncedSince = 0;
  readonly #oneId = new Float64Array(1);

  constructor(
    path: string,
    index: EngineIndex,
    log: LogWriter,
    options: WriterOptions,
    onChange: (isStopped: boolean) => void,
  ) {
    this.#path = path;
    this.#index = index;
    this.#log = log;
    this.#options = options;
    this.#onChange = onChange;
  }

  get log(): LogWriter {
    return this.#log;
  }

  /** The error after which changes are refused until a checkpoint is complete. */
  get failure(): unknown {
    return this.#doubt ?? this.#log.failure;
  }

  /** Whether something is held that only a checkpoint can make durable. */
  get needsCheckpoint(): boolean {
    return this.failure !== undefined || this.#unlogged > this.#covered;
  }

  addBatch(entries: EntryBatch): void {
    const before = this.#begin();
    try {
      this.#log.append(ADD, entries);
      this.#persist();
    } catch (error) {
      throw this.#refused(error, before);
    }
    try {
      this.#index.addBatch(entries);
    } catch (error) {
      this.#takeBack(before);
      throw error;
    }
    this.#onChange(false);
  }

  addBatchAsync(entries: EntryBatch): Job<true> {
    this.#begin();
    const copy = copyBatch(entries);
    const job = this.#index.addBatchAsync(entries);
    return this.#after(job, () => this.#logOwed(copy, false));
  }

  loader(): Loader {
    this.#begin();
    const loader = this.#index.loader();
    return {
      add: (entries) => loader.add(entries),
      finish: () => this.#after(loader.finish(), () => void this.#unlogged++),
      close: () => loader.close(),
    };
  }

  addIfNewBatch(entries: EntryBatch, distance: number, secondDistance?: number): AddIfNewResult {
    this.#begin();
    const result = this.#countUnlogged(() => this.#index.addIfNewBatch(entries, distance, secondDistance));
    const added = pickAdded(entries, result.added);
    if (added !== undefined) this.#logOwed(added, true);
    return result;
  }

  addIfNewOne(fingerprints: BigUint64Array, id: number, distance: number): Float64Array | undefined {
    this.#begin();
    const match = this.#index.addIfNewOne(fingerprints, id, distance);
    if (match !== undefined) return match;
    this.#oneId[0] = id;
    this.#logOwed({ fingerprints, ids: this.#oneId }, true);
    return undefined;
  }

  removeBatch(fingerprints: BigUint64Array, ids: Float64Array): Float64Array {
    const before = this.#begin();
    try {
      this.#log.append(REMOVE, { fingerprints, ids });
      this.#persist();
    } catch (error) {
      throw this.#refused(error, before);
    }
    return this.#remove(before, () => this.#index.removeBatch(fingerprints, ids));
  }

  removeBefore(time: number): number {
    const before = this.#begin();
    try {
      this.#log.appendRemoveBefore(time);
      this.#persist();
    } catch (error) {
      throw this.#refused(error, before);
    }
    return this.#remove(before, () => this.#index.removeBefore(time));
  }

  compact(): Job<true> {
    return this.#index.compact();
  }

  /** Writes what is owed to the log. */
  writeOwed(): void {
    while (this.#owed.length > 0 && this.failure === undefined) {
      const before = this.#log.length;
      try {
        this.#log.append(ADD, this.#owed[0] as EntryBatch);
        this.#persist();
      } catch (error) {
        if (this.#log.length > before) this.#log.takeBack(before);
        throw this.#explain(error, `entries of an earlier call are not in the log yet; ${OWED}`);
      }
      this.#owed.shift();
    }
  }

  /** Waits until all changes so far are on the disk. */
  async sync(): Promise<void> {
    try {
      await this.#log.sync();
    } catch (error) {
      this.#onChange(true);
      throw this.#explain(error, STOPPED);
    }
  }

  /** Waits until changes so far are as durable as a call that returns promises. */
  async committed(): Promise<void> {
    if (this.#options.sync === 'always') await this.sync();
  }

  /** Nothing may be appended until switchTo: what the directory holds is not known. */
  stop(error: unknown): void {
    this.#doubt ??= error;
  }

  /** What a checkpoint made now has: for `covered`, when it is complete. */
  mark(): { readonly owed: number; readonly unlogged: number } {
    return { owed: this.#owed.length, unlogged: this.#unlogged };
  }

  /** A checkpoint with all that `mark` says is complete. */
  covered({ owed, unlogged }: { readonly owed: number; readonly unlogged: number }): void {
    this.#owed.splice(0, owed);
    this.#covered = unlogged;
  }

  /** Goes on in another log; the one before is closed. */
  switchTo(log: LogWriter): void {
    this.#log.close();
    this.#log = log;
    this.#doubt = undefined;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#log.close();
  }

  /** Refuses changes where none may be made, and writes what is owed; gives the length of the log. */
  #begin(): number {
    const { failure } = this;
    if (failure !== undefined) {
      this.#onChange(true);
      throw makeError('ERR_NEARDUP_IO', `${this.#path}: ${(failure as Error).message}; ${STOPPED}`, {
        cause: failure,
      });
    }
    if (this.#owed.length > 0) this.writeOwed();
    return this.#log.length;
  }

  /** Does what the mode of syncing asks for when a change was written. */
  #persist(): void {
    const { sync, syncInterval } = this.#options;
    if (sync === 'always') this.#log.syncNow();
    else if (sync !== 'interval') return;
    else if (this.#timer !== undefined) {
      // Without turns of the event loop the timer does not run.
      if (Date.now() - this.#unsyncedSince < OVERDUE * syncInterval) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#log.syncNow();
    } else {
      this.#unsyncedSince = Date.now();
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        // The next change tells.
        this.#log.sync().catch(() => {});
      }, syncInterval);
      this.#timer.unref();
    }
  }

  /** Writes entries that were added. */
  #logOwed(entries: EntryBatch, isSync: boolean): void {
    const before = this.#log.length;
    try {
      if (this.failure !== undefined) throw this.failure;
      this.#log.append(ADD, entries);
      if (isSync || this.#options.sync !== 'always') this.#persist();
    } catch (error) {
      if (this.#log.length > before) this.#log.takeBack(before);
      this.#owed.push(copyBatch(entries));
      if (this.failure !== undefined) this.#onChange(true);
      throw this.#explain(error, OWED);
    }
    this.#onChange(false);
  }

  /** The error of a change that was not made. */
  #refused(error: unknown, before: number): unknown {
    if (this.#log.length > before) this.#log.takeBack(before);
    if (this.failure === undefined) return this.#explain(error, NOTHING_CHANGED);
    this.#onChange(true);
    return this.#explain(error, `nothing was changed; ${STOPPED}`);
  }

  /** Takes a change out of the log that could not be made. */
  #takeBack(before: number): void {
    this.#log.takeBack(before);
    if (this.#options.sync !== 'always') return;
    try {
      this.#log.syncNow();
    } catch {
      // `failure` says so to the next change.
    }
  }

  #remove<T>(before: number, remove: () => T): T {
    try {
      const result = this.#countUnlogged(remove);
      this.#onChange(false);
      return result;
    } catch (error) {
      this.#takeBack(before);
      throw error;
    }
  }

  /** Makes a change; one that fails halfway needs a checkpoint. */
  #countUnlogged<T>(change: () => T): T {
    const { size } = this.#index;
    try {
      return change();
    } catch (error) {
      if (this.#index.size !== size) this.#unlogged++;
      throw error;
    }
  }

  #after(job: Job<true>, then: () => void): Job<true> {
    const result = job.result.then((done) => {
      if (done !== undefined) then();
      return done;
    });
    return { result, cancel: () => job.cancel(), progress: () => job.progress() };
  }

  #explain(error: unknown, advice: string): unknown {
    return ioError(error, this.#path, advice);
  }
}
