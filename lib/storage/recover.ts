/** Makes in memory what the files of a manifest hold. */
import { join } from 'node:path';
import type { Engine, EngineIndex, IndexColumns } from '../engine.ts';
import { corrupt } from './corrupt.ts';
import { isMissing } from './io-error.ts';
import { columnBits, type LogIdentity } from './log-format.ts';
import { LogReader } from './log-reader.ts';
import type { Manifest, StoredOptions } from './manifest.ts';
import { parseName } from './names.ts';
import { replay } from './replay.ts';
import { removedOf, SegmentFile } from './segment-file.ts';
import type { Steps } from './steps.ts';

/** How far a log was read. */
export interface LogEnd {
  readonly name: string;
  /** The part that counts. */
  readonly length: number;
  readonly size: number;
  /** Why the file does not end there, where it does not. */
  readonly torn: string | undefined;
  /** The last bytes of the part that counts: another record in the place of the last one would have others. */
  readonly tail: string;
}

/** What is in memory, and up to where in the last log. */
export interface Recovery {
  readonly engineIndex: EngineIndex;
  readonly end: LogEnd;
}

/** An empty index in memory, made as the stored one. */
export function createStored(engine: Engine, { maxDistance, memory, columns }: StoredOptions): EngineIndex {
  return engine.createIndex({ maxDistance, columns, bytesPerEntry: bytesPerEntryOf(memory) });
}

function bytesPerEntryOf(memory: StoredOptions['memory']): number {
  if (memory === 'compact') return 0;
  return memory === 'fast' ? Number.POSITIVE_INFINITY : memory;
}

/** Which log a name stands for. */
export function identityOf(
  { index, columns }: Pick<Manifest, 'index' | 'columns'>,
  name: string,
): LogIdentity {
  return { index, number: parseName(name)?.number ?? 0, columns };
}

/** Refuses a segment of other columns. */
export function checkColumns(file: SegmentFile, columns: IndexColumns): void {
  const stored = file.metadata.columns as IndexColumns | undefined;
  if (stored === undefined || columnBits(stored) !== columnBits(columns)) {
    throw corrupt(file.path, 'header', 'its columns are not those of the index');
  }
}

/** Opens the segments. Throws ERR_NEARDUP_CORRUPT, or the system's error where a file is not there. */
export function* openSegments(
  directory: string,
  manifest: Manifest,
  index: EngineIndex,
  engine: Engine,
): Steps<void> {
  for (const entry of manifest.segments) {
    const removed = yield* removedOf(directory, entry, engine);
    const file = SegmentFile.openNamed(directory, entry, engine);
    try {
      checkColumns(file, manifest.columns);
      index.openSegment(file, removed);
    } finally {
      file.close();
    }
    yield;
  }
}

function* replayFrom(log: LogReader, name: string, index: EngineIndex): Steps<LogEnd> {
  const length = yield* replay(log, index);
  return { name, length, size: log.size, torn: log.torn, tail: log.tailAt(length) };
}

/** Applies a log. */
export function* replayLog(
  directory: string,
  manifest: Manifest,
  name: string,
  index: EngineIndex,
): Steps<LogEnd> {
  const log = new LogReader(join(directory, name));
  try {
    log.expect(identityOf(manifest, name));
    return yield* replayFrom(log, name, index);
  } finally {
    log.close();
  }
}

/**
 * Applies what a log has more than when it was read before; undefined, with nothing applied, where it is not the
 * same up to there: its writer took a record back, or it is gone.
 */
export function* readMore(
  directory: string,
  manifest: Manifest,
  before: LogEnd,
  index: EngineIndex,
): Steps<LogEnd | undefined> {
  let log: LogReader;
  try {
    log = new LogReader(join(directory, before.name));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    log.expect(identityOf(manifest, before.name));
    if (log.size < before.length || log.tailAt(before.length) !== before.tail) return undefined;
    log.position = before.length;
    return yield* replayFrom(log, before.name, index);
  } finally {
    log.close();
  }
}

/** The whole of it: segments, then logs. Only the last log may be torn. */
export function* recover(directory: string, manifest: Manifest, engine: Engine): Steps<Recovery> {
  const engineIndex = createStored(engine, manifest);
  let isWhole = false;
  try {
    yield* openSegments(directory, manifest, engineIndex, engine);
    let end: LogEnd | undefined;
    for (const name of manifest.logs) {
      if (end?.torn !== undefined)
        throw corrupt(join(directory, end.name), `record at byte ${end.length}`, end.torn);
      end = yield* replayLog(directory, manifest, name, engineIndex);
    }
    isWhole = true;
    return { engineIndex, end: end as LogEnd };
  } finally {
    if (!isWhole) engineIndex.close();
  }
}

/** The error for a file that a manifest names and that is not there; others as they are. */
export function missingIsCorrupt(error: unknown, directory: string): unknown {
  if (!isMissing(error)) return error;
  const { path } = error as NodeJS.ErrnoException;
  return corrupt(path ?? directory, 'file', 'the manifest names it, and it is not there');
}
