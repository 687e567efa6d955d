/** A copy of an index's directory that shares its files: they are never changed, so a link is as good as a copy. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import { makeError } from '../errors.ts';
import { makeDirectory, removeEmpty, replaceFile, syncDirectory } from './atomic-file.ts';
import { isSystemError } from './io-error.ts';
import { LogWriter } from './log-writer.ts';
import { type Manifest, namesIn, writeManifest } from './manifest.ts';
import { BACKUP, fileName, MANIFEST } from './names.ts';
import { identityOf } from './recover.ts';
import type { Steps } from './steps.ts';

const COPY_BYTES = 4 * 2 ** 20;

/** An id that no other index has. */
export function newIndexId(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Makes at `target`, which must be empty or not there, an index of the segments of a manifest, with an empty log.
 * Links files, or copies them where links are not possible. Nothing is left where it fails.
 */
export function* writeSnapshot(
  directory: string,
  manifest: Manifest,
  target: string,
  engine: Engine,
): Steps<void> {
  const directoryMade = makeDirectory(target);
  if (fs.readdirSync(target).length > 0) {
    throw makeError(
      'ERR_NEARDUP_BAD_INPUT',
      `${target} is not empty: a snapshot needs a directory of its own`,
    );
  }
  /** Names that were made in it. */
  const made: string[] = [];
  let isDone = false;
  try {
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
  } finally {
    if (!isDone) {
      for (const name of made) fs.rmSync(join(target, name), { force: true });
      if (directoryMade !== undefined) removeEmpty(target, directoryMade);
    }
  }
}

function* linkOrCopy(from: string, to: string): Steps<void> {
  try {
    fs.linkSync(from, to);
    return;
  } catch (error) {
    if (!isSystemError(error) || ['ENOENT', 'ENOSPC', 'EEXIST'].includes(error.code ?? '')) throw error;
  }
  const source = fs.openSync(from, 'r');
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
