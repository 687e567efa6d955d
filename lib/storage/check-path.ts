/** Paths as arguments. */
import { outOfRange, wrongType } from '../validate.ts';

/** A path: a string that is not empty and has no zero characters. */
export function checkPath(name: string, value: unknown): string {
  if (typeof value !== 'string') wrongType(name, 'a string', value);
  if (value === '' || value.includes('\0')) outOfRange(name, 'a path', value);
  return value;
}
