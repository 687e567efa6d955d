/** What is wrong with the files of an index. */
import { NeardupError } from '../errors.ts';
import { isMissing } from './io-error.ts';

/** Something in the files of an index that is not what was written. */
export interface IndexProblem {
  /** Path of the file. */
  readonly file: string;
  /** Which part of it: `header`, `payload block 3 (...)`, `record at byte 64`, ... */
  readonly section: string;
  readonly message: string;
}

/** What an error says about a file. */
export function problemOf(file: string, error: unknown): IndexProblem {
  const message = (error as Error).message;
  if (isMissing(error))
    return { file, section: 'file', message: 'the manifest names it, and it is not there' };
  if (!(error instanceof NeardupError) || error.code !== 'ERR_NEARDUP_CORRUPT') {
    return { file, section: 'file', message };
  }
  // `corrupt` makes these messages: PATH is corrupt: SECTION: WHAT.
  const told = message.slice(message.indexOf(' is corrupt: ') + ' is corrupt: '.length);
  const cut = told.indexOf(': ');
  return cut < 0
    ? { file, section: 'file', message: told }
    : { file, section: told.slice(0, cut), message: told.slice(cut + 2) };
}

/**
 * What an error says about a file that is damaged or not there. Throws the others: a disk that fails for a moment, a file
 * that may not be read, memory that is refused, and what a later release has written are no damage.
 */
export function damageOf(file: string, error: unknown): IndexProblem {
  const isDamage = error instanceof NeardupError && error.code === 'ERR_NEARDUP_CORRUPT';
  if (isDamage || isMissing(error)) return problemOf(file, error);
  throw error;
}
