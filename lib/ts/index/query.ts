/** One query: what is looked for, and which entries count. One object serves many queries, one after the other. */
import { popcount64 } from '../base/bits.ts';
import type { Columns } from './columns.ts';

/** No condition on the tag. */
export const ANY_TAG = -1;

export class Query {
  /** The fingerprint. */
  low = 0;
  high = 0;
  /** Greatest distance in bits. */
  distance = 0;
  /** Only entries of this tag. */
  tag = ANY_TAG;
  /** Only entries whose second fingerprint is within secondDistance of this one; over 64: any. */
  secondLow = 0;
  secondHigh = 0;
  secondDistance = Number.POSITIVE_INFINITY;
  /** Only entries of this time and later. */
  since = 0;
  /** Where entries are paired with those after them: the ranks of the rows that come before count for nothing. */
  after: After | undefined;

  /** Whether `accepts` may refuse an entry. */
  get isFiltered(): boolean {
    return (
      this.tag !== ANY_TAG ||
      this.since > 0 ||
      this.secondDistance < Number.POSITIVE_INFINITY ||
      this.after !== undefined
    );
  }

  /** Whether entry `i`, which is within the distance, counts. */
  accepts({ ids, times, tags, secondFingerprints }: Columns, i: number): boolean {
    if (this.tag !== ANY_TAG && (tags as Uint32Array)[i] !== this.tag) return false;
    if (this.since > 0 && ((times as Float64Array)[i] as number) < this.since) return false;
    if (this.after !== undefined && ids[i] === this.after.id) return false;
    if (this.secondDistance === Number.POSITIVE_INFINITY) return true;
    const lanes = secondFingerprints as Uint32Array;
    const x = (lanes[2 * i] as number) ^ this.secondLow;
    return popcount64(x, (lanes[2 * i + 1] as number) ^ this.secondHigh) <= this.secondDistance;
  }

  /** Looks for entry `i` of `lanes`. */
  at(lanes: Uint32Array, i: number): void {
    this.low = lanes[2 * i] as number;
    this.high = lanes[2 * i + 1] as number;
  }

  /** Sets the conditions that entry `i` of the columns brings: its tag and second fingerprint, where given. */
  like(tags: Uint32Array | undefined, secondFingerprints: Uint32Array | undefined, i: number): void {
    if (tags !== undefined) this.tag = tags[i] as number;
    if (secondFingerprints !== undefined) {
      this.secondLow = secondFingerprints[2 * i] as number;
      this.secondHigh = secondFingerprints[2 * i + 1] as number;
    }
  }
}

/** The place of an entry in a segment, in the order of (fingerprint, id); only what stands after it counts. */
export interface After {
  readonly id: number;
  readonly row: number;
  /** The first slot of its row after it. */
  readonly slot: number;
  /** ranks[r]: how many rows have a smaller fingerprint than row r. */
  readonly ranks: Uint32Array;
}
