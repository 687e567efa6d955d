/**
 * An index in a directory, open for writing: engine index, log and checkpoints. A checkpoint first lets changes go to
 * a new log, so that they go on while it writes what was held at that moment; the manifest then names the new files
 * and the new log alone. After a failure that leaves doubt about log or manifest no change is made until a
 * checkpoint is complete, and the files of both possible manifests are kept.
 */
import { join } from 'node:path';
import type { Checkpoint, Engine, EngineIndex } from '../engine.ts';
import { makeError, NeardupError } from '../errors.ts';
import { adoptParts, type FileNumbers, removeIndex, removeLeftOvers, writeParts } from './checkpoint.ts';
import type { DirectoryLock } from './directory-lock.ts';
import { DurableWriter, type WriterOptions } from './durable-writer.ts';
import type { IndexFiles, IndexStore, Recovered } from './index-store.ts';
import { ioError } from './io-error.ts';
import { LogWriter } from './log-writer.ts';
import { type Manifest, readManifest, type StoredOptions, writeManifest } from './manifest.ts';
import { fileName } from './names.ts';
import type { IndexProblem } from './problem.ts';
import { identityOf, type Recovery } from './recover.ts';
import { writeSnapshot } from './snapshot.ts';
import { doNow, type Steps } from './steps.ts';
import { verifyDirectory } from './verify.ts';
import { WorkQueue } from './work-queue.ts';

export interface StoreOptions extends WriterOptions {
  /** Whether the index was made for this. */
  readonly isNew: boolean;
  /** Bytes of the log at which a checkpoint is started. */
  readonly checkpointBytes: number;
}

/** A log this many times as long as it should be is dealt with by the call that finds it, as nothing else gets a turn. */
const OVERDUE = 4;
const ADVICE =
  'what was acknowledged is held and in the files that were there before; try again when the cause is gone';

const HELD = 'what was added is held: the next checkpoint writes it, and adding it again would double it';

export class WritableStore implements IndexStore, IndexFiles {
  readonly path: string;
  readonly readOnly = false;
  readonly recovered: Recovered | undefined;
  readonly isNew: boolean;
  readonly index: EngineIndex;
  readonly writer: DurableWriter;
  readonly #engine: Engine;
  readonly #checkpointBytes: number;
  readonly #lock: DirectoryLock;
  readonly #numbers: FileNumbers;
  readonly #works = new WorkQueue();
  #manifest: Manifest;
  /** Of the last manifest that was written, or may have been. */
  #generation: number;
  /** A checkpoint that has not begun: whoever asks for one may share it. */
  #queued: Promise<void> | undefined;
  /** Length of the log at which the next checkpoint starts. */
  #limit: number;
  /** What went wrong since the last flush, where no call could tell. */
  #lateError: unknown;

  constructor(
    path: string,
    manifest: Manifest,
    { engineIndex, end }: Recovery,
    options: StoreOptions,
    engine: Engine,
    lock: DirectoryLock,
  ) {
    this.path = path;
    this.isNew = options.isNew;
    this.index = engineIndex;
    this.#manifest = manifest;
    this.#generation = manifest.generation;
    this.#numbers = { next: manifest.next };
    this.#engine = engine;
    this.#lock = lock;
    this.#checkpointBytes = options.checkpointBytes;
    this.#limit = options.checkpointBytes;
    if (end.torn !== undefined) {
      const bytes = end.size - end.length;
      this.recovered = { file: join(path, end.name), position: end.length, bytes, reason: end.torn };
    }
    removeLeftOvers(path, manifest);
    const log = LogWriter.continue(path, identityOf(manifest, end.name), end.length);
    this.writer = new DurableWriter(path, engineIndex, log, options, (isStopped) =>
      this.#afterChange(isStopped),
    );
  }

  get files(): IndexFiles {
    return this;
  }

  get stored(): StoredOptions {
    return this.#manifest;
  }

  retain(): () => void {
    return () => {};
  }

  committed(): Promise<void> {
    return this.writer.committed();
  }

  async written(): Promise<void> {
    try {
      await this.checkpoint();
    } catch (error) {
      if (!(error instanceof NeardupError) || error.code !== 'ERR_NEARDUP_IO') throw error;
      throw makeError(error.code, `${error.message}; ${HELD}`, { cause: error.cause });
    }
  }

  async flush(): Promise<void> {
    this.#checkHeld();
    const error = this.#lateError;
    this.#lateError = undefined;
    // A checkpoint makes up for whatever went wrong before it.
    if (this.writer.needsCheckpoint) return await this.checkpoint();
    this.writer.writeOwed();
    await this.writer.sync();
    if (error !== undefined) throw error;
  }

