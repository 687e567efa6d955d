/**
 * The manifest of a URL set's directory: which files hold it. Two lines: JSON, and the XXH3-64 of that line
 * in 16 hex digits. Replaced atomically; what it does not name is left over and may be removed.
 */
import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import { replaceFile, writeFully } from '../storage/atomic-file.ts';
import { checkedJson, readCheckedJson } from '../storage/checked-json.ts';
import { doNow } from '../storage/steps.ts';

const TYPE = { kind: 'url-set-directory', version: 1 };

/** What a directory consists of. */
export interface Manifest {
  /** Canonical text of the URL policy. */
  readonly policy: string;
  /** File names of the runs, oldest first. */
  readonly runs: readonly string[];
  /** File name of the log. */
  readonly log: string;
  /** Number of the next file. */
  readonly next: number;
}

function pathOf(directory: string): string {
  return join(directory, 'MANIFEST');
}

/** Replaces the manifest. */
export function writeManifest(directory: string, manifest: Manifest, engine: Engine): void {
  const bytes = checkedJson(TYPE, manifest, engine);
  const write = (file: number): undefined => void writeFully(file, bytes, 0);
  doNow(replaceFile(pathOf(directory), write));
}

/** The manifest, or undefined where the directory has none. Throws ERR_NEARDUP_CORRUPT. */
export function readManifest(directory: string, engine: Engine): Manifest | undefined {
  return readCheckedJson(pathOf(directory), TYPE, engine) as Manifest | undefined;
}
