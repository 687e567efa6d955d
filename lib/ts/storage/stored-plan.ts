/** The plan of the tables of a segment file, as its description says it. */
import type { BitRange, IndexColumns, SegmentPayload } from '../../engine.ts';
import { Description, TABLES_LAYOUT } from './description.ts';
import { describeTables } from './tables-description.ts';

/** Which distance the tables of a segment are for, and for each of them its key and the bits of it that may differ. */
export interface StoredPlan {
  /** In bits, 0 to 16. */
  readonly maxDistance: number;
  readonly keys: readonly (readonly BitRange[])[];
  readonly radii: readonly number[];
}

/** The plan of a payload; null where it has no tables. Throws ERR_NEARDUP_CORRUPT. Reads the description alone. */
export function readPlan(file: SegmentPayload, columns: IndexColumns): StoredPlan | null {
  const description = new Description(file, columns);
  if (description.layout !== TABLES_LAYOUT) return null;
  const { maxDistance, tables } = describeTables(file, description);
  return {
    maxDistance,
    keys: tables.map(({ key }) => key.map(({ low, width }) => ({ low, width }))),
    radii: tables.map(({ radius }) => radius),
  };
}
