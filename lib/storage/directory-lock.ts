/**
 * One writer for a directory: a file LOCK that says who writes (lock-owner.ts). The lock of a process or a worker thread
 * that is gone is taken over.
 *
 * Each contender has a file of its own, and gets a name (LOCK, or a claim) by a link to it, which is made only where
 * nothing has the name. Names are taken from the dead by this rule alone: who wants to remove a file whose text has the
 * random word w first gets the claim `LOCK.w`, then looks again whether the file still has that text, and only then
 * removes it. So between a look and a removal nobody else removes that text; and as no text comes back once it is
 * removed, what a late removal finds under the name is another text, and is left alone. Claims of the dead are
 * removed by the same rule.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { FileLocker } from '../engine-storage.ts';
import { makeError, NeardupError } from '../errors.ts';
import { isMissing } from './io-error.ts';
import { lockedText, type OwnerState, ownerState, ownerText, processOf, wordOf } from './lock-owner.ts';
import { openRegular, readRegular } from './regular-file.ts';

const NAME = 'LOCK';
/** Times that a contender tries, with a pause where another one is at work. */
const ATTEMPTS = 60;
const PAUSE_MILLISECONDS = 1;
/** Far more than a contender takes from making its file to writing it. */
const WRITING_MILLISECONDS = 10 * 60_000;
/** Claims on claims: each is of another process that ended within the same moment. */
const MAX_DEPTH = 16;

/** What locks of this thread say that are given up, and could not be removed. */
const abandoned = new Set<string>();

/** A file in the way, and what has become of its owner. */
interface Obstacle {
  readonly path: string;
  readonly text: string;
  readonly state: OwnerState;
}

/** A lock that was taken. */
export interface DirectoryLock {
  /**
   * Whether it is still there: the directory may have been renamed, removed, or made anew. Throws the system's error
   * where that cannot be told.
   */
  isHeld(): boolean;
  release(): void;
}

