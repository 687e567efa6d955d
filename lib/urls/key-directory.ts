/**
 * A set of keys larger than memory: sorted runs on disk with a set in memory in front, as in the Mercator
 * crawler. Keys go to the set and to a log; a full set becomes a run; a run that is not small beside the one
 * before it is merged with it, so there are few runs and each key is rewritten a few times only.
 *
 * Answers are exact and immediate. A key is in one place only: in the set or in one run. Memory: the set
 * (12 bytes for each of `bufferKeys`) and 1/64 of a byte for each key in runs. Opening reads the log, and of
 * the runs their checksums and first keys; other bytes are checked when they are first read.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, EngineKeySet } from '../engine.ts';
import { makeError } from '../errors.ts';
import { syncDirectory } from '../storage/atomic-file.ts';
import { type DirectoryLock, lockDirectory } from '../storage/directory-lock.ts';
import { doNow, type Steps } from '../storage/steps.ts';
import { KeyLog, readLog } from './key-log.ts';
import { KeyRun, mergeKeys, sortedKeys, writeRun } from './key-run.ts';
import { type Manifest, readManifest, writeManifest } from './manifest.ts';

/** A newer run is merged with the one before it when it has at least a quarter of its keys. */
const MERGE_RATIO = 4;
/** Times that a reader starts anew when the writer replaced the files under it. */
const READ_ATTEMPTS = 5;
/** Runs, logs, and what a crash leaves of a file that was being written. */
const OWN_FILE = /^(?:run-\d|log-\d|MANIFEST\..*\.tmp$)/;

export interface KeyDirectoryOptions {
  /** Used when the directory is made. */
  readonly policy: string;
  readonly create: boolean;
  readonly readOnly: boolean;
  /** Keys in memory at most. */
  readonly bufferKeys: number;
  /** Whether a call returns only when its keys are on the disk. */
  readonly sync: boolean;
}

