/** The error for files that are damaged. */
import { makeError } from '../errors.ts';

/** The error for a file whose bytes are not what was written; problemOf (problem.ts) reads its message. */
export function corrupt(path: string, section: string, what: string): Error {
  return makeError('ERR_NEARDUP_CORRUPT', `${path} is corrupt: ${section}: ${what}`);
}
