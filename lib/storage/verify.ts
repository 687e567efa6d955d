/** Checks that the files of an index are what was written: every byte of each, and what they say of each other. */
import fs from 'node:fs';
import { join } from 'node:path';
import { currentEngine } from '../backend.ts';
import type { Engine } from '../engine.ts';
import { checkPath } from './check-path.ts';
import { corrupt } from './checked-file.ts';
import { noIndex } from './io-error.ts';
import { LogReader } from './log-reader.ts';
import { type Manifest, readManifest, type SegmentEntry } from './manifest.ts';
import { MANIFEST } from './names.ts';
import { checkNewest } from './newer-logs.ts';
import { type IndexProblem, problemOf } from './problem.ts';
import { checkColumns, identityOf } from './recover.ts';
import { replay } from './replay.ts';
import { removedOf, SegmentFile } from './segment-file.ts';
import { type Steps, Work } from './steps.ts';

/** Times that checking starts anew when a writer replaced the files meanwhile. */
const ATTEMPTS = 5;

function* verifySegment(
  directory: string,
  manifest: Manifest,
  entry: SegmentEntry,
  engine: Engine,
): Steps<void> {
  const file = SegmentFile.openNamed(directory, entry, engine);
  try {
    checkColumns(file, manifest.columns);
    yield* file.verify();
    yield* engine.checkSegment(file, manifest.columns);
  } finally {
    file.close();
  }
}

function* verifyRemoved(directory: string, entry: SegmentEntry, engine: Engine): Steps<void> {
  yield* removedOf(directory, entry, engine);
}

/** What checking a log's records takes. */
const NOWHERE = { addBatch: () => {}, removeBatch: () => new Float64Array(0), removeBefore: () => 0 };

/** Checks a log, up to `end` where that is given. */
function* verifyLog(directory: string, manifest: Manifest, name: string, end?: number): Steps<void> {
  const path = join(directory, name);
  const log = new LogReader(path, end);
  try {
    log.expect(identityOf(manifest, name));
    const length = yield* replay(log, NOWHERE);
    if (log.torn !== undefined) {
      const bytes = `the last ${log.size - length} bytes do not count; opening for writing cuts them off`;
      throw corrupt(path, `record at byte ${length}`, `${log.torn}: ${bytes}`);
    }
  } finally {
    log.close();
  }
}

/** Checks the files that a manifest names; of the last log its first `logLength` bytes where that is given. */
export function* verifyNamed(
  directory: string,
  manifest: Manifest,
  engine: Engine,
  logLength?: number,
): Steps<IndexProblem[]> {
  const problems: IndexProblem[] = [];
  function* check(name: string, steps: Steps<void>): Steps<void> {
    try {
      yield* steps;
    } catch (error) {
      problems.push(problemOf(join(directory, name), error));
    }
  }
  for (const entry of manifest.segments) {
    yield* check(entry.name, verifySegment(directory, manifest, entry, engine));
    if (entry.removed !== null) yield* check(entry.removed.name, verifyRemoved(directory, entry, engine));
  }
  for (const name of manifest.logs) {
    const end = name === manifest.logs.at(-1) ? logLength : undefined;
    yield* check(name, verifyLog(directory, manifest, name, end));
  }
  return problems;
}

/** Checks all files of a directory, as the manifest tells them. */
function* verifyDirectory(directory: string, engine: Engine): Steps<IndexProblem[]> {
  for (let attempt = 1; ; attempt++) {
    let manifest: Manifest | undefined;
    try {
      manifest = readManifest(directory, engine);
    } catch (error) {
      return [problemOf(join(directory, MANIFEST), error)];
    }
    if (manifest === undefined) {
      const file = join(directory, MANIFEST);
      return [{ file, section: 'file', message: 'there is none: this is no index, or its manifest is lost' }];
    }
    const problems = yield* verifyNamed(directory, manifest, engine);
    try {
      checkNewest(directory, manifest);
    } catch (error) {
      problems.push(problemOf(join(directory, MANIFEST), error));
    }
    if (problems.length === 0 || attempt === ATTEMPTS) return problems;
    // A writer may have replaced the files: then they are no problem.
    if (!isReplaced(directory, manifest, engine)) return problems;
  }
}

function isReplaced(directory: string, { generation }: Manifest, engine: Engine): boolean {
  try {
    return readManifest(directory, engine)?.generation !== generation;
  } catch {
    return true;
  }
}

/**
 * Checks every byte of the files of an index, which may be open or not, without changing anything: what is not as it
 * was written, empty where all is well. A log that ends in the middle of a record, as a crash leaves it, is told as
 * well. Takes about a second for each GB, in slices of some milliseconds. Rejects where there is no directory.
 */
export async function verifyIndex(path: string, engine: Engine = currentEngine()): Promise<IndexProblem[]> {
  const directory = checkPath('path', path);
  if (!fs.existsSync(directory)) throw noIndex(directory);
  return await new Work(verifyDirectory(directory, engine)).finishAsync();
}