/** Selects the keys whose flag is `wanted`. */
function select(keys: BigUint64Array, flags: Uint8Array, wanted: number): BigUint64Array {
  const from = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const to = new Uint32Array(from.length);
  let length = 0;
  for (let i = 0; i < keys.length; i++) {
    if (flags[i] !== wanted) continue;
    to[length++] = from[2 * i];
    to[length++] = from[2 * i + 1];
  }
  return new BigUint64Array(to.buffer, 0, length / 2);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

export class KeyDirectory {
  readonly #path: string;
  readonly #engine: Engine;
  readonly #options: KeyDirectoryOptions;
  readonly #lock: DirectoryLock | undefined;
  #manifest!: Manifest;
  #runs: KeyRun[] = [];
  #buffer: EngineKeySet;
  #log: KeyLog | undefined;
  #failure: unknown;

  /**
   * Opens or makes a directory. Throws ERR_NEARDUP_LOCKED, ERR_NEARDUP_CORRUPT, ERR_NEARDUP_BAD_INPUT where
   * it holds no URL set.
   */
  constructor(path: string, options: KeyDirectoryOptions, engine: Engine) {
    this.#path = path;
    this.#engine = engine;
    this.#options = options;
    if (options.create) mkdirSync(path, { recursive: true });
    this.#lock = options.readOnly ? undefined : lockDirectory(path, engine);
    this.#buffer = engine.createKeySet();
    try {
      if (options.readOnly) this.#openAgainWhileReplaced();
      else this.#openForWriting();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get policy(): string {
    return this.#manifest.policy;
  }

  size(): number {
    return this.#runs.reduce((sum, run) => sum + run.metadata.count, this.#buffer.size());
  }

  memoryBytes(): number {
    return this.#runs.reduce((sum, run) => sum + run.memoryBytes, this.#buffer.memoryBytes());
  }

  /** Adds keys, and makes runs as the set in memory fills up: about a second for each 20 million keys merged. */
  addBatch(keys: BigUint64Array): Uint8Array {
    const { bufferKeys } = this.#options;
    const added = new Uint8Array(keys.length);
    for (let at = 0; at < keys.length; at += bufferKeys) {
      added.set(this.addWithoutRun(keys.subarray(at, at + bufferKeys)), at);
      if (this.isFull) doNow(this.makeRun());
    }
    return added;
  }

  /** Whether the set in memory has as many keys as it may have, or more. */
  get isFull(): boolean {
    return this.#buffer.size() >= this.#options.bufferKeys;
  }

  /** Adds keys to the set in memory, also beyond what it may have. */
  addWithoutRun(keys: BigUint64Array): Uint8Array {
    const log = this.#writableLog();
    const onDisk = this.#onDisk(keys, this.#buffer.hasBatch(keys));
    const added = new Uint8Array(keys.length);
    try {
      const fresh = select(keys, onDisk, 0);
      const flags = this.#buffer.addBatch(fresh);
      for (let i = 0, j = 0; i < keys.length; i++) if (onDisk[i] === 0) added[i] = flags[j++];
      const kept = select(fresh, flags, 1);
      if (kept.length > 0) log.append(kept);
    } catch (error) {
      // What is in memory may now differ from what is on disk: only opening again tells.
      this.#failure = error;
      throw error;
    }
    return added;
  }

  hasBatch(keys: BigUint64Array): Uint8Array {
    this.#checkUsable();
    const inMemory = this.#buffer.hasBatch(keys);
    const onDisk = this.#onDisk(keys, inMemory);
    return inMemory.map((flag, i) => flag | onDisk[i]);
  }

  /** Makes all that was added durable. */
  *flush(): Steps<void> {
    this.#checkUsable();
    if (this.#log !== undefined) yield this.#log.unsynced;
  }

  /** Reads every byte of the runs. Throws ERR_NEARDUP_CORRUPT. */
  *verify(): Steps<void> {
    this.#checkUsable();
    for (const run of this.#runs) {
      for (const _ of run.chunks()) yield;
    }
  }

  /** All keys, ascending, in chunks that share a buffer. */
  sortedKeys(): Generator<BigUint64Array> {
    return mergeKeys([...this.#runs.map((run) => run.chunks()), sortedKeys(this.#buffer)]);
  }

  close(): void {
    try {
      if (this.#failure === undefined) this.#log?.flush();
    } finally {
      this.#release();
    }
  }

  #release(): void {
    this.#log?.close();
    this.#log = undefined;
    this.#closeRuns();
    this.#buffer.close();
    this.#lock?.release();
  }

  #writableLog(): KeyLog {
    this.#checkUsable();
    if (this.#log !== undefined) return this.#log;
    throw makeError('ERR_NEARDUP_UNSUPPORTED', `${this.#path} was opened read-only`);
  }

  #checkUsable(): void {
    if (this.#failure === undefined) return;
    throw makeError(
      'ERR_NEARDUP_CLOSED',
      `${this.#path} failed to write (${(this.#failure as Error).message}); close it and open it again`,
    );
  }

  /** 1 for each key that a run holds; keys that `inMemory` flags are not looked for. */
  #onDisk(keys: BigUint64Array, inMemory: Uint8Array): Uint8Array {
    const wanted = select(keys, inMemory, 0).sort();
    if (this.#runs.length === 0 || wanted.length === 0) return new Uint8Array(keys.length);
    const held = this.#engine.createKeySet(wanted.length);
    for (const run of this.#runs) held.addBatch(run.intersect(wanted));
    const flags = held.hasBatch(keys);
    held.close();
    return flags;
  }

  #openForWriting(): void {
    const found = readManifest(this.#path, this.#engine);
    if (found === undefined && !this.#options.create) {
      throw makeError(
        'ERR_NEARDUP_BAD_INPUT',
        `${this.#path} holds no URL set; make one with {create: true}`,
      );
    }
    if (found === undefined) {
      this.#manifest = { policy: this.#options.policy, runs: [], log: 'log-1', next: 2 };
      this.#log = this.#createLog(this.#manifest.log);
      writeManifest(this.#path, this.#manifest, this.#engine);
    } else {
      const length = this.#read(found);
      this.#log = new KeyLog(join(this.#path, found.log), length, this.#options.sync, this.#engine);
    }
    this.#removeLeftOvers();
  }

  #openAgainWhileReplaced(): void {
    for (let attempt = 1; ; attempt++) {
      const found = readManifest(this.#path, this.#engine);
      if (found === undefined) throw makeError('ERR_NEARDUP_BAD_INPUT', `${this.#path} holds no URL set`);
      try {
        this.#read(found);
        return;
      } catch (error) {
        if (!isMissing(error) || attempt === READ_ATTEMPTS) throw error;
        this.#closeRuns();
        this.#buffer.close();
        this.#buffer = this.#engine.createKeySet();
      }
    }
  }

  /** Opens the runs and reads the log; returns the log's length. */
  #read(manifest: Manifest): number {
    this.#manifest = manifest;
    for (const name of manifest.runs) this.#runs.push(new KeyRun(join(this.#path, name), this.#engine));
    return readLog(join(this.#path, manifest.log), this.#engine, (keys) => this.#buffer.addBatch(keys));
  }

  #createLog(name: string): KeyLog {
    const log = new KeyLog(join(this.#path, name), 0, this.#options.sync, this.#engine);
    syncDirectory(this.#path);
    return log;
  }

  /**
   * Makes the set in memory a run, merged with those it is not small beside, and starts a new log. Between its
   * steps look-ups may be made, and nothing may be added. Given up, it leaves all as it was.
   */
  *makeRun(): Steps<void> {
    this.#writableLog();
    try {
      yield* this.#replaceRuns();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  *#replaceRuns(): Steps<void> {
    let count = this.#buffer.size();
    let first = this.#runs.length;
    while (first > 0 && count * MERGE_RATIO >= this.#runs[first - 1].metadata.count) {
      count += this.#runs[--first].metadata.count;
    }
    const merged = this.#runs.slice(first);
    const { policy, next, runs } = this.#manifest;
    const [runName, logName] = [`run-${next}`, `log-${next + 1}`];
    const path = join(this.#path, runName);
    const sources = [...merged.map((run) => run.chunks()), sortedKeys(this.#buffer)];
    yield* writeRun(path, { policy, count }, mergeKeys(sources), this.#engine);
    const run = new KeyRun(path, this.#engine);
    const log = this.#createLog(logName);
    // Up to here nothing counts; from the manifest on, everything.
    const manifest = { policy, runs: [...runs.slice(0, first), runName], log: logName, next: next + 2 };
    writeManifest(this.#path, manifest, this.#engine);

    this.#manifest = manifest;
    this.#log?.close();
    this.#log = log;
    for (const old of merged) old.close();
    this.#runs = [...this.#runs.slice(0, first), run];
    this.#buffer.close();
    this.#buffer = this.#engine.createKeySet();
    this.#removeLeftOvers();
  }

  /** Removes files that the manifest no longer names. */
  #removeLeftOvers(): void {
    const named = new Set([...this.#manifest.runs, this.#manifest.log]);
    for (const name of readdirSync(this.#path)) {
      if (OWN_FILE.test(name) && !named.has(name)) rmSync(join(this.#path, name), { force: true });
    }
  }

  #closeRuns(): void {
    for (const run of this.#runs) run.close();
    this.#runs = [];
  }
}
