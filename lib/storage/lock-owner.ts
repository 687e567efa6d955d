/**
 * What a lock says of its owner, and what has become of that. A line of words with a space between:
 *
 *     process thread start random boot namespace [flock]
 *
 * Process id; the thread as a folder of /proc; when it started, in clock ticks; what no other lock says; the id of
 * the system's boot; the number of the namespace of process ids, as containers have their own; `flock` where the file
 * is locked for as long as the owner has it open. `-`, or nothing, where the system does not tell.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';

/**
 * `alive`, or `gone`; else it cannot be told: a process of another container of this system, or of another machine
 * that may use the file system as well.
 */
export type OwnerState = 'alive' | 'gone' | 'container' | 'machine';

const UNKNOWN = '-';
const KERNEL_WORD = 'flock';

/** File systems that one running system uses at a time: ext, XFS, Btrfs, ZFS, F2FS, bcachefs, tmpfs, overlayfs. */
const LOCAL_TYPES = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x01021994, 0x794c7630,
]);

function tell(read: () => string): string {
  try {
    return read();
  } catch {
    return UNKNOWN;
  }
}

function bootId(): string {
  const path = '/proc/sys/kernel/random/boot_id';
  return tell(() => {
    // Some containers get an id of their own in place of the system's.
    const isSystems = fs.statSync(path).dev === fs.statSync('/proc').dev;
    return isSystems ? fs.readFileSync(path, 'utf8').trim() : UNKNOWN;
  });
}

function namespaceId(): string {
  return tell(() => fs.readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));
}

interface TaskStatus {
  readonly state: string;
  /** Threads that its process has. */
  readonly threads: number;
  /** When it started, in clock ticks. */
  readonly start: string;
}

/** What the system tells of a process or a thread. */
function statusOf(task: string): TaskStatus | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${task}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', threads: Number(fields[17]), start: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** Whether /proc has the processes of this process's namespace, by the ids that they have here. */
function hasOwnProc(): boolean {
  // Ids from the namespace of /proc down to that of the process.
  const ids = /^NSpid:\s*(.*)$/m.exec(tell(() => fs.readFileSync('/proc/self/status', 'utf8')))?.[1];
  return (ids ?? tell(() => fs.readlinkSync('/proc/self'))) === String(process.pid);
}

/** This thread as a folder of /proc; only the process where the system has no such folders. */
function ownTask(): string {
  const task = hasOwnProc() ? tell(() => fs.readlinkSync('/proc/thread-self')) : UNKNOWN;
  return task === UNKNOWN ? String(process.pid) : task;
}

/** What a new lock of this thread says. */
export function ownerText(): string {
  const task = ownTask();
  const start = (hasOwnProc() ? statusOf(task)?.start : undefined) ?? UNKNOWN;
  return [process.pid, task, start, randomBytes(8).toString('hex'), bootId(), namespaceId()].join(' ');
}

/** The same where the file is locked by the system. */
export function lockedText(text: string): string {
  return `${text} ${KERNEL_WORD}`;
}

/** The process that a lock names; undefined where the text is none: a crash of the system may leave such files. */
export function processOf(text: string): string | undefined {
  return /^([1-9]\d*) /.exec(text)?.[1];
}

/** The word of a lock that no other one has; undefined where there is none. */
export function wordOf(text: string): string | undefined {
  const word = text.split(' ')[3];
  return processOf(text) !== undefined && /^[0-9a-z]+$/.test(word ?? '') ? word : undefined;
}

function isLocal(directory: string): boolean {
  try {
    return LOCAL_TYPES.has(fs.statfsSync(directory).type);
  } catch {
    return false;
  }
}

function isTask(task: string): boolean {
  return fs.existsSync(`/proc/${task}`);
}

/** By ids, which say something within a namespace only. */
function isRunning(pid: string, task: string, start: string): boolean {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  if (start === '' || start === UNKNOWN || !hasOwnProc()) return true;
  const leader = statusOf(pid);
  // The system hides it.
  if (leader === undefined) return true;
  // It ended, and its parent has not asked for it yet; what others of its threads write may still be on its way.
  if (leader.state === 'Z' || leader.state === 'X') return leader.threads > 1;
  return statusOf(task)?.start === start;
}

/**
 * What has become of the owner that the text of a lock names. `isLockedByKernel` asks the system whether the file is
 * locked; undefined: it cannot be asked. That it is holds everywhere; that it is not, only where no other system and no
 * second mount may have locks of the same file.
 */
export function ownerState(
  text: string,
  directory: string,
  isLockedByKernel: () => boolean | undefined,
): OwnerState {
  const pid = processOf(text);
  if (pid === undefined) return 'gone';
  const ownBoot = bootId();
  const [, task = '', start = '', , boot = ownBoot, namespace, kernelWord] = text.split(' ');
  const isSameNamespace = boot === ownBoot && (namespace === undefined || namespace === namespaceId());
  const isLocked = kernelWord === KERNEL_WORD ? isLockedByKernel() : undefined;
  if (isLocked === true) {
    // A worker may have been told to leave its files open when it ends, so that its process keeps the lock.
    const isEndedWorker = isSameNamespace && hasOwnProc() && isTask(pid) && !isTask(task);
    return isEndedWorker ? 'gone' : 'alive';
  }
  if (isLocked === false && isLocal(directory)) return 'gone';
  if (boot !== ownBoot) {
    return boot !== UNKNOWN && ownBoot !== UNKNOWN && isLocal(directory) ? 'gone' : 'machine';
  }
  if (!isSameNamespace) return 'container';
  return isRunning(pid, task, start) ? 'alive' : 'gone';
}
