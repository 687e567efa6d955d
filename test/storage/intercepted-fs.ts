/** Puts a test between the package and the file system: every call of node:fs that storage makes goes through it. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Calls that change or read files, as storage makes them. */
const NAMES = [
  'openSync',
  'writeSync',
  'writevSync',
  'readSync',
  'fstatSync',
  'statSync',
  'ftruncateSync',
  'fsyncSync',
  'fdatasyncSync',
  'fsync',
  'fdatasync',
  'closeSync',
  'renameSync',
  'linkSync',
  'copyFileSync',
  'rmSync',
  'unlinkSync',
  'mkdirSync',
  'readdirSync',
  'readFileSync',
  'writeFileSync',
] as const;

export type FsCall = (typeof NAMES)[number];

// biome-ignore lint/suspicious/noExplicitAny: any function of node:fs
type AnyFunction = (...args: any[]) => any;

/**
 * From now on `handle(name, args, call)` answers for each call; `call(...args)` makes the real one. Gives back what
 * undoes it.
 */
export function interceptFs(
  // biome-ignore lint/suspicious/noExplicitAny: the arguments of any function
  handle: (name: FsCall, args: any[], call: AnyFunction) => unknown,
): () => void {
  const table = fs as unknown as Record<string, AnyFunction>;
  const originals = NAMES.map((name) => [name, table[name] as AnyFunction] as const);
  // Some calls are made of others: these are not seen.
  let depth = 0;
  for (const [name, original] of originals) {
    const call = (...args: unknown[]) => {
      depth++;
      try {
        return original.apply(fs, args);
      } finally {
        depth--;
      }
    };
    table[name] = (...args) => (depth > 0 ? original.apply(fs, args) : handle(name, args, call));
  }
  syncBuiltinESMExports();
  return () => {
    for (const [name, original] of originals) table[name] = original;
    syncBuiltinESMExports();
  };
}

const SYSTEM_ERRORS = {
  EIO: [-5, 'i/o error'],
  EACCES: [-13, 'permission denied'],
  ENOSPC: [-28, 'no space left on device'],
} as const;

export type SystemErrorCode = keyof typeof SYSTEM_ERRORS;

/** An error of the system as node:fs throws it. */
export function systemError(code: SystemErrorCode, call: string): NodeJS.ErrnoException {
  const [errno, what] = SYSTEM_ERRORS[code];
  return Object.assign(new Error(`${code}: ${what}, ${call}`), { code, errno, syscall: call });
}
