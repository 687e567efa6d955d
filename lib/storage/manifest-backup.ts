/** MANIFEST.backup: the manifest's bytes once more, for repair. Written after it; nothing is promised of it. */
import fs from 'node:fs';
import { join } from 'node:path';
import { BACKUP, MANIFEST } from './names.ts';
import { readRegular } from './regular-file.ts';

/** Replaces the backup, if it can be done. */
export function writeBackup(directory: string, bytes: Uint8Array): void {
  const temporary = join(directory, `${BACKUP}.${process.pid}.0.tmp`);
  try {
    fs.writeFileSync(temporary, bytes);
    fs.renameSync(temporary, join(directory, BACKUP));
  } catch {
    removeQuietly(temporary);
  }
}

/** Whoever writes next removes what could not be removed. */
function removeQuietly(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // it stays
  }
}

function tryRead(path: string): Buffer | undefined {
  try {
    return readRegular(path);
  } catch {
    return undefined;
  }
}

/** Replaces the backup where it is not what the manifest is; the manifest must be right. */
export function renewBackup(directory: string): void {
  const bytes = tryRead(join(directory, MANIFEST));
  if (bytes === undefined || tryRead(join(directory, BACKUP))?.equals(bytes)) return;
  writeBackup(directory, bytes);
}
