/**
 * Makes a damaged index usable again: reads all that is whole, and of damaged files what can be told to be right, and
 * writes a new state beside the old one. Nothing is changed or removed before the new manifest is there.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { currentEngine } from '../backend.ts';
import type { Engine, EngineIndex } from '../engine.ts';
import { readSegment } from '../ts/storage/read-segment.ts';
import { checkPath, isDirectory } from './check-path.ts';
import { removeLeftOvers, writeParts } from './checkpoint.ts';
import { DamagedFile } from './damaged-file.ts';
import { lockDirectory } from './directory-lock.ts';
import { guardIoAsync, noIndex } from './io-error.ts';
import type { LogIdentity } from './log-format.ts';
import { LogReader } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { type Manifest, type SegmentEntry, writeManifest } from './manifest.ts';
import { renewBackup } from './manifest-backup.ts';
import { fileName, parseName } from './names.ts';
import { damageOf, type IndexProblem, problemOf } from './problem.ts';
import { findManifest } from './rebuild.ts';
import { checkColumns, createStored, identityOf } from './recover.ts';
import { replay } from './replay.ts';
import { checkPlan, removedOf, SegmentFile } from './segment-file.ts';
import { newIndexId, refusePart } from './snapshot.ts';
import { type Steps, Work } from './steps.ts';

/** What repairing an index did. */
export interface IndexRepair {
  /** Entries that it holds now. */
  readonly entries: number;
  /** What was wrong, and so was dropped or made anew; empty: nothing was changed, but a backup that is not the manifest. */
  readonly dropped: readonly IndexProblem[];
}

const ADVICE = 'the index is as it was; try again when the cause is gone';

class Repair {
  readonly #directory: string;
  readonly #engine: Engine;
  readonly #problems: IndexProblem[] = [];
  readonly #manifest: Manifest;
  readonly #index: EngineIndex;

  constructor(directory: string, engine: Engine) {
    this.#directory = directory;
    this.#engine = engine;
    this.#manifest = findManifest(directory, engine, this.#problems);
    this.#index = createStored(engine, this.#manifest);
  }

