/** Finds the manifest to repair an index by: the one there is, its backup, or one made of what the files say. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import { digestOf } from './digest.ts';
import { noIndex } from './io-error.ts';
import {
  isStoredOptions,
  type Manifest,
  namesIn,
  readManifest,
  type SegmentEntry,
  type StoredOptions,
} from './manifest.ts';
import { BACKUP, type FileKind, MANIFEST, parseName } from './names.ts';
import { newerLogs, readIdentity } from './newer-logs.ts';
import { damageOf, type IndexProblem } from './problem.ts';
import { readRemoved, SegmentFile } from './segment-file.ts';
import { newIndexId } from './snapshot.ts';
import { doNow } from './steps.ts';

const UNKNOWN: StoredOptions = {
  maxDistance: 3,
  memory: 'compact',
  columns: { time: false, tag: false, second: false },
  recipe: null,
};

/** The value of a call; undefined, with the problem told, where the file is damaged or not there. */
function attempt<T>(file: string, problems: IndexProblem[], call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    problems.push(damageOf(file, error));
    return undefined;
  }
}

function hasAllFiles(directory: string, manifest: Manifest): boolean {
  return namesIn(manifest).every((name) => fs.existsSync(join(directory, name)));
}

/** The manifest that names most of what there is, and logs that came after it. What is wrong is added to `problems`. */
export function findManifest(directory: string, engine: Engine, problems: IndexProblem[]): Manifest {
  const manifest = chooseManifest(directory, engine, problems);
  const newer = newerLogs(directory, manifest);
  if (newer.length === 0) return manifest;
  const message = `it is older than ${newer.join(', ')}: what was written between them may be lost`;
  problems.push({ file: join(directory, MANIFEST), section: 'manifest', message });
  const next = Math.max(manifest.next, 1 + (parseName(newer.at(-1))?.number ?? 0));
  return { ...manifest, logs: [...manifest.logs, ...newer], next };
}

function chooseManifest(directory: string, engine: Engine, problems: IndexProblem[]): Manifest {
  const file = join(directory, MANIFEST);
  const backup = attempt(join(directory, BACKUP), [], () => readManifest(directory, engine, BACKUP));
  const found = attempt(file, problems, () => readManifest(directory, engine));
  const isBackupWhole = backup !== undefined && hasAllFiles(directory, backup);
  if (found !== undefined && (hasAllFiles(directory, found) || !isBackupWhole)) return found;
  const why = found !== undefined ? 'it names files that are not there' : 'it is lost or damaged';
  if (isBackupWhole) {
    problems.push({ file, section: 'manifest', message: `${why}; its backup is used` });
    return backup;
  }
  const made = makeManifest(directory, engine, backup ?? UNKNOWN, problems);
  const message = `${why}; it is made anew of what the files say: entries may be there twice, removed ones again`;
  problems.push({ file, section: 'manifest', message });
  return made;
}

/** The names of a kind, by number. */
function namesOf(directory: string, kind: FileKind): { name: string; number: number }[] {
  return fs
    .readdirSync(directory)
    .map((name) => ({ name, ...parseName(name) }))
    .filter((each): each is { name: string; kind: FileKind; number: number } => each.kind === kind)
    .sort((a, b) => a.number - b.number);
}

/** `fallback`: how the index was made, where no segment says so. */
function makeManifest(
  directory: string,
  engine: Engine,
  fallback: StoredOptions,
  problems: IndexProblem[],
): Manifest {
  const all = {
    segment: namesOf(directory, 'segment'),
    removed: namesOf(directory, 'removed'),
    log: namesOf(directory, 'log'),
  };
  if (all.segment.length + all.log.length === 0) throw noIndex(directory);
  // While there are two logs, what the checkpoint that began the second one wrote is in the logs as well.
  const end = all.log[1]?.number ?? Number.POSITIVE_INFINITY;
  let options: StoredOptions | undefined;
  let index: string | undefined;
  const segments: SegmentEntry[] = [];
  for (const { name } of all.segment.filter(({ number }) => number < end)) {
    const bytes = fs.statSync(join(directory, name)).size;
    const file = attempt(join(directory, name), [], () => new SegmentFile(directory, name, engine));
    file?.close();
    if (file !== undefined && isStoredOptions(file.metadata)) options = file.metadata;
    // Of a damaged one the checksum is not known: it is read as far as it goes.
    segments.push({ name, entries: 0, bytes, checksum: file?.digest ?? '', removed: null });
  }
  for (const { name } of all.log) {
    const identity = attempt(join(directory, name), [], () => readIdentity(join(directory, name)));
    index ??= identity?.index;
    if (identity !== undefined) options ??= { ...fallback, columns: identity.columns };
  }
  const numbers = Object.values(all).flatMap((files) => files.map(({ number }) => number));
  const { maxDistance, memory, columns, recipe } = options ?? fallback;
  return {
    index: index ?? newIndexId(),
    generation: 1,
    maxDistance,
    memory,
    columns,
    recipe,
    segments: segments.map((segment) => withRemoved(directory, segment, all.removed, engine, problems)),
    logs: all.log.map(({ name }) => name),
    next: Math.max(...numbers) + 1,
  };
}

/** A segment with the latest bitmap that says it is of it. */
function withRemoved(
  directory: string,
  segment: SegmentEntry,
  files: readonly { name: string }[],
  engine: Engine,
  problems: IndexProblem[],
): SegmentEntry {
  for (const { name } of [...files].reverse()) {
    const found = attempt(join(directory, name), problems, () => doNow(readRemoved(directory, name, engine)));
    if (found === undefined || found.of !== segment.checksum) continue;
    const checksum = digestOf(found.bits, engine);
    return { ...segment, removed: { name, checksum } };
  }
  return segment;
}
