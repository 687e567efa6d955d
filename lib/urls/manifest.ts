/**
 * The manifest of a URL set's directory: which files hold it. Two lines: JSON, and the XXH3-64 of that line
 * in 16 hex digits. Replaced atomically; what it does not name is left over and may be removed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import { makeError } from '../errors.ts';
import { replaceFile, writeFully } from '../storage/atomic-file.ts';
import { corrupt } from '../storage/checked-file.ts';
import { doNow } from '../storage/steps.ts';

const KIND = 'url-set-directory';
const VERSION = 1;

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

function checksum(line: string, engine: Engine): string {
  return engine.hashBytes(Buffer.from(line), 0n).toString(16).padStart(16, '0');
}

/** Replaces the manifest. */
export function writeManifest(directory: string, manifest: Manifest, engine: Engine): void {
  const line = JSON.stringify({ kind: KIND, version: VERSION, ...manifest });
  const bytes = Buffer.from(`${line}\n${checksum(line, engine)}\n`);
  const write = (file: number): undefined => void writeFully(file, bytes, 0);
  doNow(replaceFile(pathOf(directory), write));
}

/** The manifest, or undefined where the directory has none. Throws ERR_NEARDUP_CORRUPT. */
export function readManifest(directory: string, engine: Engine): Manifest | undefined {
  const path = pathOf(directory);
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [line, sum] = text.split('\n', 2);
  // The whole text is compared, so that no byte of it goes unchecked.
  const bytes = Buffer.from(line, 'latin1').toString('utf8');
  if (sum === undefined || text !== `${line}\n${checksum(bytes, engine)}\n`) {
    throw corrupt(path, 'manifest', 'its checksum differs');
  }
  const { kind, version, ...manifest } = JSON.parse(bytes);
  if (kind !== KIND || version !== VERSION) {
    throw makeError('ERR_NEARDUP_UNSUPPORTED', `${path} is a ${kind} of version ${version}; not read here`);
  }
  return manifest;
}
