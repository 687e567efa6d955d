/** Files that are whole or absent, whatever happens: written beside their place, synced, then renamed. */
import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Steps } from './steps.ts';

/** Characters of a file's name that its temporary name begins with: names may have 255 bytes. */
const NAME_PART = 40;

/** Writes all bytes at a position of an open file. */
export function writeFully(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += fs.writeSync(file, bytes, done, bytes.length - done, position + done);
  }
}

/** Reads bytes from a position; returns how many there were, fewer only at the end of the file. */
export function readFully(file: number, bytes: Uint8Array, position: number): number {
  let done = 0;
  while (done < bytes.length) {
    const length = fs.readSync(file, bytes, done, bytes.length - done, position + done);
    if (length === 0) break;
    done += length;
  }
  return done;
}

/** Makes a directory's entries durable; where a platform cannot, its renames are as durable as it makes them. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(directory);
  } finally {
    fs.closeSync(directory);
  }
}

/** Makes a directory where there is none, durably; gives the first that was made of it and of what it is in. */
export function makeDirectory(path: string): string | undefined {
  const first = fs.mkdirSync(path, { recursive: true });
  if (first === undefined) return undefined;
  const top = dirname(resolve(first));
  for (let at = dirname(resolve(path)); ; at = dirname(at)) {
    syncDirectory(at);
    if (at === top || at === dirname(at)) return first;
  }
}

/** Removes a directory, and those that it is in up to `top`, as far as they are empty. */
export function removeEmpty(directory: string, top: string): void {
  try {
    for (let at = resolve(directory); ; at = dirname(at)) {
      fs.rmdirSync(at);
      if (at === resolve(top)) return;
    }
  } catch {
    // Others have put something there.
  }
}

/** Puts at `path` what `write` writes to the open file, at once or in steps; on failure `path` stays as it was. */
export function* replaceFile(path: string, write: (file: number) => Steps<void> | undefined): Steps<void> {
  const name = `${basename(path).slice(0, NAME_PART)}.${process.pid}.${Math.random().toString(36).slice(2, 10)}.tmp`;
  const temporary = join(dirname(path), name);
  const file = fs.openSync(temporary, 'wx');
  let renamed = false;
  try {
    try {
      const steps = write(file);
      if (steps !== undefined) yield* steps;
      yield { file };
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(temporary, path);
    renamed = true;
  } finally {
    if (!renamed) fs.rmSync(temporary, { force: true });
  }
  syncDirectory(dirname(path));
}
