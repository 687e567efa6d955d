/**
 * An exact index of 64-bit fingerprints: which entries are within k bits of this one? In memory, or in a directory as
 * well (lib/storage); the engine in use does the work. Not shared between threads: each worker has its own.
 */
import { currentEngine } from '../backend.ts';
import type {
  AddIfNewResult,
  BatchMatches,
  Engine,
  EngineIndex,
  EntryBatch,
  IndexColumns,
  IndexStats,
  PairBatch,
} from '../engine.ts';
import { NO_COLUMNS } from '../engine-index.ts';
import { checkPath } from '../storage/check-path.ts';
import { type IndexWriter, memoryStore } from '../storage/index-store.ts';
import { type OpenedStore, openStore } from '../storage/open.ts';
import { checkFingerprint, checkId, checkNamedOptions, wrongType } from '../validate.ts';
import { type ApproximatePairsOptions, approximatePairs, checkApproximate } from './approximate-pairs.ts';
import {
  type BatchColumns,
  batchOfOne,
  checkColumns,
  checkEntries,
  checkQueries,
  checkTag,
  checkTime,
  type EntryColumns,
  type Integers,
  requireColumn,
  setEntry,
} from './columns.ts';
import { checkGroups, type Groups, type GroupsOptions, groupEntries } from './groups.ts';
import { finishSearch, IndexHandle, openCursor, openedStore, storeOf } from './index-handle.ts';
import { loadBatches } from './load.ts';
import { type AddResult, firstOf, type Match, matchesIn, matchesOf } from './match.ts';
import { checkOpenOptions, type HammingIndexOpenOptions } from './open-options.ts';
import {
  type AddBatchAsyncOptions,
  type AddIfNewBatchOptions,
  type AddIfNewOptions,
  ASYNC_NAMES,
  type AsyncOptions,
  BATCH_NAMES,
  checkAsync,
  checkIndexOptions,
  checkQuerySearch,
  checkSearch,
  ENTRY_NAMES,
  type HammingIndexOptions,
  type LoadBatch,
  NEAREST_NAMES,
  PAIRS_NAMES,
  type PairsOptions,
  QUERY_BATCH_NAMES,
  QUERY_NAMES,
  type QueryBatchAsyncOptions,
  type QueryBatchOptions,
  type QueryOptions,
} from './options.ts';
import { finishJob, readBatches } from './work.ts';

/**
 * Holds (fingerprint, id) entries, with columns where the index was made with them: a time, a tag, a second
 * fingerprint. The same id may be added with several fingerprints, and an entry more than once: `size` counts them
 * all, and a query reports each id once, with its smallest distance. Matches are sorted by distance, then id; equal
 * fingerprints match at distance 0. Conditions on columns count before limits.
 *
 * Every method throws a NeardupError (those that return promises reject with it): ERR_NEARDUP_INVALID_TYPE or
 * ERR_NEARDUP_OUT_OF_RANGE for arguments, ERR_NEARDUP_CLOSED after close() and where close() ended the work,
 * ERR_NEARDUP_OUT_OF_MEMORY when memory is refused. A call refused for its arguments changes nothing; an
 * addIfNewBatch that ran out of memory may have added entries before it did, a removal removed some. Whatever else was
 * stored stays, and the index stays usable. Work with a `signal` that is aborted rejects with the signal's reason.
 *
 * One that was opened from a directory (`open`) keeps each change there; `sync` says what for. ERR_NEARDUP_IO, with the
 * system's error as `cause`, tells that the directory could not be written, and whether the change was made.
 */
export class HammingIndex extends IndexHandle {
  readonly #maxDistance: number;
  readonly #columns: IndexColumns;
  /** A batch of one entry, used again and again. */
  readonly #one: EntryBatch;

  /** An empty index in memory. `opened` is for the class itself. */
  constructor(options?: HammingIndexOptions, opened?: OpenedStore) {
    const checked = opened === undefined ? checkIndexOptions(options) : opened.stored;
    super(opened?.store ?? memoryStore(currentEngine().createIndex(checked)));
    this.#maxDistance = checked.maxDistance;
    this.#columns = checked.columns;
    this.#one = batchOfOne(checked.columns);
  }

  /**
   * Opens the index that a directory holds, or makes it. Segments are mapped and not read where the engine is the
   * native one; the log of what was done since they were written is read and done again. One writer at a time
   * (ERR_NEARDUP_LOCKED, with the id of the process that has it) and any number of readers.
   *
   * Rejects with ERR_NEARDUP_CORRUPT where a file is not what was written, with ERR_NEARDUP_RECIPE_MISMATCH or
   * ERR_NEARDUP_OUT_OF_RANGE where the index was made in another way than asked for, with ERR_NEARDUP_BAD_INPUT where
   * there is none and none is to be made, and with ERR_NEARDUP_IO. `engine` is for the package itself.
   */
  static async open(
    path: string,
    options?: HammingIndexOpenOptions,
    engine: Engine = currentEngine(),
  ): Promise<HammingIndex> {
    const checkedPath = checkPath('path', path);
    return new HammingIndex(undefined, await openStore(checkedPath, checkOpenOptions(options), engine));
  }

