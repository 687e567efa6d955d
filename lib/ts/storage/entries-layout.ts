/** Where the sections of layout 1 (entries) stand: one after the other, each at the first multiple of 64. */
import type { IndexColumns } from '../../engine.ts';
import { ALIGNMENT, COMMON_WORDS } from './description.ts';

export type ColumnName = 'fingerprints' | 'ids' | 'times' | 'tags' | 'secondFingerprints';

/** A column of the payload. */
export interface ColumnSection {
  readonly name: ColumnName;
  readonly offset: number;
  /** Bytes of an item. */
  readonly size: number;
}

export interface EntriesLayout {
  /** Words of the description. */
  readonly words: number;
  readonly sections: readonly ColumnSection[];
  /** Bytes of the payload. */
  readonly length: number;
}

export function layOutEntries(entries: number, { time, tag, second }: IndexColumns): EntriesLayout {
  const names: ColumnName[] = ['fingerprints', 'ids'];
  if (time) names.push('times');
  if (tag) names.push('tags');
  if (second) names.push('secondFingerprints');
  const words = COMMON_WORDS + names.length;
  let length = 8 * words;
  const sections = names.map((name): ColumnSection => {
    const offset = Math.ceil(length / ALIGNMENT) * ALIGNMENT;
    const size = name === 'tags' ? 4 : 8;
    length = offset + size * entries;
    return { name, offset, size };
  });
  return { words, sections, length };
}
