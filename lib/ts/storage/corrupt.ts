/** The error for a payload that is not what an engine writes. */
import type { SegmentPayload } from '../../engine.ts';
import { makeError, type NeardupError } from '../../errors.ts';

/** Names the file, the section of the payload, and what is wrong with it. */
export function corrupt(file: SegmentPayload, section: string, what: string): NeardupError {
  return makeError('ERR_NEARDUP_CORRUPT', `${file.path} is corrupt: ${section}: ${what}`);
}
