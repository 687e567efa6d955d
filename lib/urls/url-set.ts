/**
 * UrlSet, the duplicate-URL eliminator: which URLs were seen before. A URL is normalised by the set's policy
 * and held as the 64-bit XXH3 of that key: 10 to 12 bytes a URL in memory, 8 on disk. Two URLs with the same
 * fingerprint count as one; how seldom that is, falsePositiveRate() says.
 */

import { statSync } from 'node:fs';
import { types } from 'node:util';
import { currentEngine } from '../backend.ts';
import type { Engine, EngineKeySet } from '../engine.ts';
import { makeError } from '../errors.ts';
import { checkPath } from '../storage/check-path.ts';
import { doNow, type Steps, turn, Work } from '../storage/steps.ts';
import {
  checkFingerprints,
  checkInteger,
  checkOptions,
  isArray,
  outOfRange,
  wrongType,
} from '../validate.ts';
import { KeyDirectory } from './key-directory.ts';
import { KeyRun, sortedKeys, writeRun } from './key-run.ts';
import { expectedFalseSeen, falseSeenRate, keysOfFingerprints } from './keys.ts';
import { normalizeUrl, tryNormalizeUrl } from './normalize.ts';
import { type UrlPolicy, type UrlPolicyOptions, urlPolicy } from './policy.ts';

/** Options of a UrlSet in memory. */
export interface UrlSetOptions {
  /** What makes URLs the same; `safe` by default. Stored with the set. */
  readonly policy?: string | UrlPolicyOptions | UrlPolicy;
}

/** Options of UrlSet.open. */
export interface UrlSetOpenOptions extends UrlSetOptions {
  /** Make the directory when it is not there. */
  readonly create?: boolean;
  /** Of a directory: do not write, and do not lock; sees what was there when opened. */
  readonly readOnly?: boolean;
  /** Of a directory: URLs held in memory before they become a run; 2^24 by default, 12 bytes each. */
  readonly bufferUrls?: number;
  /**
   * Of a directory: `os` (default) returns when the system has the additions, which survives the end of the
   * process; `always` when the disk has them, which survives the loss of power.
   */
  readonly sync?: 'os' | 'always';
}

/** What became of the URLs of addBatch. */
export interface UrlBatchAdded {
  /** 1 where the URL was not in the set before (URLs earlier in the batch included), else 0. */
  readonly added: Uint8Array;
  /** Indices of the entries that are no URLs; they are not added. */
  readonly invalid: readonly number[];
}

/** What hasBatch found. */
export interface UrlBatchSeen {
  /** 1 where the URL is in the set, else 0. */
  readonly seen: Uint8Array;
  readonly invalid: readonly number[];
}

/** Counts of a set since it was made or opened. */
export interface UrlSetCounts {
  readonly added: number;
  /** Given to an add call and in the set already. */
  readonly seen: number;
  /** Given to an add call and not a URL. */
  readonly invalid: number;
}

/** Where the keys are: in memory, or in a directory. */
type KeyStore = EngineKeySet | KeyDirectory;

const MAX_BUFFER = 2 ** 31;
const DEFAULT_BUFFER = 2 ** 24;
/** URLs that addBatchAsync takes between two turns of the event loop. */
const SLICE = 4096;

function isDirectory(path: string, create: boolean): boolean {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined && !create)
    throw makeError('ERR_NEARDUP_BAD_INPUT', `there is no URL set at ${path}`);
  return info === undefined || info.isDirectory();
}

export class UrlSet {
  readonly #engine: Engine;
  readonly #policy: UrlPolicy;
  readonly #counts = { added: 0, seen: 0, invalid: 0 };
  #store: KeyStore | undefined;
  /** Work under way: calls that change the set do the rest of it first. */
  #work: Work<void> | undefined;
  /** The last of the calls that take turns. */
  #last: Promise<unknown> = Promise.resolve();

  /** An empty set in memory. `engine` and `store` are for the package itself. */
  constructor(options?: UrlSetOptions, engine: Engine = currentEngine(), store?: KeyStore) {
    this.#engine = engine;
    this.#policy = urlPolicy(checkOptions('options', options, ['policy']).policy);
    this.#store = store ?? engine.createKeySet();
  }

