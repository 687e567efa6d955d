/** Where tests keep files that are synced thousands of times: in memory, where the system has a folder for that. */
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export const fastFolder = isWritable('/dev/shm') ? '/dev/shm' : tmpdir();
