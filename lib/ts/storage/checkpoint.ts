/** What an index held at one moment, as parts to be written. */
import type { Checkpoint, CheckpointPart, SegmentPayload } from '../../engine.ts';
import { makeError } from '../../errors.ts';
import { guardMemory, guardSteps } from '../base/memory.ts';
import { radixSort } from '../base/radix.ts';
import type { Steps } from '../base/steps.ts';
import type { Entries } from '../index/entries.ts';
import type { Parts } from '../index/parts.ts';
import type { Segment, SegmentFile } from '../index/segment.ts';
import { sortEntries } from '../index/sorted.ts';
import { EntriesPayload, type OrderedEntries } from './write-entries.ts';

/** The held entries of a segment in order: 12 bytes each, twice that while they are sorted. */
function* orderSegment(segment: Segment, kinds: Entries['kinds']): Steps<OrderedEntries> {
  const { size: count, columns } = segment;
  const lanes = new Uint32Array(2 * count);
  const slots = new Uint32Array(count);
  let at = 0;
  for (let row = 0, seen = 0; row < segment.rows; row++) {
    const end = segment.start(row + 1);
    for (let slot = segment.start(row); slot < end; slot++) {
      if ((++seen & 0x3fff) === 0) yield 0x4000;
      if (segment.removed.has(slot)) continue;
      lanes[2 * at] = segment.lanes[2 * row] as number;
      lanes[2 * at + 1] = segment.lanes[2 * row + 1] as number;
      slots[at++] = slot;
    }
  }
  // The sort is stable, and the slots of a row stand in order.
  const sorted = yield* radixSort(lanes);
  const { order } = sorted;
  for (let i = 0; i < count; i++) {
    order[i] = slots[order[i] as number] as number;
    if ((i & 0x3fff) === 0) yield 0x4000;
  }
  return { kinds, count, lanes: sorted.lanes, order, columns };
}

/** A part as it was then; `segment` is what has become of it. */
class Part implements CheckpointPart {
  readonly name: string | undefined;
  private readonly file: SegmentFile | undefined;
  private readonly removedThen: number;
  private payload: EntriesPayload | undefined;
  /** Undefined when closed. */
  private order: (() => Steps<OrderedEntries>) | undefined;

  constructor(
    readonly entries: number,
    order: () => Steps<OrderedEntries>,
    private readonly segment?: Segment,
  ) {
    this.order = order;
    this.file = segment?.file;
    this.name = this.file?.name;
    this.removedThen = segment?.removed.count ?? 0;
  }

  removed(): Uint8Array | undefined {
    return this.file?.removed;
  }

  *prepare(): Generator<undefined, void> {
    if (this.payload !== undefined) return;
    if (this.order === undefined) throw makeError('ERR_NEARDUP_CLOSED', 'the checkpoint is closed');
    const ordered = yield* guardSteps(this.order());
    this.payload = guardMemory(() => new EntriesPayload(ordered));
  }

  length(): number {
    return this.made().length;
  }

  read(offset: number, out: Uint8Array): void {
    this.made().read(offset, out);
  }

  adopt({ name }: SegmentPayload): void {
    if (this.name === undefined) this.segment?.keepAs({ name, removed: undefined }, this.removedThen);
  }

  close(): void {
    this.order = undefined;
    this.payload = undefined;
  }

  private made(): EntriesPayload {
    const steps = this.prepare();
    while (this.payload === undefined) steps.next();
    return this.payload;
  }
}

/** Copies the head and the bits of removal; the rest is shared until the checkpoint is closed. */
export function checkpointOf({ head, segments }: Parts): Checkpoint {
  const parts = segments.map((segment) => {
    const frozen = segment.freeze();
    return new Part(segment.size, () => orderSegment(frozen, head.kinds), segment);
  });
  if (head.size > 0) {
    const copy = head.copy();
    parts.push(new Part(copy.size, () => sortEntries(copy.copy())));
  }
  return {
    parts,
    close: () => {
      for (const part of parts) part.close();
    },
  };
}
