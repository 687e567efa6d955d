/** The files of an index's directory, by name. */

/** What an index consists of. Each name is used once: numbers only grow. */
export type FileKind = 'segment' | 'removed' | 'log';

const NUMBERED = /^(segment|removed|log)-([1-9]\d{0,15})$/;
/** What a crash leaves of a file that was being written. */
const UNFINISHED = /^(?:(?:segment|removed|log)-\d+|MANIFEST|MANIFEST\.backup)\.\d+\.[0-9a-z]+\.tmp$/;

export const MANIFEST = 'MANIFEST';
/** Who writes. */
export const LOCK = 'LOCK';
/** The manifest once more: what repair falls back on. */
export const BACKUP = 'MANIFEST.backup';
/** In the directory of a snapshot that is not complete; a name as of what a crash leaves, so that any opening removes it. */
export const SNAPSHOT = 'MANIFEST.0.snapshot.tmp';

export function fileName(kind: FileKind, number: number): string {
  return `${kind}-${number}`;
}

/** The kind and number in a name; undefined for other files. */
export function parseName(name: unknown): { kind: FileKind; number: number } | undefined {
  const match = typeof name === 'string' ? NUMBERED.exec(name) : null;
  return match === null ? undefined : { kind: match[1] as FileKind, number: Number(match[2]) };
}

/** Whether a file may be removed where the manifest does not name it. */
export function isOwnFile(name: string): boolean {
  return parseName(name) !== undefined || UNFINISHED.test(name);
}

/** Whether an index may have a file of this name. */
export function isIndexFile(name: string): boolean {
  return (
    isOwnFile(name) || name === MANIFEST || name === BACKUP || name === LOCK || name.startsWith(`${LOCK}.`)
  );
}
