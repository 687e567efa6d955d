/** Paths as arguments. */
import { resolve } from 'node:path';
import { outOfRange, wrongType } from '../validate.ts';

/** A path, absolute: a string that is not empty and has no zero characters. Later changes of directory are none to it. */
export function checkPath(name: string, value: unknown): string {
  if (typeof value !== 'string') wrongType(name, 'a string', value);
  if (value === '' || value.includes('\0')) outOfRange(name, 'a path', value);
  return resolve(value);
}