  /**
   * Opens what save() wrote, into memory, or a directory, which holds more URLs than memory does and keeps
   * each addition. `policy`, where given, must be the stored one (ERR_NEARDUP_RECIPE_MISMATCH). Of a file all
   * bytes are read and checked (ERR_NEARDUP_CORRUPT); of a directory the log, and of the runs, which may be
   * large, what finds a key in them: the rest is checked when it is first read, or by verify().
   */
  static open(path: string, options?: UrlSetOpenOptions, engine: Engine = currentEngine()): UrlSet {
    const checkedPath = checkPath('path', path);
    const {
      policy,
      create = false,
      readOnly = false,
      bufferUrls,
      sync = 'os',
    } = checkOptions('options', options, ['policy', 'create', 'readOnly', 'bufferUrls', 'sync']);
    if (sync !== 'os' && sync !== 'always') outOfRange('sync', 'os or always', sync);
    const bufferKeys = checkInteger('bufferUrls', bufferUrls ?? DEFAULT_BUFFER, 1, MAX_BUFFER);
    const wanted = policy === undefined ? undefined : urlPolicy(policy).text;
    const isStored = (stored: string) => {
      if (wanted === undefined || wanted === stored) return;
      throw makeError(
        'ERR_NEARDUP_RECIPE_MISMATCH',
        `${path} holds URLs under policy ${stored}, not ${wanted}: their keys cannot be compared`,
      );
    };
    if (isDirectory(checkedPath, create)) {
      const text = wanted ?? urlPolicy().text;
      const settings = {
        policy: text,
        create: create && !readOnly,
        readOnly,
        bufferKeys,
        sync: sync === 'always',
      };
      const directory = new KeyDirectory(checkedPath, settings, engine);
      try {
        isStored(directory.policy);
        return new UrlSet({ policy: directory.policy }, engine, directory);
      } catch (error) {
        directory.close();
        throw error;
      }
    }
    const run = new KeyRun(checkedPath, engine);
    let set: EngineKeySet | undefined;
    try {
      isStored(run.metadata.policy);
      set = engine.createKeySet(run.metadata.count);
      for (const keys of run.chunks()) set.addBatch(keys);
      return new UrlSet({ policy: run.metadata.policy }, engine, set);
    } catch (error) {
      set?.close();
      throw error;
    } finally {
      run.close();
    }
  }

  /** URLs held. */
  get size(): number {
    return this.#open().size();
  }

  /** Bytes of memory taken. */
  get memoryBytes(): number {
    return this.#open().memoryBytes();
  }

  /** The policy's canonical text. */
  get policy(): string {
    return this.#policy.text;
  }

  get closed(): boolean {
    return this.#store === undefined;
  }

  /** What the add calls did so far. */
  get counts(): UrlSetCounts {
    return { ...this.#counts };
  }

  /** The 64-bit fingerprint that a URL is held by. Throws ERR_NEARDUP_BAD_INPUT where it is no URL. */
  fingerprint(url: string | URL): bigint {
    return this.#engine.hashStrings([normalizeUrl(url, this.#policy)])[0];
  }

  /** Adds a URL; true where it was not in the set. Throws ERR_NEARDUP_BAD_INPUT where it is no URL. */
  addIfNew(url: string | URL): boolean {
    const keys = this.#keysOf([normalizeUrl(url, this.#policy)]);
    const isNew = this.#openToChange().addBatch(keys)[0] === 1;
    this.#counts[isNew ? 'added' : 'seen']++;
    return isNew;
  }

  /** Whether a URL is in the set. Throws ERR_NEARDUP_BAD_INPUT where it is no URL. */
  has(url: string | URL): boolean {
    return this.#open().hasBatch(this.#keysOf([normalizeUrl(url, this.#policy)]))[0] === 1;
  }

  /** Adds URLs in order, or fingerprints of URLs that fingerprint() made. */
  addBatch(urls: readonly (string | URL)[] | BigUint64Array): UrlBatchAdded {
    const { keys, invalid } = this.#batch(urls);
    return this.#count(this.#openToChange().addBatch(keys), invalid);
  }

  /**
   * addBatch that does not hold up the event loop: it works in slices of some 10 ms, also where a directory's
   * memory is full and goes to the disk, which is waited for. Calls are served in order; what other calls add
   * between two slices counts as added before. After an error the URLs before it may be in the set.
   */
  async addBatchAsync(urls: readonly (string | URL)[] | BigUint64Array): Promise<UrlBatchAdded> {
    checkUrls(urls);
    const own = types.isBigUint64Array(urls) ? urls.slice() : [...urls];
    return this.#inTurn(async () => {
      const added = new Uint8Array(own.length);
      const invalid: number[] = [];
      for (let at = 0; at < own.length; at += SLICE) {
        const part = this.#batch(own.slice(at, at + SLICE));
        const store = this.#openToChange();
        const isDirectory = store instanceof KeyDirectory;
        const flags = isDirectory ? store.addWithoutRun(part.keys) : store.addBatch(part.keys);
        added.set(this.#count(flags, part.invalid).added, at);
        for (const index of part.invalid) invalid.push(at + index);
        if (isDirectory && store.isFull) await this.#inSlices(store.makeRun());
        await turn();
      }
      return { added, invalid };
    });
  }

