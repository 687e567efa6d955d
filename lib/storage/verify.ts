/** Checks that the files of an index are what was written: every byte of each, and what they say of each other. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { currentEngine } from '../backend.ts';
import type { Engine } from '../engine.ts';
import { checkPath, isDirectory } from './check-path.ts';
import { corrupt } from './corrupt.ts';
import { guardIoAsync, isMissing, noIndex } from './io-error.ts';
import { LogReader } from './log-reader.ts';
import { type Manifest, namesIn, readManifest, type SegmentEntry } from './manifest.ts';
import { BACKUP, LOCK, MANIFEST } from './names.ts';
import { checkNewest } from './newer-logs.ts';
import { type IndexProblem, problemOf } from './problem.ts';
import { checkColumns, identityOf } from './recover.ts';
import { readRegular } from './regular-file.ts';
import { replay } from './replay.ts';
import { checkPlan, removedOf, SegmentFile } from './segment-file.ts';
import { type Steps, Work } from './steps.ts';

/** Times that checking goes on with what a writer has put in the place of files. Each is read once. */
const ATTEMPTS = 20;
/** What a writer takes at most for a record that is half there, and from manifest to backup. */
const WRITE_MS = 20;
const RENEWAL_MS = 1000;

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
    checkPlan(file, manifest.columns, entry);
  } finally {
    file.close();
  }
}

function* verifyRemoved(directory: string, entry: SegmentEntry, engine: Engine): Steps<void> {
  yield* removedOf(directory, entry, engine);
}

const ADVICE = 'nothing was checked; try again when the cause is gone';

/** What checking a log's records takes. */
const NOWHERE = { addBatch: () => {}, removeBatch: () => new Float64Array(0), removeBefore: () => 0 };

/**
 * Checks a log, up to `end` where that is given. A record that is cut off may be one that is being written: then the log
 * is read again.
 */
function* verifyLog(directory: string, manifest: Manifest, name: string, end?: number): Steps<void> {
  const path = join(directory, name);
  for (let attempt = 1; ; attempt++) {
    const log = new LogReader(path, end);
    try {
      log.expect(identityOf(manifest, name));
      if (end !== undefined && log.size < end) {
        throw corrupt(path, 'file', `it ends at byte ${log.size}, and ${end} were written`);
      }
      const length = yield* replay(log, NOWHERE);
      if (log.torn === undefined) return;
      if (attempt < ATTEMPTS) yield* wait(WRITE_MS);
      if (attempt < ATTEMPTS && fs.statSync(path).size !== log.size) continue;
      const bytes = `the last ${log.size - length} bytes do not count; opening for writing cuts them off`;
      throw corrupt(path, `record at byte ${length}`, `${log.torn}: ${bytes}`);
    } finally {
      log.close();
    }
  }
}

function* wait(milliseconds: number): Steps<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) yield;
}

/** An index that is open. */
export interface OpenedFiles {
  readonly manifest: Manifest;
  /** The log that it goes by, and how much of that counts. */
  readonly end: { readonly name: string; readonly length: number };
  /** Whether another index may be in its place, as a repair puts it there: where it is only read. */
  readonly mayBeReplaced: boolean;
}

/** What was found in files, by name and checksum: those that are never changed are read once. */
type Checked = Map<string, IndexProblem | undefined>;

/** Checks the files that a manifest names. */
function* verifyNamed(
  directory: string,
  manifest: Manifest,
  engine: Engine,
  end: OpenedFiles['end'] | undefined,
  checked: Checked,
): Steps<IndexProblem[]> {
  function* check(name: string, steps: Steps<void>): Steps<IndexProblem | undefined> {
    try {
      yield* steps;
      return undefined;
    } catch (error) {
      return problemOf(join(directory, name), error);
    }
  }
  const problems: (IndexProblem | undefined)[] = [];
  function* once(file: { name: string; checksum: string }, steps: Steps<void>): Steps<void> {
    const key = `${file.name} ${file.checksum}`;
    if (!checked.has(key)) checked.set(key, yield* check(file.name, steps));
    problems.push(checked.get(key));
  }
  for (const entry of manifest.segments) {
    yield* once(entry, verifySegment(directory, manifest, entry, engine));
    if (entry.removed !== null) yield* once(entry.removed, verifyRemoved(directory, entry, engine));
  }
  for (const name of manifest.logs) {
    const length = name === end?.name ? end.length : undefined;
    problems.push(yield* check(name, verifyLog(directory, manifest, name, length)));
  }
  return problems.filter((problem) => problem !== undefined);
}

