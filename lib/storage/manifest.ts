/**
 * The manifest of an index's directory: how the index was made, and which files hold it. Two lines: JSON, and the
 * XXH3-64 of that line in 16 hex digits. Replaced atomically; what it does not name is left over and may be removed.
 */
import { join } from 'node:path';
import type { Engine, IndexColumns } from '../engine.ts';
import type { StoredPlan } from '../ts/storage/stored-plan.ts';
import { replaceFile, writeFully } from './atomic-file.ts';
import { checkedJson, readCheckedJson } from './checked-json.ts';
import { corrupt } from './corrupt.ts';
import { writeBackup } from './manifest-backup.ts';
import { type FileKind, MANIFEST, parseName } from './names.ts';
import type { Steps } from './steps.ts';

const TYPE = { kind: 'index-directory', version: 1 };
const MAX_PLANNED = 16;

/** How an index was made. */
export interface StoredOptions {
  readonly maxDistance: number;
  /** As the option of that name. */
  readonly memory: 'compact' | 'fast' | number;
  readonly columns: IndexColumns;
  /** Canonical text of the recipe that the fingerprints are of; null where none was named. */
  readonly recipe: string | null;
}

/** The bitmap of a segment's removed entries. */
export interface RemovedFile {
  readonly name: string;
  /** XXH3-64 of the bitmap. */
  readonly checksum: string;
}

export interface SegmentEntry {
  readonly name: string;
  /** Held when it was written. */
  readonly entries: number;
  /** Of the file. */
  readonly bytes: number;
  /** CheckedFile.digest. */
  readonly checksum: string;
  readonly removed: RemovedFile | null;
  /** The file's; null where it has no tables; undefined where the writer did not tell. */
  readonly plan?: StoredPlan | null;
}

/** What a directory consists of. */
export interface Manifest extends StoredOptions {
  /** 32 hex digits, another for each index. */
  readonly index: string;
  /** Grows with each manifest. */
  readonly generation: number;
  readonly segments: readonly SegmentEntry[];
  /** Names of the logs, oldest first; at least one. */
  readonly logs: readonly string[];
  /** Number of the next file. */
  readonly next: number;
}

/** The files that a manifest names. */
export function namesIn({ segments, logs }: Manifest): string[] {
  const removed = segments.flatMap((segment) => (segment.removed === null ? [] : [segment.removed.name]));
  return [...segments.map(({ name }) => name), ...removed, ...logs];
}

/** Replaces the manifest, and then its backup, for which nothing is promised. */
export function* writeManifest(directory: string, manifest: Manifest, engine: Engine): Steps<void> {
  const bytes = checkedJson(TYPE, manifest, engine);
  yield* replaceFile(join(directory, MANIFEST), (file) => void writeFully(file, bytes, 0));
  writeBackup(directory, bytes);
}

/** A manifest's file (MANIFEST or BACKUP), or undefined where there is none. Throws ERR_NEARDUP_CORRUPT. */
export function readManifest(directory: string, engine: Engine, name = MANIFEST): Manifest | undefined {
  const path = join(directory, name);
  const manifest = readCheckedJson(path, TYPE, engine);
  if (manifest === undefined) return undefined;
  if (!isManifest(manifest)) throw corrupt(path, 'manifest', 'its fields are not those of an index');
  return manifest;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isHex = (value: unknown, digits: number): boolean =>
  typeof value === 'string' && value.length === digits && /^[0-9a-f]*$/.test(value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Whether a value is the name of a file of a kind, with a number below `next`. */
function isName(value: unknown, kind: FileKind, next: number): boolean {
  const parsed = parseName(value);
  return parsed !== undefined && parsed.kind === kind && parsed.number < next;
}

function isPlan(value: unknown): value is StoredPlan {
  if (!isRecord(value) || !Array.isArray(value.keys) || !Array.isArray(value.radii)) return false;
  const { maxDistance, keys, radii } = value;
  const isRange = (range: unknown) => isRecord(range) && isCount(range.low) && isCount(range.width);
  return (
    isCount(maxDistance) &&
    keys.every((key) => Array.isArray(key) && key.every(isRange)) &&
    radii.length === keys.length &&
    radii.every(isCount)
  );
}

function isSegment(value: unknown, next: number): value is SegmentEntry {
  if (!isRecord(value) || !isName(value.name, 'segment', next)) return false;
  if (!isCount(value.entries) || !isCount(value.bytes) || !isHex(value.checksum, 16)) return false;
  const { removed, plan } = value;
  if (plan !== undefined && plan !== null && !isPlan(plan)) return false;
  return (
    removed === null ||
    (isRecord(removed) && isName(removed.name, 'removed', next) && isHex(removed.checksum, 16))
  );
}

/** Whether options that were stored are ones that an index may have. */
export function isStoredOptions(value: unknown): value is StoredOptions {
  if (!isRecord(value) || !isRecord(value.columns)) return false;
  const { time, tag, second } = value.columns;
  const { maxDistance, memory, recipe } = value;
  return (
    [time, tag, second].every((flag) => typeof flag === 'boolean') &&
    isCount(maxDistance) &&
    maxDistance <= MAX_PLANNED &&
    (memory === 'compact' || memory === 'fast' || (typeof memory === 'number' && memory > 0)) &&
    (recipe === null || typeof recipe === 'string')
  );
}

function isManifest(value: Record<string, unknown>): value is Record<string, unknown> & Manifest {
  const { segments, logs, next } = value;
  if (!isStoredOptions(value) || !isHex(value.index, 32) || !isCount(value.generation) || !isCount(next))
    return false;
  if (!Array.isArray(segments) || !Array.isArray(logs) || logs.length === 0) return false;
  if (
    !segments.every((segment) => isSegment(segment, next)) ||
    !logs.every((log) => isName(log, 'log', next))
  )
    return false;
  const names = namesIn(value as unknown as Manifest);
  return new Set(names).size === names.length;
}
