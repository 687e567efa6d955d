/** Opens an index's directory, or makes it. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Engine, IndexColumns } from '../engine.ts';
import { makeError } from '../errors.ts';
import { makeDirectory } from './atomic-file.ts';
import { corrupt } from './checked-file.ts';
import { lockDirectory } from './directory-lock.ts';
import type { IndexStore } from './index-store.ts';
import { guardIoAsync } from './io-error.ts';
import { LOG_HEADER } from './log-format.ts';
import { LogWriter } from './log-writer.ts';
import { type Manifest, readManifest, type StoredOptions, writeManifest } from './manifest.ts';
import { BACKUP, fileName, isOwnFile, MANIFEST, parseName } from './names.ts';
import { checkNewest } from './newer-logs.ts';
import { ReadOnlyStore } from './read-only-store.ts';
import { identityOf, missingIsCorrupt, recover } from './recover.ts';
import { newIndexId } from './snapshot.ts';
import { doNow, Work } from './steps.ts';
import { type StoreOptions, WritableStore } from './writable-store.ts';

/** Options of the index; undefined where those that are stored will do. */
export interface WantedOptions {
  readonly maxDistance: number | undefined;
  readonly memory: StoredOptions['memory'] | undefined;
  readonly columns: { readonly [column in keyof IndexColumns]: boolean | undefined };
  readonly recipe: string | undefined;
}

export interface OpenOptions extends StoreOptions {
  readonly wanted: WantedOptions;
  readonly create: boolean;
  readonly readOnly: boolean;
}

/** An index that is open, and how it was made. */
export interface OpenedStore {
  readonly store: IndexStore;
  readonly stored: StoredOptions;
}

const DEFAULT_DISTANCE = 3;
const ADVICE = 'the index was not opened';

/** Refuses an index that was made in another way. */
function checkStored(path: string, wanted: WantedOptions, stored: StoredOptions): void {
  const { recipe, maxDistance, columns } = wanted;
  if (recipe !== undefined && recipe !== stored.recipe) {
    const held = stored.recipe === null ? 'no recipe that was named' : `the recipe "${stored.recipe}"`;
    throw makeError(
      'ERR_NEARDUP_RECIPE_MISMATCH',
      `${path} holds fingerprints of ${held}, not of "${recipe}": they cannot be compared`,
    );
  }
  const check = (name: string, value: unknown, held: unknown) => {
    if (value === undefined || value === held) return;
    throw makeError(
      'ERR_NEARDUP_OUT_OF_RANGE',
      `options.${name} is ${value}, but ${path} was made with ${held}`,
    );
  };
  check('maxDistance', maxDistance, stored.maxDistance);
  check('times', columns.time, stored.columns.time);
  check('tags', columns.tag, stored.columns.tag);
  check('secondFingerprints', columns.second, stored.columns.second);
}

function noIndex(path: string): Error {
  return makeError('ERR_NEARDUP_BAD_INPUT', `there is no index at ${path}`);
}

/** Removes what a crash left of making the index; refuses a directory whose manifest is lost. */
function clearUnmade(path: string): void {
  for (const name of fs.readdirSync(path)) {
    const file = join(path, name);
    const isEmptyLog = parseName(name)?.kind === 'log' && fs.statSync(file).size <= LOG_HEADER;
    if (isEmptyLog || (isOwnFile(name) && parseName(name) === undefined)) fs.rmSync(file, { force: true });
    else if (isOwnFile(name) || name === BACKUP) {
      throw corrupt(
        join(path, MANIFEST),
        'file',
        'it is lost, but there are files of an index; repairIndex makes it anew',
      );
    }
  }
}

function makeIndex(
  path: string,
  { maxDistance, memory, columns, recipe }: WantedOptions,
  engine: Engine,
): Manifest {
  clearUnmade(path);
  const log = fileName('log', 1);
  const manifest: Manifest = {
    index: newIndexId(),
    generation: 1,
    maxDistance: maxDistance ?? DEFAULT_DISTANCE,
    memory: memory ?? 'compact',
    columns: { time: columns.time ?? false, tag: columns.tag ?? false, second: columns.second ?? false },
    recipe: recipe ?? null,
    segments: [],
    logs: [log],
    next: 2,
  };
  LogWriter.create(path, identityOf(manifest, log)).close();
  doNow(writeManifest(path, manifest, engine));
  return manifest;
}

async function openWritable(path: string, options: OpenOptions, engine: Engine): Promise<OpenedStore> {
  const { wanted, create } = options;
  if (create) makeDirectory(path);
  else if (!fs.existsSync(path)) throw noIndex(path);
  const unlock = lockDirectory(path);
  try {
    const found = readManifest(path, engine);
    if (found === undefined && !create) throw noIndex(path);
    const manifest = found ?? makeIndex(path, wanted, engine);
    checkStored(path, wanted, manifest);
    checkNewest(path, manifest);
    const stored = { ...manifest, memory: wanted.memory ?? manifest.memory };
    const recovery = await new Work(recover(path, stored, engine)).finishAsync();
    try {
      return { store: new WritableStore(path, stored, recovery, options, engine, unlock), stored };
    } catch (error) {
      recovery.engineIndex.close();
      throw error;
    }
  } catch (error) {
    unlock();
    throw missingIsCorrupt(error, path);
  }
}

async function openReadOnly(path: string, { wanted }: OpenOptions, engine: Engine): Promise<OpenedStore> {
  const manifest = readManifest(path, engine);
  if (manifest === undefined) throw noIndex(path);
  checkStored(path, wanted, manifest);
  return { store: await ReadOnlyStore.open(path, manifest, engine), stored: manifest };
}

/** Opens the index at a path. */
export async function openStore(path: string, options: OpenOptions, engine: Engine): Promise<OpenedStore> {
  const open = options.readOnly ? openReadOnly : openWritable;
  return await guardIoAsync(path, ADVICE, () => open(path, options, engine));
}