  *run(): Steps<IndexRepair> {
    try {
      for (const entry of this.#manifest.segments) yield* this.#readSegment(entry);
      for (const name of this.#manifest.logs) yield* this.#readLog(name);
      if (this.#problems.length > 0) yield* this.#write();
      else renewBackup(this.#directory);
      return { entries: this.#index.size, dropped: this.#problems };
    } finally {
      this.#index.close();
    }
  }

  /** Opens a segment that is whole, or adds what can be read of it. */
  *#readSegment(entry: SegmentEntry): Steps<void> {
    const removed = yield* this.#readRemoved(entry);
    const { columns } = this.#manifest;
    let file: SegmentFile | undefined;
    try {
      file = SegmentFile.openNamed(this.#directory, entry, this.#engine);
      checkColumns(file, columns);
      yield* file.verify();
      yield* this.#engine.checkSegment(file, columns);
      checkPlan(file, columns, entry);
      this.#index.openSegment(file, removed);
      return;
    } catch (error) {
      this.#tell(entry.name, error);
    } finally {
      file?.close();
    }
    if (fs.existsSync(join(this.#directory, entry.name))) yield* this.#salvage(entry, removed);
  }

  *#readRemoved(entry: SegmentEntry): Steps<Uint8Array | undefined> {
    try {
      return yield* removedOf(this.#directory, entry, this.#engine);
    } catch (error) {
      const { file, section, message } = damageOf(join(this.#directory, entry.removed?.name ?? ''), error);
      this.#problems.push({
        file,
        section,
        message: `${message}; entries removed from ${entry.name} are there again`,
      });
      return undefined;
    }
  }

  *#salvage(entry: SegmentEntry, removed: Uint8Array | undefined): Steps<void> {
    const path = join(this.#directory, entry.name);
    let file: DamagedFile | undefined;
    try {
      file = new DamagedFile(this.#directory, entry.name, entry.bytes, this.#engine);
      const batches = readSegment(file, this.#manifest.columns, removed, ({ section, error }) =>
        this.#problems.push({ ...problemOf(path, error), section }),
      );
      for (const batch of batches) {
        if (batch !== undefined) this.#index.addBatch(batch);
        yield;
      }
    } catch (error) {
      this.#tell(entry.name, error, 'nothing of it could be read');
    } finally {
      file?.close();
    }
  }

  /** Does again what a log says, up to the first record that is not right. */
  *#readLog(name: string): Steps<void> {
    const path = join(this.#directory, name);
    const identity = identityOf(this.#manifest, name);
    let log: LogReader | undefined;
    this.#checkHeader(name, identity);
    try {
      log = new LogReader(path, undefined, identity);
      const length = yield* replay(log, this.#index);
      if (log.torn === undefined) return;
      const bytes = `${log.torn}: the last ${log.size - length} bytes are of a call that had not returned`;
      this.#problems.push({ file: path, section: `record at byte ${length}`, message: bytes });
    } catch (error) {
      const rest = log === undefined ? '' : `the ${log.size - log.position} bytes from there on are dropped`;
      this.#tell(name, error, rest);
    } finally {
      log?.close();
    }
  }

  #checkHeader(name: string, identity: LogIdentity): void {
    let log: LogReader | undefined;
    try {
      log = new LogReader(join(this.#directory, name));
      log.expect(identity);
    } catch (error) {
      this.#tell(name, error);
    } finally {
      log?.close();
    }
  }

  #tell(name: string, error: unknown, more = ''): void {
    const problem = damageOf(join(this.#directory, name), error);
    if (this.#problems.some(({ file, message }) => file === problem.file && message === problem.message))
      return;
    const message = more === '' ? problem.message : `${problem.message}; ${more}`;
    this.#problems.push({ ...problem, message });
  }

  /** Writes all that was read as an index of its own, in place of the one before. */
  *#write(): Steps<void> {
    const directory = this.#directory;
    const used = fs.readdirSync(directory).map((name) => parseName(name)?.number ?? 0);
    const numbers = { next: Math.max(this.#manifest.next, ...used.map((number) => number + 1)) };
    const log = fileName('log', numbers.next++);
    // Another id: who has the index open for reading must not take it for the one before.
    const repaired = { ...this.#manifest, index: newIndexId(), generation: this.#manifest.generation + 1 };
    LogWriter.create(directory, identityOf(repaired, log)).close();
    const checkpoint = this.#index.checkpoint();
    try {
      const parts = yield* writeParts(directory, repaired, checkpoint, numbers, this.#engine);
      const segments = parts.map(({ entry }) => entry);
      const manifest = { ...repaired, segments, logs: [log], next: numbers.next };
      yield* writeManifest(directory, manifest, this.#engine);
      removeLeftOvers(directory, manifest);
    } finally {
      checkpoint.close();
    }
  }
}

/**
 * Repairs an index that is not open: keeps what is whole, reads of damaged segments what its checksums tell to be
 * right, of damaged logs what is before the first bad record, and makes the manifest anew where it is lost. Says what
 * was dropped; changes nothing where nothing is wrong. Rejects with ERR_NEARDUP_LOCKED where a process writes, and with
 * ERR_NEARDUP_BAD_INPUT where there is no index.
 */
export async function repairIndex(path: string, engine: Engine = currentEngine()): Promise<IndexRepair> {
  const directory = checkPath('path', path);
  return await guardIoAsync(directory, ADVICE, async () => {
    if (!isDirectory(directory)) throw noIndex(directory);
    const lock = lockDirectory(directory, engine);
    try {
      refusePart(directory);
      return await new Work(new Repair(directory, engine).run()).finishAsync();
    } finally {
      lock.release();
    }
  });
}
