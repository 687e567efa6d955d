/** Reads the payload of a segment file, of either layout. */
import type { EntryBatch, IndexColumns, SegmentPayload } from '../../engine.ts';
import { popcount32 } from '../base/bits.ts';
import { rowsOf } from '../index/columns.ts';
import { Entries } from '../index/entries.ts';
import type { Damage } from './damage.ts';
import { Description, ENTRIES_LAYOUT, TABLES_LAYOUT } from './description.ts';
import { readEntries } from './read-entries.ts';
import { readTables } from './read-tables.ts';
import { checkSecondaries } from './secondary-table.ts';
import { describeTables } from './tables-description.ts';

/**
 * All entries of a segment file but those whose slots are removed, in batches that last until the next one; undefined
 * where it takes longer to make one, to pause. What is wrong is ERR_NEARDUP_CORRUPT. With `onDamage`, parts that cannot be read are told and left out, and only where
 * nothing can be read is that an error.
 */
export function* readSegment(
  file: SegmentPayload,
  columns: IndexColumns,
  removed?: Uint8Array,
  onDamage?: (damage: Damage) => void,
): Generator<EntryBatch | undefined, void> {
  yield* batchesOf(file, new Description(file, columns), removed, onDamage);
}

function batchesOf(
  file: SegmentPayload,
  description: Description,
  removed?: Uint8Array,
  onDamage?: (damage: Damage) => void,
): Generator<EntryBatch | undefined, void> {
  const read = description.layout === ENTRIES_LAYOUT ? readEntries : readTables;
  return read(file, description, removed, onDamage);
}

/**
 * Reads all of a segment file, all tables included, in steps of some milliseconds, and throws ERR_NEARDUP_CORRUPT where
 * it is not what an engine writes. Whether the plan of the tables serves its distance is not judged: nothing here depends on it.
 */
export function* checkSegment(file: SegmentPayload, columns: IndexColumns): Generator<undefined, void> {
  for (const _ of readSegment(file, columns)) yield;
  const description = new Description(file, columns);
  if (description.layout !== TABLES_LAYOUT) return;
  yield* checkSecondaries(file, describeTables(file, description));
}

/** The entries of a segment file but those whose slots are removed. */
export function loadSegment(file: SegmentPayload, columns: IndexColumns, removed?: Uint8Array): Entries {
  const description = new Description(file, columns);
  const entries = new Entries(columns, 0);
  for (const batch of batchesOf(file, description, removed)) {
    if (batch === undefined) continue;
    // The first batch comes when the description's number has been found possible.
    if (entries.size === 0) entries.reserve(Math.max(0, description.entries - countOnes(removed)));
    entries.reserve(batch.ids.length);
    entries.append(rowsOf(batch), batch.ids.length);
  }
  return entries;
}

function countOnes(bits: Uint8Array | undefined): number {
  let count = 0;
  for (const byte of bits ?? []) count += popcount32(byte);
  return count;
}
