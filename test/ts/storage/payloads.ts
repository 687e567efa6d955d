/** Payloads of segment files without files. */

import type { Checkpoint, CheckpointPart, SegmentPayload } from '../../../lib/engine.ts';
import { lanesOf } from '../../../lib/ts/base/bits.ts';
import { corrupt } from '../../../lib/ts/storage/corrupt.ts';

/** A payload in memory. Reading beyond its end is an error of another kind than a corrupt file. */
export function payloadOf(bytes: Uint8Array, name = 'segment-1'): SegmentPayload {
  return {
    name,
    path: `/index/${name}`,
    offset: 4096,
    length: bytes.length,
    checksums: new BigUint64Array(Math.ceil(bytes.length / 2 ** 20)),
    read(offset, out) {
      if (offset < 0 || offset + out.length > bytes.length)
        throw new Error(`read of ${offset} + ${out.length}`);
      out.set(bytes.subarray(offset, offset + out.length));
    },
  };
}

/** The same payload, of which a range of bytes cannot be read. */
export function damaged(file: SegmentPayload, from: number, to: number): SegmentPayload {
  return {
    ...file,
    read(offset, out) {
      if (offset < to && offset + out.length > from) throw corrupt(file, 'payload', 'its checksum differs');
      file.read(offset, out);
    },
  };
}

/** The payload of a part, read in pieces of no round length. */
export function bytesOf(part: CheckpointPart, piece = 1000): Uint8Array {
  const bytes = new Uint8Array(part.length()).fill(0xee);
  for (let from = 0; from < bytes.length; from += piece) part.read(from, bytes.subarray(from, from + piece));
  return bytes;
}

/** The parts as payloads with the slots that are removed; parts with a name are looked up in `files`. */
export function payloadsOf(
  { parts }: Checkpoint,
  files = new Map<string, SegmentPayload>(),
): { file: SegmentPayload; removed: Uint8Array | undefined; part: CheckpointPart }[] {
  return parts.map((part) => {
    if (part.name !== undefined) {
      return { file: files.get(part.name) as SegmentPayload, removed: part.removed(), part };
    }
    const file = payloadOf(bytesOf(part), `segment-${files.size + 1}`);
    files.set(file.name, file);
    return { file, removed: undefined, part };
  });
}

/** A copy with other words. */
export function withWords(bytes: Uint8Array, words: ReadonlyMap<number, bigint>): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  for (const [i, value] of words) view.setBigUint64(8 * i, BigInt.asUintN(64, value), true);
  return copy;
}

/** Word i of the bytes. */
export function wordOf(bytes: Uint8Array, i: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(8 * i, true);
}

/** Lanes of a list of fingerprints. */
export const lanes = (values: readonly bigint[]): Uint32Array => lanesOf(BigUint64Array.from(values));
