// The files that all peers read and write: fingerprints as little-endian uint64, results as triples of uint32.
import { readFileSync } from 'node:fs';

export function readCodes(file) {
  const { buffer, byteOffset, byteLength } = readFileSync(file);
  return new BigUint64Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/**
 * (query or id, id, distance) of each result as one number, sorted; only those of a first member below `limit`. First
 * members are below 2^28, ids below 2^29.
 */
export function readResults(file, limit = 2 ** 28) {
  const { buffer, byteOffset, byteLength } = readFileSync(file);
  const triples = new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
  const keys = [];
  for (let i = 0; i < triples.length; i += 3) {
    if (triples[i] >= limit) continue;
    keys.push((BigInt(triples[i]) << 36n) | (BigInt(triples[i + 1]) << 7n) | BigInt(triples[i + 2]));
  }
  return BigUint64Array.from(keys).sort();
}

export function isEqual(a, b) {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
