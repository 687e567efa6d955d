/** The captures of real pages that lie beside the checkout, or none. */
import { readRecords } from '../data.ts';

export interface Capture {
  readonly id: string;
  /** The page that it is a capture of. */
  readonly group: string;
  readonly html: string;
}

/** In order of time within each group; empty where the data is not there. */
export const captures: readonly Capture[] = readRecords<Capture>('html') ?? [];
