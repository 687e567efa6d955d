/** The checksum of bytes as files keep it in text. */
import type { Engine } from '../engine.ts';

/** XXH3-64 in 16 hex digits. */
export function digestOf(bytes: Uint8Array, engine: Engine): string {
  return engine.hashBytes(bytes, 0n).toString(16).padStart(16, '0');
}
