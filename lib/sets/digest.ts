/** Digests for exact equality of content, by node:crypto. */
import { createHash, getHashes } from 'node:crypto';
import { checkText, outOfRange, wrongType } from '../validate.ts';

/**
 * The digest of a text (as UTF-8) or of bytes, in hexadecimal. Equal digests mean equal bytes: nothing is
 * normalised. SHA-256 by default; any algorithm of `crypto.getHashes()`.
 */
export function contentDigest(content: string | Uint8Array, algorithm = 'sha256'): string {
  if (typeof algorithm !== 'string') wrongType('algorithm', 'a string', algorithm);
  if (!getHashes().includes(algorithm)) outOfRange('algorithm', 'one of crypto.getHashes()', algorithm);
  return createHash(algorithm).update(checkText('content', content)).digest('hex');
}