  /** Entries held, copies included, removed ones not; 0 after close(). */
  get size(): number {
    return storeOf(HammingIndex.#receiver(this))?.index.size ?? 0;
  }

  /** The largest distance, in bits, that searches are planned for. */
  get maxDistance(): number {
    return HammingIndex.#receiver(this).#maxDistance;
  }

  /** Which columns entries have: the options of these names. */
  get columns(): { readonly times: boolean; readonly tags: boolean; readonly secondFingerprints: boolean } {
    const { time, tag, second } = HammingIndex.#receiver(this).#columns;
    return { times: time, tags: tag, secondFingerprints: second };
  }

  /** Adds one entry: a fingerprint, 0n to 2n ** 64n - 1n, an id, 0 to 2^53 - 1, and the columns of the index. */
  add(fingerprint: bigint, id: number, options?: EntryColumns): void {
    const self = HammingIndex.#receiver(this);
    const columns = checkNamedOptions('options', options, ENTRY_NAMES);
    self.#setOne(fingerprint, id, columns);
    self.#writer().addBatch(self.#one);
  }

  /** Adds many entries: ids[i] and element i of each column belong to fingerprints[i]. All are checked before. */
  addBatch(fingerprints: BigUint64Array, ids: Integers, options?: BatchColumns): void {
    const self = HammingIndex.#receiver(this);
    const columns = checkNamedOptions('options', options, BATCH_NAMES);
    const entries = checkEntries(self.#columns, fingerprints, ids, columns);
    self.#writer().addBatch(entries);
  }

  /**
   * As addBatch, without holding up the event loop; the arrays are copied before it returns. The entries are there
   * when the promise is fulfilled; where it is rejected, none was added (unless onProgress threw at the end, or with
   * ERR_NEARDUP_IO, which says so).
   */
  async addBatchAsync(
    fingerprints: BigUint64Array,
    ids: Integers,
    options?: AddBatchAsyncOptions,
  ): Promise<void> {
    const self = HammingIndex.#receiver(this);
    const checked = checkNamedOptions('options', options, [...BATCH_NAMES, ...ASYNC_NAMES]);
    const work = checkAsync(checked);
    const entries = checkEntries(self.#columns, fingerprints, ids, checked);
    const store = openedStore(self);
    await finishJob(() => self.#writer().addBatchAsync(entries), work);
    await store.committed();
  }

  /**
   * Adds the entries of any number of batches all at once; how many. They are there when the promise is fulfilled;
   * where it is rejected, none was added (with ERR_NEARDUP_IO: they are held, and not yet on the disk, if `size` says
   * so). The arrays of a batch are copied before the next one is asked for. For
   * loads of a size that entries and index do not fit the memory together: the entries take 12 bytes each (16 with
   * ids over 2^32 - 1; more with columns), which go back as the index is made. In a directory a checkpoint is made of it,
   * not a log; where that fails, the entries are held and will be in the next one.
   */
  async load(
    batches: Iterable<LoadBatch> | AsyncIterable<LoadBatch>,
    options?: AsyncOptions,
  ): Promise<number> {
    const self = HammingIndex.#receiver(this);
    const work = checkAsync(checkNamedOptions('options', options, ASYNC_NAMES));
    const store = openedStore(self);
    const count = await loadBatches(() => self.#writer(), self.#columns, batches, work);
    if (count > 0) await store.written();
    return count;
  }

  /** The entries within maxDistance bits of a fingerprint that meet the conditions, by distance, then id. */
  query(fingerprint: bigint, options?: QueryOptions): Match[] {
    const self = HammingIndex.#receiver(this);
    const { tag, secondFingerprint, ...rest } = checkNamedOptions('options', options, QUERY_NAMES);
    const value = checkFingerprint('fingerprint', fingerprint);
    const search = checkQuerySearch(self.#searched, rest, secondFingerprint);
    if (tag !== undefined) requireColumn(self.#columns, 'tag', 'tag');
    if (secondFingerprint !== undefined) requireColumn(self.#columns, 'second', 'secondFingerprint');
    const query = {
      fingerprints: self.#one.fingerprints,
      ...(tag !== undefined && { tags: Uint32Array.of(checkTag('options.tag', tag)) }),
      ...(secondFingerprint !== undefined && {
        secondFingerprints: BigUint64Array.of(
          checkFingerprint('options.secondFingerprint', secondFingerprint),
        ),
      }),
    };
    const index = self.#open();
    self.#one.fingerprints[0] = value;
    if (tag === undefined && secondFingerprint === undefined && search.since === undefined) {
      return matchesIn(index.queryOne(query.fingerprints, search.distance, search.limit));
    }
    return matchesOf(index.queryBatch(query, search));
  }

  /** Queries for many fingerprints at once; the limit holds for each of them. */
  queryBatch(fingerprints: BigUint64Array, options?: QueryBatchOptions): BatchMatches {
    const self = HammingIndex.#receiver(this);
    const checked = checkNamedOptions('options', options, QUERY_BATCH_NAMES);
    const search = checkQuerySearch(self.#searched, checked, checked.secondFingerprints);
    const queries = checkQueries(self.#columns, fingerprints, checked);
    return self.#open().queryBatch(queries, search);
  }

  /**
   * As queryBatch, without holding up the event loop. It answers from what is held when it is called; the arrays are
   * copied before it returns.
   */
  async queryBatchAsync(
    fingerprints: BigUint64Array,
    options?: QueryBatchAsyncOptions,
  ): Promise<BatchMatches> {
    const self = HammingIndex.#receiver(this);
    const checked = checkNamedOptions('options', options, [...QUERY_BATCH_NAMES, ...ASYNC_NAMES]);
    const work = checkAsync(checked);
    const search = checkQuerySearch(self.#searched, checked, checked.secondFingerprints);
    const queries = checkQueries(self.#columns, fingerprints, checked);
    return await finishSearch(self, (index) => index.queryBatchAsync(queries, search), work);
  }

  /**
   * Adds an entry unless something held is within maxDistance bits of it (of the same tag, where the index has tags;
   * with a second fingerprint within secondDistance, where that is given); then gives the nearest (smallest id).
   */
  addIfNew(fingerprint: bigint, id: number, options?: AddIfNewOptions): AddResult {
    const self = HammingIndex.#receiver(this);
    const checked = checkNamedOptions('options', options, [...ENTRY_NAMES, ...NEAREST_NAMES]);
    const { distance, secondDistance } = checkSearch(self.#searched, checked, true);
    self.#setOne(fingerprint, id, checked);
    const { time, tag, second } = self.#columns;
    if (!time && !tag && !second) {
      const [match] = matchesIn(self.#writer().addIfNewOne(self.#one.fingerprints, id, distance));
      return match === undefined ? { added: true } : { added: false, match };
    }
    return firstOf(self.#writer().addIfNewBatch(self.#one, distance, secondDistance));
  }

  /**
   * As addIfNew for each entry in turn: entry i is compared with what was held before the call and with the
   * entries of the batch before it that were added.
   */
  addIfNewBatch(fingerprints: BigUint64Array, ids: Integers, options?: AddIfNewBatchOptions): AddIfNewResult {
    const self = HammingIndex.#receiver(this);
    const checked = checkNamedOptions('options', options, [...BATCH_NAMES, ...NEAREST_NAMES]);
    const { distance, secondDistance } = checkSearch(self.#searched, checked, true);
    const entries = checkEntries(self.#columns, fingerprints, ids, checked);
    return self.#writer().addIfNewBatch(entries, distance, secondDistance);
  }

  /** Removes every copy of an entry, whatever its columns; how many there were. */
  remove(fingerprint: bigint, id: number): number {
    const self = HammingIndex.#receiver(this);
    const fingerprints = BigUint64Array.of(checkFingerprint('fingerprint', fingerprint));
    const ids = Float64Array.of(checkId('id', id));
    return self.#writer().removeBatch(fingerprints, ids)[0] as number;
  }

  /** Removes every copy of each entry; how many there were of each. The first of equal ones finds them all. */
  removeBatch(fingerprints: BigUint64Array, ids: Integers): Float64Array {
    const self = HammingIndex.#receiver(this);
    const removed = checkEntries(NO_COLUMNS, fingerprints, ids, {});
    return self.#writer().removeBatch(removed.fingerprints, removed.ids);
  }

  /** Removes the entries whose time is before `time`; how many. For an index made with {times: true}. O(entries). */
  removeBefore(time: number): number {
    const self = HammingIndex.#receiver(this);
    const checked = checkTime('time', time);
    requireColumn(self.#columns, 'time', 'time');
    return self.#writer().removeBefore(checked);
  }

  /** Makes one segment of all that is held: the fewest bytes and the fastest queries. Queries go on meanwhile. */
  async compact(options?: AsyncOptions): Promise<void> {
    const self = HammingIndex.#receiver(this);
    const work = checkAsync(checkNamedOptions('options', options, ASYNC_NAMES));
    const store = openedStore(self);
    await finishJob(() => self.#writer().compact(), work);
    await store.written();
  }

  /**
   * All pairs of entries within maxDistance bits, in batches: for each entry, in the order of (fingerprint, id), those
   * after it in that order, by distance, then id. Each pair once; never an id with itself; of an index with tags only
   * pairs of one tag. Holds what was held when the first batch was asked for.
   */
  pairs(options?: PairsOptions): AsyncGenerator<PairBatch, void, undefined> {
    const self = HammingIndex.#receiver(this);
    const checked = checkNamedOptions('options', options, PAIRS_NAMES);
    const work = checkAsync(checked);
    const search = checkSearch(self.#searched, checked, true);
    self.#open();
    return readBatches(
      () => openCursor(self, (index) => index.pairs(search)),
      () => storeOf(self) === undefined,
      work,
    );
  }

  /**
   * For each entry, in the order of (fingerprint, id), the entries of another index within maxDistance bits (up to
   * the other's, and that when not given), by distance, then id, in batches: firstIds are of this index, secondIds of
   * the other. Where both have tags, only of one tag; secondDistance needs both to have second fingerprints.
   */
  join(other: HammingIndex, options?: PairsOptions): AsyncGenerator<PairBatch, void, undefined> {
    const self = HammingIndex.#receiver(this);
    const theirs = HammingIndex.#receiver(other, 'other');
    const checked = checkNamedOptions('options', options, PAIRS_NAMES);
    const work = checkAsync(checked);
    const search = checkSearch(theirs.#searched, checked, true);
    if (search.secondDistance !== undefined) requireColumn(self.#columns, 'second', 'secondDistance');
    self.#open();
    theirs.#open();
    return readBatches(
      () => openCursor(self, (index) => openCursor(theirs, (other) => index.join(other, search))),
      () => storeOf(self) === undefined || storeOf(theirs) === undefined,
      work,
    );
  }

  /** All entries in the order of (fingerprint, id, time, tag, second), copies included, in batches. */
  entries(options?: AsyncOptions): AsyncGenerator<EntryBatch, void, undefined> {
    const self = HammingIndex.#receiver(this);
    const work = checkAsync(checkNamedOptions('options', options, ASYNC_NAMES));
    self.#open();
    return self.#read(work);
  }

  /** Groups of near ids. See GroupsOptions for what holds a group together, and for the cost. */
  async groups(options?: GroupsOptions): Promise<Groups> {
    const self = HammingIndex.#receiver(this);
    const checked = checkGroups(self.#searched, options);
    return await groupEntries(self.#read({ signal: checked.signal }), self.#columns, checked);
  }

  /**
   * Pairs as pairs() gives them, but not all: fingerprints are rotated by some bits, sorted, and each is compared
   * with the next ones; again for each rotation. Needs no tables, so also finds pairs beyond the planned distance;
   * a pair is missed where, in each rotation, an early bit differs and many stand between. Holds 20 bytes an entry
   * and 4 more for each rotation, and 9 bytes a pair, until the last one is read.
   */
  approximatePairs(options?: ApproximatePairsOptions): AsyncGenerator<PairBatch, void, undefined> {
    const self = HammingIndex.#receiver(this);
    const checked = checkApproximate(self.#maxDistance, options);
    self.#open();
    return approximatePairs(self.#read({ signal: checked.signal }), self.#columns, checked);
  }

  /** What the index is made of, and how large it is. */
  stats(): IndexStats {
    return HammingIndex.#receiver(this).#open().stats();
  }

  #open(): EngineIndex {
    return openedStore(this).index;
  }

  #writer(): IndexWriter {
    return openedStore(this).writer;
  }

  #read(work: AsyncOptions): AsyncGenerator<EntryBatch, void, undefined> {
    return readBatches(
      () => openCursor(this, (index) => index.entries()),
      () => storeOf(this) === undefined,
      work,
    );
  }

  get #searched(): { maxDistance: number; columns: IndexColumns } {
    return { maxDistance: this.#maxDistance, columns: this.#columns };
  }

  #setOne(fingerprint: unknown, id: unknown, columns: EntryColumns): void {
    const value = checkFingerprint('fingerprint', fingerprint);
    const checkedId = checkId('id', id);
    setEntry(this.#one, value, checkedId, checkColumns(this.#columns, columns));
  }

  /** The index that a method was called on or given; refuses anything else. */
  static #receiver(value: unknown, name = 'this'): HammingIndex {
    if (typeof value === 'object' && value !== null && #one in value) return value;
    return wrongType(name, 'a HammingIndex', value);
  }
}
