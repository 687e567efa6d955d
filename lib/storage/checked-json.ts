/** Files of two lines: JSON that says its kind and version, and the XXH3-64 of that line in 16 hex digits. */
import type { Engine } from '../engine.ts';
import { makeError } from '../errors.ts';
import { corrupt } from './corrupt.ts';
import { digestOf } from './digest.ts';
import { isMissing } from './io-error.ts';
import { readRegular } from './regular-file.ts';

/** What a file must say that it is. */
export interface JsonKind {
  readonly kind: string;
  readonly version: number;
}

/** The bytes of a file. */
export function checkedJson(type: JsonKind, value: object, engine: Engine): Buffer {
  const line = JSON.stringify({ ...type, ...value });
  return Buffer.from(`${line}\n${digestOf(Buffer.from(line), engine)}\n`);
}

/**
 * What a file holds beside kind and version; undefined where there is none. Throws ERR_NEARDUP_CORRUPT for other bytes
 * than were written, ERR_NEARDUP_UNSUPPORTED for another kind or version, and the system's errors.
 */
export function readCheckedJson(
  path: string,
  type: JsonKind,
  engine: Engine,
): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = readRegular(path).toString('latin1');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const [line = '', sum] = text.split('\n', 2);
  // The whole text is compared, so that no byte of it goes unchecked.
  const json = Buffer.from(line, 'latin1').toString('utf8');
  if (sum === undefined || text !== `${line}\n${digestOf(Buffer.from(json), engine)}\n`) {
    throw corrupt(path, 'manifest', 'its checksum differs');
  }
  const { kind, version, ...value } = parseObject(path, json);
  if (kind === type.kind && version === type.version) return value;
  throw makeError(
    'ERR_NEARDUP_UNSUPPORTED',
    `${path} is a ${kind} of version ${version}, not a ${type.kind} of version ${type.version}, which this release reads`,
  );
}

function parseObject(path: string, json: string): Record<string, unknown> {
  try {
    const value = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // not JSON
  }
  throw corrupt(path, 'manifest', 'it is not a JSON object');
}
