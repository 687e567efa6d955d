/**
 * One writer for a directory: a file LOCK with the writer's process id and, where the system tells it, the
 * time at which that process started. The lock of a process that is gone is taken over.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { makeError } from '../errors.ts';

/** When a process started, in the system's clock ticks; empty where that is not known. */
function startOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive(owner: string): boolean {
  const [pid, start] = owner.split(' ');
  if (!/^\d+$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return start === '' || start === undefined || startOf(Number(pid)) === start;
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
  fs.writeFileSync(whole, content, { flag: 'wx' });
  try {
    fs.linkSync(whole, path);
  } finally {
    fs.rmSync(whole, { force: true });
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
  fs.rmSync(aside, { force: true });
}

/** Takes the lock of a directory; the result gives it back. Throws ERR_NEARDUP_LOCKED. */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'LOCK');
  const own = `${process.pid} ${startOf(process.pid)}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      createWith(path, own);
      return () => fs.rmSync(path, { force: true });
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