  /** Looks URLs up, or fingerprints of URLs that fingerprint() made. */
  hasBatch(urls: readonly (string | URL)[] | BigUint64Array): UrlBatchSeen {
    const { keys, invalid } = this.#batch(urls);
    return { seen: spread(this.#open().hasBatch(keys), invalid), invalid };
  }

  /** The chance that a URL never added is taken for seen, at `count` URLs (those held by default). */
  falsePositiveRate(count: number = this.size): number {
    return falseSeenRate(checkInteger('count', count, 0, Number.MAX_SAFE_INTEGER));
  }

  /** How many of `count` different URLs (those held by default) are expected to have been taken for seen. */
  expectedFalsePositives(count: number = this.size): number {
    return expectedFalseSeen(checkInteger('count', count, 0, Number.MAX_SAFE_INTEGER));
  }

  /** Writes the set to a file, in place of what was there, atomically and durably: 8 bytes a URL. */
  save(path: string): void {
    doNow(this.#saveTo(checkPath('path', path), this.#openToChange()));
  }

  /** save that does not hold up the event loop. A call that adds before it ends does the rest of it first. */
  async saveAsync(path: string): Promise<void> {
    const checked = checkPath('path', path);
    return this.#inTurn(() => this.#inSlices(this.#saveTo(checked, this.#openToChange())));
  }

  /** Of a directory: makes all additions durable. Of a set in memory: nothing. */
  flush(): void {
    const store = this.#open();
    if (store instanceof KeyDirectory) doNow(store.flush());
  }

  /** flush that does not hold up the event loop. */
  async flushAsync(): Promise<void> {
    return this.#inTurn(async () => {
      const store = this.#open();
      if (store instanceof KeyDirectory) await this.#inSlices(store.flush());
    });
  }

  /**
   * Of a directory: reads all that is on the disk and checks it, without holding up the event loop. Rejects with
   * ERR_NEARDUP_CORRUPT. Of a set in memory: nothing.
   */
  async verify(): Promise<void> {
    return this.#inTurn(async () => {
      const store = this.#open();
      if (store instanceof KeyDirectory) await this.#inSlices(store.verify());
    });
  }

  /**
   * Gives memory and files back, of a directory after a flush. Calls after it throw ERR_NEARDUP_CLOSED, as do
   * those that wait; nothing that was added is lost.
   */
  close(): void {
    const store = this.#store;
    this.#store = undefined;
    this.#work?.abandon(closed());
    store?.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): KeyStore {
    if (this.#store === undefined) throw closed();
    return this.#store;
  }

  /** The store, after the rest of the work that is under way. */
  #openToChange(): KeyStore {
    const store = this.#open();
    if (this.#work?.done === false) this.#work.finish();
    return store;
  }

  /** Makes a call when those before it have ended. */
  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => {});
    return result;
  }

  async #inSlices(steps: Steps<void>): Promise<void> {
    this.#work = new Work(steps);
    await this.#work.finishAsync();
  }

  #saveTo(path: string, store: KeyStore): Steps<void> {
    const keys = store instanceof KeyDirectory ? store.sortedKeys() : sortedKeys(store);
    return writeRun(path, { policy: this.#policy.text, count: store.size() }, keys, this.#engine);
  }

  #count(flags: Uint8Array, invalid: readonly number[]): UrlBatchAdded {
    let fresh = 0;
    for (const flag of flags) fresh += flag;
    this.#counts.added += fresh;
    this.#counts.seen += flags.length - fresh;
    this.#counts.invalid += invalid.length;
    return { added: spread(flags, invalid), invalid };
  }

  #keysOf(normalized: readonly string[]): BigUint64Array {
    return keysOfFingerprints(this.#engine.hashStrings(normalized));
  }

  #batch(urls: readonly (string | URL)[] | BigUint64Array): { keys: BigUint64Array; invalid: number[] } {
    checkUrls(urls);
    if (types.isBigUint64Array(urls)) {
      return { keys: keysOfFingerprints(checkFingerprints('urls', urls)), invalid: [] };
    }
    const normalized: string[] = [];
    const invalid: number[] = [];
    for (let i = 0; i < urls.length; i++) {
      const key = tryNormalizeUrl(urls[i] as string | URL, this.#policy);
      if (key === undefined) invalid.push(i);
      else normalized.push(key);
    }
    return { keys: this.#keysOf(normalized), invalid };
  }
}

function checkUrls(urls: unknown): void {
  if (isArray(urls) || types.isBigUint64Array(urls)) return;
  wrongType('urls', 'an array of URLs or a BigUint64Array', urls);
}

function closed(): Error {
  return makeError('ERR_NEARDUP_CLOSED', 'the URL set is closed');
}

/** Puts a 0 at each invalid index. */
function spread(flags: Uint8Array, invalid: readonly number[]): Uint8Array {
  if (invalid.length === 0) return flags;
  const out = new Uint8Array(flags.length + invalid.length);
  let from = 0;
  let next = 0;
  for (let i = 0; i < out.length; i++) {
    if (invalid[next] === i) next++;
    else out[i] = flags[from++];
  }
  return out;
}
