/** Opens an index's directory, or makes it. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import { makeDirectory, removeEmpty } from './atomic-file.ts';
import { isDirectory } from './check-path.ts';
import { checkStored, type WantedOptions } from './check-stored.ts';
import { corrupt } from './corrupt.ts';
import { lockDirectory } from './directory-lock.ts';
import type { IndexStore } from './index-store.ts';
import { guardIoAsync, noIndex } from './io-error.ts';
import { LogWriter } from './log-writer.ts';
import { type Manifest, readManifest, type StoredOptions, writeManifest } from './manifest.ts';
import { renewBackup } from './manifest-backup.ts';
import { BACKUP, fileName, isOwnFile, MANIFEST, parseName } from './names.ts';
import { checkNewest, isUnusedLog } from './newer-logs.ts';
import { ReadOnlyStore } from './read-only-store.ts';
import { identityOf, missingIsCorrupt, recover } from './recover.ts';
import { newIndexId, refusePart } from './snapshot.ts';
import { doNow, Work } from './steps.ts';
import { type StoreOptions, WritableStore } from './writable-store.ts';

export interface OpenOptions extends Omit<StoreOptions, 'isNew'> {
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

/** Removes what a crash left of making the index; refuses a directory whose manifest is lost. */
function clearUnmade(path: string): void {
  refusePart(path);
  for (const name of fs.readdirSync(path)) {
    const file = join(path, name);
    const isUnused = parseName(name)?.kind === 'log' && isUnusedLog(file);
    if (isUnused || (isOwnFile(name) && parseName(name) === undefined)) fs.rmSync(file, { force: true });
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
  let isMade = false;
  try {
    LogWriter.create(path, identityOf(manifest, log)).close();
    doNow(writeManifest(path, manifest, engine));
    isMade = true;
  } finally {
    if (!isMade) for (const name of [MANIFEST, BACKUP, log]) fs.rmSync(join(path, name), { force: true });
  }
  return manifest;
}

/** Opens an index for writing, or makes it; a directory that was made for that is removed again where it fails. */
async function openWritable(path: string, options: OpenOptions, engine: Engine): Promise<OpenedStore> {
  const isThere = isDirectory(path);
  if (!isThere && !options.create) throw noIndex(path);
  const directoryMade = isThere ? undefined : makeDirectory(path);
  let isOpen = false;
  try {
    const opened = await openDirectory(path, options, engine);
    isOpen = true;
    return opened;
  } finally {
    if (!isOpen && directoryMade !== undefined) removeEmpty(path, directoryMade);
  }
}

async function openDirectory(path: string, options: OpenOptions, engine: Engine): Promise<OpenedStore> {
  const { wanted, create } = options;
  const lock = lockDirectory(path, engine);
  try {
    const found = readManifest(path, engine);
    if (found === undefined && !create) throw noIndex(path);
    const manifest = found ?? makeIndex(path, wanted, engine);
    checkStored(path, wanted, manifest);
    checkNewest(path, manifest);
    const isOther = wanted.memory !== undefined && wanted.memory !== manifest.memory;
    const stored = isOther
      ? { ...manifest, memory: wanted.memory, generation: manifest.generation + 1 }
      : manifest;
    const recovery = await new Work(recover(path, stored, engine)).finishAsync();
    try {
      if (isOther) doNow(writeManifest(path, stored, engine));
      else renewBackup(path);
      const storeOptions = { ...options, isNew: found === undefined };
      return { store: new WritableStore(path, stored, recovery, storeOptions, engine, lock), stored };
    } catch (error) {
      recovery.engineIndex.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw missingIsCorrupt(error, path);
  }
}

async function openReadOnly(path: string, { wanted }: OpenOptions, engine: Engine): Promise<OpenedStore> {
  const manifest = isDirectory(path) ? readManifest(path, engine) : undefined;
  if (manifest === undefined) throw noIndex(path);
  checkStored(path, wanted, manifest);
  return { store: await ReadOnlyStore.open(path, manifest, engine), stored: manifest };
}

/** Opens the index at a path. */
export async function openStore(path: string, options: OpenOptions, engine: Engine): Promise<OpenedStore> {
  const open = options.readOnly ? openReadOnly : openWritable;
  return await guardIoAsync(path, ADVICE, () => open(path, options, engine));
}
