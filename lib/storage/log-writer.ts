/**
 * A log open for appending. Records are with the system when a call returns; `syncNow` and `sync` make them durable.
 * What fails to be written is taken back. After a failure that leaves doubt about what the file holds (a sync, or
 * taking back), `failure` says so and nothing may be appended.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { EntryBatch } from '../engine.ts';
import { syncDirectory, writeFully } from './atomic-file.ts';
import {
  type ADD,
  LOG_HEADER,
  type LogIdentity,
  logHeader,
  RECORD_ENTRIES,
  type REMOVE,
  RecordEncoder,
} from './log-format.ts';
import { fileName } from './names.ts';

export class LogWriter {
  readonly name: string;
  readonly #file: number;
  readonly #encoder: RecordEncoder;
  #length: number;
  /** What is known to be durable. */
  #synced: number;
  #failure: unknown;
  /** The sync under way elsewhere. */
  #syncing: Promise<void> | undefined;
  #closed = false;

  private constructor(name: string, file: number, identity: LogIdentity, length: number, synced: number) {
    this.name = name;
    this.#file = file;
    this.#encoder = new RecordEncoder(logHeader(identity), identity.columns);
    this.#length = length;
    this.#synced = synced;
  }

  /** Makes a log, empty and durable. */
  static create(directory: string, identity: LogIdentity): LogWriter {
    const name = fileName('log', identity.number);
    const path = join(directory, name);
    const file = fs.openSync(path, 'wx+');
    try {
      writeFully(file, logHeader(identity), 0);
      fs.fsyncSync(file);
      syncDirectory(directory);
    } catch (error) {
      fs.closeSync(file);
      fs.rmSync(path, { force: true });
      throw error;
    }
    return new LogWriter(name, file, identity, LOG_HEADER, LOG_HEADER);
  }

  /** Goes on with a log after its first `length` bytes; what stands behind them is cut off. */
  static continue(directory: string, identity: LogIdentity, length: number): LogWriter {
    const name = fileName('log', identity.number);
    const file = fs.openSync(join(directory, name), 'r+');
    try {
      if (fs.fstatSync(file).size > length) {
        fs.ftruncateSync(file, length);
        fs.fsyncSync(file);
      }
    } catch (error) {
      fs.closeSync(file);
      throw error;
    }
    // Whether the process before synced it is not known.
    return new LogWriter(name, file, identity, length, LOG_HEADER);
  }

  get length(): number {
    return this.#length;
  }

  get isSynced(): boolean {
    return this.#synced >= this.#length;
  }

  /** The error after which nothing of the file is relied on; undefined while all is well. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Appends a change of entries: all of its records or, with an error, none. */
  append(kind: typeof ADD | typeof REMOVE, entries: EntryBatch): void {
    const before = this.#length;
    const count = entries.ids.length;
    try {
      for (let start = 0; start < count; start += RECORD_ENTRIES) {
        const end = Math.min(start + RECORD_ENTRIES, count);
        this.#write(this.#encoder.encode(kind, entries, start, end, this.#length));
      }
    } catch (error) {
      this.takeBack(before);
      throw error;
    }
  }

  appendRemoveBefore(time: number): void {
    const before = this.#length;
    try {
      this.#write(this.#encoder.encodeRemoveBefore(time, before));
    } catch (error) {
      this.takeBack(before);
      throw error;
    }
  }

  /** Forgets what stands after the first `length` bytes, where a change could not be made. */
  takeBack(length: number): void {
    this.#length = length;
    // The shorter length is to be made durable as well.
    this.#synced = 0;
    try {
      fs.ftruncateSync(this.#file, length);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** Makes everything appended durable. */
  syncNow(): void {
    if (this.isSynced) return;
    try {
      fs.fdatasyncSync(this.#file);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
    this.#synced = this.#length;
  }

  /** Makes everything appended so far durable, off the thread. Calls share a sync where they can. */
  async sync(): Promise<void> {
    const wanted = this.#length;
    while (this.#synced < wanted) {
      if (this.#failure !== undefined) throw this.#failure;
      this.#syncing ??= this.#syncElsewhere().finally(() => {
        this.#syncing = undefined;
      });
      await this.#syncing;
    }
  }

  /** May be called while a sync is under way. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#syncing === undefined) fs.closeSync(this.#file);
  }

  async #syncElsewhere(): Promise<void> {
    const length = this.#length;
    const error = await new Promise<Error | null>((resolve) => fs.fdatasync(this.#file, resolve));
    if (this.#closed) fs.closeSync(this.#file);
    if (error === null) {
      this.#synced = Math.max(this.#synced, Math.min(length, this.#length));
      return;
    }
    this.#failure ??= error;
    throw error;
  }

  #write(length: number): void {
    const { bytes } = this.#encoder;
    for (let done = 0; done < length; ) {
      done += fs.writeSync(this.#file, bytes, done, length - done, this.#length + done);
    }
    this.#length += length;
  }
}