/** The manifest to go by, and what is wrong with the one there is. */
function findManifest(
  directory: string,
  engine: Engine,
  opened: OpenedFiles | undefined,
): { manifest: Manifest | undefined; problem?: IndexProblem } {
  const file = join(directory, MANIFEST);
  let manifest: Manifest | undefined;
  try {
    manifest = readManifest(directory, engine);
  } catch (error) {
    return { manifest: opened?.manifest, problem: problemOf(file, error) };
  }
  if (manifest === undefined) {
    const message = 'there is none: this is no index, or its manifest is lost';
    return { manifest: opened?.manifest, problem: { file, section: 'file', message } };
  }
  if (opened === undefined) return { manifest };
  const isOther = manifest.index !== opened.manifest.index;
  if (isOther ? opened.mayBeReplaced : manifest.generation >= opened.manifest.generation) return { manifest };
  const message = `it is ${isOther ? 'of another index than' : 'older than that of'} the one that is open`;
  return { manifest: opened.manifest, problem: { file, section: 'manifest', message } };
}

/** Checks manifest, segments and logs; what a writer replaces meanwhile is no problem. */
function* verifyFiles(
  directory: string,
  engine: Engine,
  opened: OpenedFiles | undefined,
): Steps<IndexProblem[]> {
  const checked: Checked = new Map();
  for (let attempt = 1; ; attempt++) {
    const { manifest, problem } = findManifest(directory, engine, opened);
    const problems = problem === undefined ? [] : [problem];
    if (manifest === undefined) return problems;
    const end = manifest.index === opened?.manifest.index ? opened.end : undefined;
    problems.push(...(yield* verifyNamed(directory, manifest, engine, end, checked)));
    try {
      checkNewest(directory, manifest);
    } catch (error) {
      problems.push(problemOf(join(directory, MANIFEST), error));
    }
    if (problems.length === 0) return [];
    const { manifest: newest } = findManifest(directory, engine, opened);
    if (newest?.generation === manifest.generation && newest.index === manifest.index) return problems;
    if (newest === undefined || attempt < ATTEMPTS) continue;
    const names = new Set(namesIn(newest));
    return problems.filter(({ file }) => names.has(basename(file)));
  }
}

/** What is wrong with the backup of a manifest that is right. */
function backupProblem(directory: string, engine: Engine): IndexProblem | undefined {
  const file = join(directory, BACKUP);
  let message = 'it is another one than the manifest';
  try {
    if (readRegular(file).equals(readRegular(join(directory, MANIFEST)))) return undefined;
    readManifest(directory, engine, BACKUP);
  } catch (error) {
    message = isMissing(error) ? 'it is not there' : problemOf(file, error).message;
  }
  const remedy = 'opening for writing and checkpoints renew it';
  return { file, section: 'manifest', message: `${message}; ${remedy}` };
}

/** Checks the backup. It comes after the manifest: where there is a writer, it may be about to be written. */
function* verifyBackup(directory: string, engine: Engine, isOurs: boolean): Steps<IndexProblem[]> {
  for (const end = performance.now() + RENEWAL_MS; ; yield* wait(WRITE_MS)) {
    const problem = backupProblem(directory, engine);
    if (problem === undefined) return [];
    if (isOurs || !fs.existsSync(join(directory, LOCK)) || performance.now() > end) return [problem];
  }
}

/** Checks all files of a directory, as the manifest there tells them; of an index that is open, also whether it is its. */
export function* verifyDirectory(
  directory: string,
  engine: Engine,
  opened?: OpenedFiles,
): Steps<IndexProblem[]> {
  const problems = yield* verifyFiles(directory, engine, opened);
  const isManifest = ({ file }: IndexProblem) => file === join(directory, MANIFEST);
  if (problems.some(isManifest)) return problems;
  // Who has it open for writing writes nothing meanwhile.
  const isOurs = opened?.mayBeReplaced === false;
  return [...problems, ...(yield* verifyBackup(directory, engine, isOurs))];
}

/**
 * Checks every byte of the files of an index, which may be open or not, without changing anything: what is not as it
 * was written, empty where all is well. A log that ends in the middle of a record, as a crash leaves it, is told as
 * well, and a backup of the manifest that is not what the manifest is. Takes some seconds for each GB, in slices of
 * some milliseconds. Rejects with ERR_NEARDUP_BAD_INPUT where there is no directory.
 */
export async function verifyIndex(path: string, engine: Engine = currentEngine()): Promise<IndexProblem[]> {
  const directory = checkPath('path', path);
  return await guardIoAsync(directory, ADVICE, async () => {
    if (!isDirectory(directory)) throw noIndex(directory);
    return await new Work(verifyDirectory(directory, engine)).finishAsync();
  });
}
