/** Files opened to be read that must be files: a pipe, device, socket or directory in the place of one is told at once. */
import fs from 'node:fs';
import { readFully } from './atomic-file.ts';
import { corrupt } from './corrupt.ts';
import { isSystemError } from './io-error.ts';

/** Waits for no writer of a pipe, and becomes no terminal's process; systems that lack these flags need none. */
const FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOCTTY ?? 0);

function irregular(path: string): Error {
  return corrupt(path, 'file', 'it is not a regular file');
}

/** Opens a file for reading. Throws ERR_NEARDUP_CORRUPT where it is none, and the system's errors. */
export function openRegular(path: string): number {
  let file: number;
  try {
    file = fs.openSync(path, FLAGS);
  } catch (error) {
    // Sockets, and devices that are not there, cannot be opened at all.
    throw isSystemError(error) && error.code === 'ENXIO' ? irregular(path) : error;
  }
  return closingOnError(file, () => {
    if (fs.fstatSync(file).isFile()) return file;
    throw irregular(path);
  });
}

/** The value of a call; the open file is closed where it throws. */
export function closingOnError<T>(file: number, call: () => T): T {
  try {
    return call();
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
}

/** All bytes of a file. Throws as openRegular does. */
export function readRegular(path: string): Buffer {
  const file = openRegular(path);
  try {
    const bytes = Buffer.alloc(fs.fstatSync(file).size);
    return bytes.subarray(0, readFully(file, bytes, 0));
  } finally {
    fs.closeSync(file);
  }
}
