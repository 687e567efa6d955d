/** Paths as arguments. */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { makeError } from '../errors.ts';
import { outOfRange, wrongType } from '../validate.ts';
import { isSystemError } from './io-error.ts';

/** A path, absolute: a string that is not empty and has no zero characters. Later changes of directory are none to it. */
export function checkPath(name: string, value: unknown): string {
  if (typeof value !== 'string') wrongType(name, 'a string', value);
  if (value === '' || value.includes('\0')) outOfRange(name, 'a path', value);
  return resolve(value);
}

/** Whether there is a directory; false where there is nothing. Throws ERR_NEARDUP_BAD_INPUT where there is something else. */
export function isDirectory(path: string): boolean {
  let status: fs.Stats;
  try {
    status = fs.statSync(path);
  } catch (error) {
    if (isSystemError(error) && ['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) return false;
    throw error;
  }
  if (status.isDirectory()) return true;
  throw makeError('ERR_NEARDUP_BAD_INPUT', `${path} is a file: the directory of an index is wanted`);
}
