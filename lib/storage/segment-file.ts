/** Segments, and the bitmaps of what was removed from them, as checked files. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Engine, IndexColumns } from '../engine.ts';
import type { CheckpointPart, SegmentPayload } from '../engine-storage.ts';
import { readPlan } from '../ts/storage/stored-plan.ts';
import { BLOCK, CheckedFile, writeCheckedFile } from './checked-file.ts';
import { corrupt } from './corrupt.ts';
import { digestOf } from './digest.ts';
import type { RemovedFile, SegmentEntry, StoredOptions } from './manifest.ts';
import type { Steps } from './steps.ts';

const SEGMENT = 'segment';
const REMOVED = 'removed';
/** What payloads are aligned to: a page. */
const HEADER = 4096;

/** What a segment's header says, beside its kind: enough to make a manifest anew. */
export interface SegmentOrigin extends StoredOptions {
  readonly index: string;
  /** Of the manifest that first named it. */
  readonly generation: number;
}

/** A segment file that is open; its header and its table of checksums are right. */
export class SegmentFile implements SegmentPayload {
  readonly name: string;
  readonly path: string;
  readonly offset: number;
  readonly length: number;
  readonly checksums: BigUint64Array;
  /** CheckedFile.digest. */
  readonly digest: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly #file: CheckedFile;

  constructor(directory: string, name: string, engine: Engine) {
    this.name = name;
    this.path = join(directory, name);
    this.#file = new CheckedFile(this.path, SEGMENT, engine);
    try {
      this.offset = this.#file.payloadOffset;
      this.length = this.#file.payloadLength;
      this.checksums = this.#file.checksums;
      this.digest = this.#file.digest;
      this.metadata = this.#file.metadata;
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** Opens the file that a manifest names; throws ERR_NEARDUP_CORRUPT where it is another one. */
  static openNamed(directory: string, entry: SegmentEntry, engine: Engine): SegmentFile {
    const file = new SegmentFile(directory, entry.name, engine);
    if (file.digest === entry.checksum) return file;
    file.close();
    throw corrupt(file.path, 'header', 'it is not the file that the manifest names');
  }

  read(offset: number, out: Uint8Array): void {
    this.#file.read(offset, out);
  }

  /** Checks every block; a step for each. */
  *verify(): Steps<void> {
    for (const _ of this.#file.blocks()) yield;
  }

  /** Bytes of the file. */
  get bytes(): number {
    return this.offset + this.length + 8 * (this.checksums.length + 1);
  }

  close(): void {
    this.#file.close();
  }
}

/** Refuses a segment of another plan than the manifest tells, where it tells one. */
export function checkPlan(file: SegmentFile, columns: IndexColumns, { plan }: SegmentEntry): void {
  if (plan === undefined || isDeepStrictEqual(plan, readPlan(file, columns))) return;
  throw corrupt(file.path, 'description', 'its plan is not the one that the manifest tells');
}

function* payloadOf(part: CheckpointPart): Generator<Uint8Array> {
  const length = part.length();
  const buffer = Buffer.alloc(Math.min(BLOCK, length));
  for (let at = 0; at < length; at += buffer.length) {
    const chunk = buffer.subarray(0, length - at);
    part.read(at, chunk);
    yield chunk;
  }
}

/** Writes a part as a file, durably. */
export function* writeSegment(
  directory: string,
  name: string,
  origin: SegmentOrigin,
  part: CheckpointPart,
  engine: Engine,
): Steps<SegmentEntry> {
  yield* part.prepare?.() ?? [];
  const { index, generation, maxDistance, memory, columns, recipe } = origin;
  const metadata = { kind: SEGMENT, index, generation, maxDistance, memory, columns, recipe };
  yield* writeCheckedFile(join(directory, name), metadata, HEADER, payloadOf(part), engine);
  const file = new SegmentFile(directory, name, engine);
  try {
    const plan = readPlan(file, columns);
    return { name, entries: part.entries, bytes: file.bytes, checksum: file.digest, removed: null, plan };
  } finally {
    file.close();
  }
}

/** Whether a bitmap is the one that a file holds. */
export function isRemovedFile(bits: Uint8Array, file: RemovedFile | null, engine: Engine): boolean {
  return file !== null && digestOf(bits, engine) === file.checksum;
}

/** Writes the bitmap of a segment's removed entries, durably. */
export function* writeRemoved(
  directory: string,
  name: string,
  segment: SegmentEntry,
  bits: Uint8Array,
  engine: Engine,
): Steps<RemovedFile> {
  const metadata = { kind: REMOVED, segment: segment.name, of: segment.checksum };
  yield* writeCheckedFile(join(directory, name), metadata, HEADER, [bits], engine);
  return { name, checksum: digestOf(bits, engine) };
}

/** A bitmap, and the segment it belongs to. Throws ERR_NEARDUP_CORRUPT. */
export function* readRemoved(
  directory: string,
  name: string,
  engine: Engine,
): Steps<{ bits: Uint8Array; segment: unknown; of: unknown }> {
  const file = new CheckedFile(join(directory, name), REMOVED, engine);
  try {
    const bits = new Uint8Array(file.payloadLength);
    let at = 0;
    for (const block of file.blocks()) {
      bits.set(block, at);
      at += block.length;
      yield;
    }
    return { bits, segment: file.metadata.segment, of: file.metadata.of };
  } finally {
    file.close();
  }
}

/** The bitmap that a manifest names beside a segment; undefined where nothing was removed. */
export function* removedOf(
  directory: string,
  segment: SegmentEntry,
  engine: Engine,
): Steps<Uint8Array | undefined> {
  if (segment.removed === null) return undefined;
  const { name } = segment.removed;
  const { bits, of } = yield* readRemoved(directory, name, engine);
  if (of !== segment.checksum || !isRemovedFile(bits, segment.removed, engine)) {
    throw corrupt(join(directory, name), 'header', 'it is not the file that the manifest names');
  }
  return bits;
}
