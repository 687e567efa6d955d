/**
 * One writer for a directory: a file LOCK with the process and the thread that write, and when these started, as far
 * as the system tells. The lock of a process or a worker thread that is gone is taken over.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { makeError } from '../errors.ts';
import { isMissing } from './io-error.ts';

/** Locks of this thread that are given up, and could not be removed. */
const abandoned = new Set<string>();

/** What the system tells of a process or a thread: its state, and when it started, in clock ticks. */
function statusOf(task: string): { readonly state: string; readonly start: string } | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${task}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** This thread as a folder of /proc; only the process where the system has no such folders. */
function ownTask(): string {
  try {
    return fs.readlinkSync('/proc/thread-self');
  } catch {
    return String(process.pid);
  }
}

/** What a new lock of this thread says: process, its thread, when that started, and what no other lock says. */
function newOwner(): string {
  const task = ownTask();
  return `${process.pid} ${task} ${statusOf(task)?.start ?? ''} ${Math.random().toString(36).slice(2, 10)}`;
}

function isAlive(owner: string): boolean {
  const [pid = '', task = '', start = ''] = owner.split(' ');
  if (!/^\d+$/.test(pid) || abandoned.has(owner)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const leader = statusOf(pid);
  // The system hides it, or does not tell.
  if (start === '' || leader === undefined) return true;
  // It ended, and its parent has not asked for it yet.
  if (leader.state === 'Z' || leader.state === 'X') return false;
  return statusOf(task)?.start === start;
}

function tryRead(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Makes a file that has its content from the first moment on; EEXIST where it is there. */
function createWith(path: string, content: string): void {
  const whole = `${path}.${process.pid}.${Math.random().toString(36).slice(2, 10)}`;
  try {
    fs.writeFileSync(whole, content, { flag: 'wx' });
    fs.linkSync(whole, path);
  } finally {
    removeQuietly(whole);
  }
}

/** Removes what nobody needs: that it stays does no harm, and the lock may have been taken. */
function removeQuietly(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // it stays
  }
}

/** Removes the lock of a process that is gone, and only that. */
function removeStale(path: string, owner: string): void {
  const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2, 10)}`;
  try {
    fs.renameSync(path, aside);
  } catch {
    return; // another process removed it
  }
  // Another process may have taken the lock since it was read: give it back.
  if (tryRead(aside) !== owner) {
    try {
      fs.linkSync(aside, path);
    } catch {
      // a third process has it
    }
  }
  removeQuietly(aside);
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

function lockAt(path: string, own: string): DirectoryLock {
  const isHeld = () => {
    try {
      return fs.readFileSync(path, 'utf8') === own;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };
  return {
    isHeld,
    release: () => {
      try {
        if (isHeld()) fs.rmSync(path, { force: true });
      } catch {
        abandoned.add(own);
      }
    },
  };
}

/** Takes the lock of a directory. Throws ERR_NEARDUP_LOCKED. */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, 'LOCK');
  const own = newOwner();
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      createWith(path, own);
      return lockAt(path, own);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = tryRead(path);
    if (owner === undefined) continue;
    if (isAlive(owner)) break;
    removeStale(path, owner);
  }
  throw makeError(
    'ERR_NEARDUP_LOCKED',
    `${directory} is open for writing in process ${tryRead(path)?.split(' ')[0] ?? 'unknown'}; close it there, or open it read-only`,
  );
}
