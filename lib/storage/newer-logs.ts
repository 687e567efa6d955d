/**
 * A log that a manifest does not name and that has records tells that the manifest is an older one: records are
 * written only after a manifest names their log.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { readFully } from './atomic-file.ts';
import { corrupt } from './corrupt.ts';
import { LOG_HEADER, LOG_MAGIC, type LogIdentity, parseLogHeader } from './log-format.ts';
import type { Manifest } from './manifest.ts';
import { MANIFEST, parseName } from './names.ts';
import { damageOf } from './problem.ts';
import { openRegular, readRegular } from './regular-file.ts';

/** What the header of a log says; throws ERR_NEARDUP_CORRUPT. */
export function readIdentity(path: string): LogIdentity {
  const header = Buffer.alloc(LOG_HEADER);
  const file = openRegular(path);
  try {
    readFully(file, header, 0);
  } finally {
    fs.closeSync(file);
  }
  return parseLogHeader(path, header);
}

/** Whether a file is a log without records, as far as a crash let it be written: nothing, zeros, or its header. */
export function isUnusedLog(path: string): boolean {
  const status = fs.statSync(path);
  if (!status.isFile() || status.size > LOG_HEADER) return false;
  const bytes = readRegular(path);
  const begin = bytes.subarray(0, LOG_MAGIC.length);
  return bytes.every((byte) => byte === 0) || begin.equals(LOG_MAGIC.subarray(0, begin.length));
}

function isOf(path: string, index: string): boolean {
  try {
    return readIdentity(path).index === index && fs.statSync(path).size > LOG_HEADER;
  } catch (error) {
    damageOf(path, error);
    return false;
  }
}

/** Logs with records that came after those that a manifest names, oldest first. */
export function newerLogs(directory: string, { index, logs }: Manifest): string[] {
  const last = Math.max(...logs.map((name) => parseName(name)?.number ?? 0));
  return fs
    .readdirSync(directory)
    .map((name) => ({ name, parsed: parseName(name) }))
    .filter(({ parsed }) => parsed?.kind === 'log' && parsed.number > last)
    .sort((a, b) => (a.parsed?.number ?? 0) - (b.parsed?.number ?? 0))
    .map(({ name }) => name)
    .filter((name) => isOf(join(directory, name), index));
}

/** Throws ERR_NEARDUP_CORRUPT where the manifest is an older one than the files beside it. */
export function checkNewest(directory: string, manifest: Manifest): void {
  const [name] = newerLogs(directory, manifest);
  if (name !== undefined) throw corrupt(join(directory, MANIFEST), 'manifest', `it is older than ${name}`);
}
