/** Directories, entries and models for the tests of indexes on disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { HammingIndex } from '../../lib/index/hamming-index.ts';
import { engines } from '../engines.ts';
import { randomKeys } from '../random.ts';

const folder = mkdtempSync(join(tmpdir(), 'neardup-storage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let serial = 0;

/** A path where nothing is yet. */
export const place = (): string => join(folder, `index-${serial++}`);

export const named = engines.map((engine) => [engine.backend, engine] as const);
/** Each engine with each. */
export const pairsOfEngines = engines.flatMap((a) =>
  engines.map((b) => [a.backend, b.backend, a, b] as const),
);

export const ALL = { times: true, tags: true, secondFingerprints: true } as const;

/** Entries with all columns, `count` of them from number `first` on. */
export function batch(first: number, count: number) {
  const numbers = Array.from({ length: count }, (_, i) => first + i);
  return {
    fingerprints: randomKeys(count, first * 7919 + 1),
    ids: numbers,
    columns: {
      times: numbers.map((number) => number * 2 ** 33),
      tags: numbers.map((number) => number % 5),
      secondFingerprints: randomKeys(count, first * 104_729 + 3),
    },
  };
}

export type Batch = ReturnType<typeof batch>;

/** Entry i of a batch as contentOf shows it. */
export function show(
  { fingerprints, ids, columns: { times, tags, secondFingerprints } }: Batch,
  i: number,
): string {
  return [fingerprints[i], ids[i], times[i], tags[i], secondFingerprints[i]].join();
}

export function showAll(entries: Batch): string[] {
  return entries.ids.map((_, i) => show(entries, i));
}

/** All entries that an index holds, in some fixed order. */
export async function contentOf(index: HammingIndex): Promise<string[]> {
  const content: string[] = [];
  for await (const { fingerprints, ids, times, tags, secondFingerprints } of index.entries()) {
    for (let i = 0; i < ids.length; i++) {
      const columns = [times?.[i], tags?.[i], secondFingerprints?.[i]].filter((value) => value !== undefined);
      content.push([fingerprints[i], ids[i], ...columns].join());
    }
  }
  return content.sort();
}

export const withCode = (code: string) => expect.objectContaining({ code });
