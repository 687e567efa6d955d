/** A copy of an index's directory that shares its files: they are never changed, so a link is as good as a copy. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import { makeError } from '../errors.ts';
import { makeDirectory, removeEmpty, replaceFile, syncDirectory } from './atomic-file.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { isSystemError } from './io-error.ts';
import { LogWriter } from './log-writer.ts';
import { type Manifest, namesIn, writeManifest } from './manifest.ts';
import { BACKUP, fileName, isOwnFile, LOCK, MANIFEST, SNAPSHOT } from './names.ts';
import { identityOf } from './recover.ts';
import { openRegular } from './regular-file.ts';
import type { Steps } from './steps.ts';

const COPY_BYTES = 4 * 2 ** 20;

/** An id that no other index has. */
export function newIndexId(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Makes at `target` an index of the segments of a manifest, with an empty log. The directory must be empty, or not there,
 * or have what a snapshot left that was killed. Links files, or copies them where links are not possible. Nothing is left
 * where it fails. What is there before the manifest is no index, and opening it is refused.
 */
export function* writeSnapshot(
  directory: string,
  manifest: Manifest,
  target: string,
  engine: Engine,
): Steps<void> {
  const directoryMade = makeDirectory(target);
  let isDone = false;
  try {
    const lock = lockTarget(target, engine);
    try {
      clearTarget(target, lock !== undefined);
      yield* fillSnapshot(directory, manifest, target, engine);
      isDone = true;
    } finally {
      lock?.release();
    }
  } finally {
    if (!isDone && directoryMade !== undefined) removeEmpty(target, directoryMade);
  }
}

/** Refuses a directory with what a snapshot left that was killed: it is no index, and not all of one. */
export function refusePart(directory: string): void {
  const isThere = (name: string) => fs.existsSync(join(directory, name));
  // The backup is written after the manifest: with it, this is an index that has lost its manifest.
  const isPart = isThere(SNAPSHOT) && !isThere(MANIFEST) && !isThere(BACKUP);
  if (!isPart) return;
  throw makeError(
    'ERR_NEARDUP_BAD_INPUT',
    `${directory} has part of a snapshot that was not completed: make it again, or remove the directory`,
  );
}

const LINKLESS = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Whether a failure to link says that files cannot be linked there. */
function isLinkless(error: unknown): boolean {
  return isSystemError(error) && error.syscall === 'link' && LINKLESS.has(error.code ?? '');
}

/** The lock of the directory; undefined where files cannot be linked, as a lock is made by a link. */
function lockTarget(target: string, engine: Engine): DirectoryLock | undefined {
  try {
    return lockDirectory(target, engine);
  } catch (error) {
    if (isLinkless(error)) return undefined;
    throw error;
  }
}

/**
 * Removes what a snapshot left that was killed: its marker says that no other files of an index can be there. Not
 * without the lock, as the snapshot may be going on in another process.
 */
function clearTarget(target: string, isLocked: boolean): void {
  const names = fs.readdirSync(target).filter((name) => name !== LOCK && !name.startsWith(`${LOCK}.`));
  const isLeft = isLocked && names.includes(SNAPSHOT) && names.every((name) => isOwnFile(name));
  if (names.length > 0 && !isLeft) {
    throw makeError(
      'ERR_NEARDUP_BAD_INPUT',
      `${target} is not empty: a snapshot needs a directory of its own`,
    );
  }
  for (const name of names) if (name !== SNAPSHOT) fs.rmSync(join(target, name), { force: true });
}

function* fillSnapshot(directory: string, manifest: Manifest, target: string, engine: Engine): Steps<void> {
  /** Names that were made in it. */
  const made: string[] = [SNAPSHOT];
  let isDone = false;
  try {
    fs.closeSync(fs.openSync(join(target, SNAPSHOT), 'w'));
    syncDirectory(target);
    for (const name of namesIn({ ...manifest, logs: [] })) {
      yield* linkOrCopy(join(directory, name), join(target, name));
      made.push(name);
      yield;
    }
    const log = fileName('log', manifest.next);
    const copy = { ...manifest, index: newIndexId(), generation: 1, logs: [log], next: manifest.next + 1 };
    LogWriter.create(target, identityOf(copy, log)).close();
    made.push(log);
    syncDirectory(target);
    made.push(MANIFEST, BACKUP);
    yield* writeManifest(target, copy, engine);
    isDone = true;
    fs.rmSync(join(target, SNAPSHOT), { force: true });
    syncDirectory(target);
  } finally {
    // The marker last: without it, the others would be of an index that has lost its manifest.
    if (!isDone) for (const name of made.reverse()) fs.rmSync(join(target, name), { force: true });
  }
}

function* linkOrCopy(from: string, to: string): Steps<void> {
  try {
    fs.linkSync(from, to);
    return;
  } catch (error) {
    if (!isLinkless(error)) throw error;
  }
  const source = openRegular(from);
  try {
    yield* replaceFile(to, (file) => copyTo(source, file));
  } finally {
    fs.closeSync(source);
  }
}

function* copyTo(source: number, file: number): Steps<void> {
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  for (;;) {
    const length = fs.readSync(source, buffer, 0, buffer.length, null);
    if (length === 0) return;
    for (let done = 0; done < length; ) done += fs.writeSync(file, buffer, done, length - done, null);
    yield;
  }
}
