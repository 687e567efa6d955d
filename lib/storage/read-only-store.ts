/**
 * An index in a directory, open for reading: sees what was there when it was opened or last refreshed, while another
 * process writes. What is searched changes by refresh() alone, which adds what the log has more, or opens everything
 * anew and gives the index of before back when no work goes on in it any more.
 */
import { join } from 'node:path';
import type { Engine, EngineIndex } from '../engine.ts';
import { makeError } from '../errors.ts';
import { closedError } from '../index/work.ts';
import { checkStored } from './check-stored.ts';
import { corrupt } from './corrupt.ts';
import type { IndexFiles, IndexStore, IndexWriter } from './index-store.ts';
import { guardIoAsync } from './io-error.ts';
import { type Manifest, readManifest, type StoredOptions } from './manifest.ts';
import { MANIFEST } from './names.ts';
import type { IndexProblem } from './problem.ts';
import { type LogEnd, missingIsCorrupt, type Recovery, readMore, recover } from './recover.ts';
import { type Steps, turn, Work } from './steps.ts';
import { verifyDirectory } from './verify.ts';

/** Times that reading starts anew because a writer replaced the files meanwhile. */
const ATTEMPTS = 10;
const ADVICE = 'what was read before is still there; try again';

function refuse(): never {
  throw makeError('ERR_NEARDUP_READ_ONLY', 'the index was opened read-only');
}

const refusing: IndexWriter = {
  addBatch: refuse,
  addBatchAsync: refuse,
  loader: refuse,
  addIfNewBatch: refuse,
  addIfNewOne: refuse,
  removeBatch: refuse,
  removeBefore: refuse,
  compact: refuse,
};

function requireManifest(path: string, engine: Engine): Manifest {
  const manifest = readManifest(path, engine);
  if (manifest === undefined) throw corrupt(join(path, MANIFEST), 'file', 'it is not there any more');
  return manifest;
}

const isSame = (a: Manifest, b: Manifest): boolean => a.generation === b.generation && a.index === b.index;

/** An index that is searched, and how much work goes on in it. */
interface Held {
  readonly index: EngineIndex;
  users: number;
  isReplaced: boolean;
}

export class ReadOnlyStore implements IndexStore, IndexFiles {
  readonly path: string;
  readonly readOnly = true;
  readonly recovered = undefined;
  readonly isNew = false;
  readonly writer = refusing;
  readonly #engine: Engine;
  #manifest: Manifest;
  #held: Held;
  /** Replaced ones that work goes on in. */
  readonly #replaced = new Set<Held>();
  #end: LogEnd;
  /** Whether only a part of a log's records was applied. */
  #isPartial = false;
  #last: Promise<unknown> = Promise.resolve();
  #work: Work<unknown> | undefined;
  #closed = false;

  constructor(path: string, manifest: Manifest, { engineIndex, end }: Recovery, engine: Engine) {
    this.path = path;
    this.#engine = engine;
    this.#manifest = manifest;
    this.#held = { index: engineIndex, users: 0, isReplaced: false };
    this.#end = end;
  }

  /** Opens what a manifest names, or what a later one does where a writer replaces files meanwhile. */
  static async open(path: string, manifest: Manifest, engine: Engine): Promise<ReadOnlyStore> {
    const [found, recovery] = await recoverWhileReplaced(path, manifest, engine, (steps) =>
      new Work(steps).finishAsync(),
    );
    return new ReadOnlyStore(path, found, recovery, engine);
  }

  get index(): EngineIndex {
    return this.#held.index;
  }

  get files(): IndexFiles {
    return this;
  }

  get stored(): StoredOptions {
    return this.#manifest;
  }

  retain(): () => void {
    const held = this.#held;
    held.users++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      held.users--;
      if (held.isReplaced && held.users === 0 && this.#replaced.delete(held)) held.index.close();
    };
  }

  async committed(): Promise<void> {}

  async written(): Promise<void> {}

  async flush(): Promise<void> {}

  async checkpoint(): Promise<void> {
    refuse();
  }

  async snapshot(): Promise<void> {
    refuse();
  }

  async refresh(): Promise<boolean> {
    return await this.#inTurn(() => this.#refresh());
  }

  async verify(): Promise<IndexProblem[]> {
    return await this.#inTurn(() => {
      const opened = { manifest: this.#manifest, end: this.#end, mayBeReplaced: true };
      return this.#do(verifyDirectory(this.path, this.#engine, opened));
    });
  }

  discard(): void {
    this.close();
  }

  close(): void {
    this.#closed = true;
    this.#work?.abandon(closedError());
    for (const { index } of [this.#held, ...this.#replaced]) index.close();
    this.#replaced.clear();
  }

  /** Runs after what was asked for before. */
  async #inTurn<T>(body: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => guardIoAsync(this.path, ADVICE, body));
    this.#last = result.catch(() => {});
    return await result;
  }

  #do<T>(steps: Steps<T>): Promise<T> {
    if (this.#closed) throw closedError();
    const work = new Work(steps);
    this.#work = work;
    return work.finishAsync();
  }

  async #refresh(): Promise<boolean> {
    const manifest = requireManifest(this.path, this.#engine);
    // Another index in the place of this one must be made in the same way, or answers would not be what is asked for.
    const { maxDistance, columns, recipe } = this.#manifest;
    const wanted = { maxDistance, columns, recipe: recipe ?? undefined, memory: undefined };
    checkStored(this.path, wanted, manifest);
    if (isSame(manifest, this.#manifest) && !this.#isPartial) {
      const before = this.#end;
      this.#isPartial = true;
      const end = await this.#do(readMore(this.path, manifest, before, this.index));
      if (end !== undefined) {
        this.#isPartial = false;
        this.#end = end;
        return end.length > before.length;
      }
    }
    const [found, recovery] = await recoverWhileReplaced(this.path, manifest, this.#engine, (steps) =>
      this.#do(steps),
    );
    if (this.#closed) {
      recovery.engineIndex.close();
      throw closedError();
    }
    this.#replaceBy(found, recovery);
    return true;
  }

  #replaceBy(manifest: Manifest, { engineIndex, end }: Recovery): void {
    const old = this.#held;
    this.#held = { index: engineIndex, users: 0, isReplaced: false };
    this.#manifest = manifest;
    this.#end = end;
    this.#isPartial = false;
    old.isReplaced = true;
    if (old.users === 0) old.index.close();
    else this.#replaced.add(old);
  }
}

/** Recovers what a manifest names; where that fails and there is a newer manifest, what that names. */
async function recoverWhileReplaced(
  path: string,
  first: Manifest,
  engine: Engine,
  run: (steps: Steps<Recovery>) => Promise<Recovery>,
): Promise<[Manifest, Recovery]> {
  let manifest = first;
  for (let attempt = 1; ; attempt++) {
    try {
      return [manifest, await run(recover(path, manifest, engine))];
    } catch (error) {
      const newer = requireManifest(path, engine);
      if (attempt === ATTEMPTS || isSame(newer, manifest)) throw missingIsCorrupt(error, path);
      manifest = newer;
      await turn();
    }
  }
}
