/** CRC-32 (the one of zlib and PNG) of a part of a buffer, for records of any length. */
import { crc32 as crc32OfBytes } from 'node:zlib';

/** From so many bytes on, zlib's is faster than going through them here. */
const LONG = 256;
const POLYNOMIAL = 0xedb8_8320;

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? POLYNOMIAL : 0);
  return value;
});

/** The CRC-32 of bytes `start` to `end`, continued from `seed`. Allocates nothing for short parts. */
export function crc32(bytes: Uint8Array, start: number, end: number, seed: number): number {
  if (end - start >= LONG) return crc32OfBytes(bytes.subarray(start, end), seed);
  let value = ~seed;
  for (let i = start; i < end; i++) {
    value = (value >>> 8) ^ (TABLE[(value ^ (bytes[i] as number)) & 0xff] as number);
  }
  return ~value >>> 0;
}