  async checkpoint(): Promise<void> {
    this.#queued ??= this.#run(
      () => this.#checkpoint(),
      async () => {
        this.#queued = undefined;
        // Off the thread, so that little is left to sync when changes have to wait for it. It is done again then.
        await this.writer.log.sync().catch(() => {});
      },
    );
    await this.#queued;
  }

  /** The writer has all there is. */
  async refresh(): Promise<boolean> {
    return false;
  }

  async snapshot(directory: string): Promise<void> {
    const store = this;
    await this.#run(function* () {
      yield* store.#checkpoint();
      yield* writeSnapshot(store.path, store.#manifest, directory, store.#engine);
    });
  }

  async verify(): Promise<IndexProblem[]> {
    const { path } = this;
    return await this.#run(() => {
      const { name, length } = this.writer.log;
      const opened = { manifest: this.#manifest, end: { name, length }, mayBeReplaced: false };
      return verifyDirectory(path, this.#engine, opened);
    });
  }

  close(): void {
    this.#works.close();
    try {
      this.#saveAll();
    } catch (error) {
      throw ioError(error, this.path, 'the index is closed, and changes since the last flush may be lost');
    } finally {
      this.#end();
    }
  }

  discard(): void {
    this.#works.close();
    try {
      if (this.#lock.isHeld()) removeIndex(this.path);
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.writer.close();
    this.index.close();
    this.#lock.release();
  }

  /** Refuses to write to what is no longer the directory that was opened: another index may be there. */
  #checkHeld(): void {
    let isHeld: boolean;
    try {
      isHeld = this.#lock.isHeld();
    } catch (error) {
      throw ioError(error, this.path, ADVICE);
    }
    if (isHeld) return;
    throw makeError(
      'ERR_NEARDUP_LOCKED',
      `${this.path} is not the directory that was opened any more: it was renamed, removed or made anew; nothing was changed in it`,
    );
  }

  /** Makes all that is held durable, at once. */
  #saveAll(): void {
    const { writer } = this;
    if (!writer.needsCheckpoint) {
      try {
        writer.writeOwed();
        writer.log.syncNow();
        return;
      } catch {
        // New files may work.
      }
    }
    doNow(this.#checkpoint());
  }

  async #run<T>(steps: () => Steps<T>, before?: () => Promise<void>): Promise<T> {
    try {
      return await this.#works.run(steps, before);
    } catch (error) {
      throw ioError(error, this.path, ADVICE);
    }
  }

  #afterChange(isStopped: boolean): void {
    const { length } = this.writer.log;
    if (isStopped) this.#checkpointSoon();
    else if (length > this.#limit) {
      this.#limit = length + this.#checkpointBytes;
      if (length > OVERDUE * this.#checkpointBytes) this.#checkpointNow();
      else this.#checkpointSoon();
    }
  }

  #checkpointSoon(): void {
    if (this.#queued !== undefined) return;
    this.checkpoint().catch((error) => this.#noteLate(error));
  }

  #checkpointNow(): void {
    this.#works.finishCurrent();
    if (this.writer.log.length <= this.#checkpointBytes) return;
    try {
      doNow(this.#checkpoint());
    } catch (error) {
      this.#noteLate(error);
    }
  }

  #noteLate(error: unknown): void {
    if (!this.#works.isClosed) this.#lateError ??= error;
  }

  /** Writes all that is held now into files that the manifest names. */
  *#checkpoint(): Steps<void> {
    const { path, writer } = this;
    this.#checkHeld();
    try {
      writer.writeOwed();
    } catch (error) {
      // What is owed is held: new files will have it, and until then nothing may come before it.
      writer.stop(error);
    }
    let isDone = false;
    const log = LogWriter.create(path, identityOf(this.#manifest, fileName('log', this.#numbers.next++)));
    let checkpoint: Checkpoint | undefined;
    try {
      const isGoingOn = this.#startLog(log);
      const mark = writer.mark();
      checkpoint = this.index.checkpoint();
      const next = { ...this.#manifest, generation: ++this.#generation };
      const parts = yield* writeParts(path, next, checkpoint, this.#numbers, this.#engine);
      const segments = parts.map(({ entry }) => entry);
      const manifest = { ...next, segments, logs: [log.name], next: this.#numbers.next };
      this.#checkHeld();
      yield* writeManifest(path, manifest, this.#engine);
      this.#manifest = manifest;
      if (!isGoingOn) this.#switchTo(log);
      isDone = true;
      writer.covered(mark);
      removeLeftOvers(path, manifest);
      yield* adoptParts(path, parts, this.#engine);
    } finally {
      checkpoint?.close();
      if (!isDone) this.#afterFailure(log);
    }
  }

  /** Lets changes go to a new log; false where they have to wait, as the one before is not relied on. */
  #startLog(log: LogWriter): boolean {
    const { writer } = this;
    try {
      if (writer.failure === undefined) writer.log.syncNow();
    } catch {
      // `failure` says so from now on.
    }
    if (writer.failure !== undefined) return false;
    const logs = [...this.#manifest.logs, log.name];
    const manifest = { ...this.#manifest, generation: ++this.#generation, logs, next: this.#numbers.next };
    doNow(writeManifest(this.path, manifest, this.#engine));
    this.#manifest = manifest;
    this.#switchTo(log);
    return true;
  }

  #switchTo(log: LogWriter): void {
    this.writer.switchTo(log);
    this.#limit = this.#checkpointBytes;
  }

  /** Finds out which manifest there is; removes what was written for the other one. */
  #afterFailure(log: LogWriter): void {
    if (this.writer.log !== log) log.close();
    try {
      if (!this.#lock.isHeld()) return;
      const found = readManifest(this.path, this.#engine);
      if (found?.generation === this.#manifest.generation) {
        removeLeftOvers(this.path, this.#manifest);
        return;
      }
    } catch {
      // not known
    }
    this.writer.stop(
      new Error('replacing the manifest failed, and which one a crash would leave is not known'),
    );
  }
}
