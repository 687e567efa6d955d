/** Writes what was held at one moment as files, and the manifest that names them. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint, CheckpointPart, Engine } from '../engine.ts';
import { type Manifest, namesIn, type SegmentEntry } from './manifest.ts';
import { BACKUP, fileName, isOwnFile, MANIFEST } from './names.ts';
import { isRemovedFile, SegmentFile, writeRemoved, writeSegment } from './segment-file.ts';
import type { Steps } from './steps.ts';

/** Gives out numbers of files, each once. */
export interface FileNumbers {
  next: number;
}

/** A part, and the file that has it now. */
export interface WrittenPart {
  readonly part: CheckpointPart;
  readonly entry: SegmentEntry;
}

function* writeRemovedOf(
  directory: string,
  entry: SegmentEntry,
  part: CheckpointPart,
  numbers: FileNumbers,
  engine: Engine,
): Steps<SegmentEntry> {
  const bits = part.removed();
  if (bits === undefined) return { ...entry, removed: null };
  if (isRemovedFile(bits, entry.removed, engine)) return entry;
  const removed = yield* writeRemoved(directory, fileName('removed', numbers.next++), entry, bits, engine);
  return { ...entry, removed };
}

/**
 * Writes each part that has no file yet, and the bitmaps of removed entries that have changed. `manifest` is
 * the one to come, with the segments that there are. Nothing counts before it is there.
 */
export function* writeParts(
  directory: string,
  manifest: Manifest,
  checkpoint: Checkpoint,
  numbers: FileNumbers,
  engine: Engine,
): Steps<WrittenPart[]> {
  const written: WrittenPart[] = [];
  for (const part of checkpoint.parts) {
    const known = manifest.segments.find(({ name }) => name === part.name);
    if (part.entries === 0) continue;
    const entry =
      known ?? (yield* writeSegment(directory, fileName('segment', numbers.next++), manifest, part, engine));
    const whole = yield* writeRemovedOf(directory, entry, part, numbers, engine);
    written.push({ part, entry: whole });
    yield;
  }
  return written;
}

/** Lets the engine know its parts by their files, so that it can give memory back. */
export function* adoptParts(directory: string, written: readonly WrittenPart[], engine: Engine): Steps<void> {
  for (const { part, entry } of written) {
    if (part.name !== undefined) continue;
    const file = SegmentFile.openNamed(directory, entry, engine);
    try {
      part.adopt(file);
    } finally {
      file.close();
    }
    yield;
  }
}

/** Removes the files of an index: the manifests first, as there is no index without them. */
export function removeIndex(directory: string): void {
  const own = fs.readdirSync(directory).filter(isOwnFile);
  for (const name of [MANIFEST, BACKUP, ...own]) fs.rmSync(join(directory, name), { force: true });
}

/**
 * Removes files that a manifest does not name, logs first: while one is there, the segments beside it are as well. What
 * cannot be removed is left for the next time.
 */
export function removeLeftOvers(directory: string, manifest: Manifest): void {
  const named = new Set(namesIn(manifest));
  const leftOver = fs.readdirSync(directory).filter((name) => isOwnFile(name) && !named.has(name));
  const isLog = (name: string) => name.startsWith('log-');
  for (const name of [...leftOver.filter(isLog), ...leftOver.filter((each) => !isLog(each))]) {
    try {
      fs.rmSync(join(directory, name), { force: true });
    } catch {
      // It is not needed, and does no harm.
    }
  }
}
