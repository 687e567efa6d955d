/** Parts of a payload that cannot be read. */
import { NeardupError } from '../../errors.ts';

/** Entries of this part are left out. */
export interface Damage {
  /** Such as `superblock 12`, `list 4711`, or `entries 8192 to 16383`. */
  readonly section: string;
  readonly error: NeardupError;
}

export function isCorrupt(error: unknown): error is NeardupError {
  return error instanceof NeardupError && error.code === 'ERR_NEARDUP_CORRUPT';
}
