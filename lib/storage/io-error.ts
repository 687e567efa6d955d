/** Errors of the file system, told with what was being done: code ERR_NEARDUP_IO, the system's error as `cause`. */
import { makeError, NeardupError } from '../errors.ts';

/** Whether an error came from a system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof NeardupError) && 'syscall' in error;
}

export function isMissing(error: unknown): boolean {
  return isSystemError(error) && error.code === 'ENOENT';
}

/** The error for a path at which there is nothing. */
export function noIndex(path: string): Error {
  return makeError('ERR_NEARDUP_BAD_INPUT', `there is no index at ${path}`);
}

/** The error to throw for one that arose: those of the system with `path` and what to do, others as they are. */
export function ioError(error: unknown, path: string, advice: string): unknown {
  if (!isSystemError(error)) return error;
  return makeError('ERR_NEARDUP_IO', `${path}: ${error.message}; ${advice}`, { cause: error });
}

/** Runs file-system work; its errors are given as ioError gives them. */
export async function guardIoAsync<T>(path: string, advice: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw ioError(error, path, advice);
  }
}
