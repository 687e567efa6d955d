/** Calls of the file system that fail, for tests that try each of them in turn. */
import { readdirSync, readlinkSync } from 'node:fs';
import { type FsCall, interceptFs, type SystemErrorCode, systemError } from './intercepted-fs.ts';

/** `short`: a write of fewer bytes than it was given. */
export type Fault = SystemErrorCode | 'short';

/** Where calls are counted and one, or `span` from one on, fail. */
export class Faults {
  calls = 0;
  failed = 0;
  /** Whether the cause is gone. */
  isOver = false;
  constructor(
    readonly at: number,
    readonly fault: Fault,
    readonly span = 1,
  ) {}

  /** Runs with the faults. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    const restore = interceptFs(this.handle);
    try {
      return await call();
    } finally {
      restore();
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the arguments of any function
  readonly handle = (name: FsCall, args: any[], call: (...args: any[]) => any): unknown => {
    // Closing does not fail in practice, and a file that cannot be closed has nothing to be tested.
    const counts = name !== 'closeSync';
    const n = counts ? this.calls++ : -1;
    const isHit = this.at <= n && n < this.at + this.span;
    if (!counts || !isHit || this.isOver) return call(...args);
    this.failed++;
    if (this.fault === 'short' && name === 'writeSync' && args[1] instanceof Uint8Array) {
      const [file, bytes, offset = 0, length = bytes.length - offset, position] = args;
      return call(file, bytes, offset, Math.max(1, length >> 1), position);
    }
    if (this.fault === 'short') return call(...args);
    const error = systemError(this.fault, name);
    const last = args.at(-1);
    if ((name === 'fsync' || name === 'fdatasync') && typeof last === 'function') {
      setImmediate(() => last(error));
      return undefined;
    }
    throw error;
  };
}

/** Files within a folder that this process has open, where the system tells. */
export function openFilesIn(folder: string): string[] {
  const list: string[] = [];
  if (process.platform !== 'linux') return list;
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      if (path.startsWith(folder)) list.push(path);
    } catch {
      // the one that listed them
    }
  }
  return list.sort();
}