/** Undefined where there is no such file. */
function tryRead(path: string): string | undefined {
  try {
    return readRegular(path).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes what nobody needs: that it stays does no harm. */
function removeQuietly(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // it stays
  }
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

/** Whether nobody can be about to write the text of a file. */
function isOld(path: string): boolean {
  return Date.now() - fs.statSync(path).mtimeMs > WRITING_MILLISECONDS;
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MILLISECONDS);
}

/** The file that a contender links to names, whole and locked from the first moment on. */
class OwnFile {
  readonly path: string;
  readonly text: string;
  /** Open while the system's lock is wanted. */
  #locked: number | undefined;

  constructor(directory: string, locker: FileLocker) {
    const text = ownerText();
    this.path = join(directory, `${NAME}.${wordOf(text)}.tmp`);
    const file = fs.openSync(this.path, 'wx+');
    try {
      if (locker.tryLockFile?.(file, false) === true) this.#locked = file;
      else fs.closeSync(file);
      this.text = this.#locked === undefined ? text : lockedText(text);
      // Only now, as others go by the text; opened anew, so that a network file system has it before the name.
      fs.writeFileSync(this.path, this.text);
    } catch (error) {
      this.close();
      removeQuietly(this.path);
      throw error;
    }
  }

  /** Gives the system's lock up. */
  close(): void {
    const file = this.#locked;
    this.#locked = undefined;
    if (file !== undefined) fs.closeSync(file);
  }
}

class Contender {
  readonly #directory: string;
  readonly #locker: FileLocker;
  readonly #own: OwnFile;

  constructor(directory: string, locker: FileLocker) {
    this.#directory = directory;
    this.#locker = locker;
    this.#own = new OwnFile(directory, locker);
  }

  /** Takes the lock, or throws. */
  run(): DirectoryLock {
    try {
      this.#take(join(this.#directory, NAME));
    } catch (error) {
      // The lock may have been made, or a claim not removed.
      if (!(error instanceof NeardupError)) abandoned.add(this.#own.text);
      this.#own.close();
      throw error;
    } finally {
      removeQuietly(this.#own.path);
    }
    this.#removeLeftOvers();
    return lockOf(join(this.#directory, NAME), this.#own);
  }

  #take(path: string): void {
    let obstacle: Obstacle | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (this.#put(path)) return;
      const found = this.#look(path);
      if (found === undefined) continue;
      if (found.state !== 'gone') throw this.#refusal(found);
      obstacle = this.#removeStale(found);
      if (obstacle !== undefined) pause();
    }
    throw this.#refusal(obstacle);
  }

  /** Gives the own file a name; false where another one has it. */
  #put(path: string): boolean {
    try {
      fs.linkSync(this.#own.path, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // A network may have lost the answer to a first call.
      return tryRead(path) === this.#own.text;
    }
  }

  #look(path: string): Obstacle | undefined {
    let file: number;
    try {
      file = openRegular(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const text = fs.readFileSync(file, 'utf8');
      if (abandoned.has(text)) return { path, text, state: 'gone' };
      // Shared, so that contenders do not take each other for the owner.
      const isLocked = () => {
        const isFree = this.#locker.tryLockFile?.(file, true);
        return isFree === undefined ? undefined : !isFree;
      };
      return { path, text, state: ownerState(text, this.#directory, isLocked) };
    } finally {
      fs.closeSync(file);
    }
  }

  /** Removes a file whose owner is gone, and only that; gives what is in the way. */
  #removeStale({ path, text }: Obstacle, depth = 0): Obstacle | undefined {
    const word = wordOf(text);
    const claim = word === undefined ? `${path}.0` : join(this.#directory, `${NAME}.${word}`);
    if (!this.#put(claim)) {
      const found = this.#look(claim);
      const isStale = found?.state === 'gone' && depth < MAX_DEPTH;
      return isStale ? this.#removeStale(found, depth + 1) : found;
    }
    try {
      if (tryRead(path) === text) fs.rmSync(path, { force: true });
    } finally {
      fs.rmSync(claim, { force: true });
    }
    return undefined;
  }

  /**
   * Removes what contenders that ended have left. The lock is held, so every claim that there is now is on a text that
   * is not under the name LOCK, and never will be: to remove one, were it by then another contender's, lets nobody
   * remove the lock.
   */
  #removeLeftOvers(): void {
    for (const name of namesIn(this.#directory)) {
      if (!name.startsWith(`${NAME}.`)) continue;
      try {
        const found = this.#look(join(this.#directory, name));
        if (found?.state === 'gone' && (processOf(found.text) !== undefined || isOld(found.path)))
          removeQuietly(found.path);
      } catch {
        // It is left for the next one.
      }
    }
  }

  #refusal(obstacle: Obstacle | undefined): Error {
    const { path = join(this.#directory, NAME), text = '', state = 'alive' } = obstacle ?? {};
    const where = `${this.#directory} is open for writing in process ${processOf(text) ?? 'unknown'}`;
    const advice =
      state === 'container' || state === 'machine'
        ? ` of another ${state}; if that is gone, remove ${path}`
        : '; close it there, or open it read-only';
    return makeError('ERR_NEARDUP_LOCKED', `${where}${advice}`);
  }
}

function lockOf(path: string, own: OwnFile): DirectoryLock {
  const isHeld = () => tryRead(path) === own.text;
  return {
    isHeld,
    release: () => {
      try {
        if (isHeld()) fs.rmSync(path, { force: true });
      } catch {
        abandoned.add(own.text);
      } finally {
        // Only now, as from here on another one may take the lock over.
        own.close();
      }
    },
  };
}

/** Takes the lock of a directory, with the system's lock where the engine can. Throws ERR_NEARDUP_LOCKED. */
export function lockDirectory(directory: string, locker: FileLocker): DirectoryLock {
  return new Contender(directory, locker).run();
}
