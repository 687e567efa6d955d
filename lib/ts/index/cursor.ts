/** A cursor over batches that a generator makes in steps. */
import type { Cursor } from '../../engine.ts';
import { Meter, type SlicedJob, startJob } from '../base/sliced-job.ts';
import type { Steps } from '../base/steps.ts';

/** Most items of a batch. */
export const BATCH_ITEMS = 1 << 13;

/** Steps of which some yield a batch instead of units of work. */
export type Batches<T extends object> = Generator<number | T, void, void>;

function* untilBatch<T extends object>(batches: Batches<T>, meter: Meter): Steps<T | undefined> {
  for (;;) {
    const step = batches.next();
    if (step.done) {
      meter.end();
      return undefined;
    }
    if (typeof step.value === 'object') return step.value;
    yield step.value;
  }
}

export class StepsCursor<T extends object> implements Cursor<T> {
  private readonly meter: Meter;
  private batches: Batches<T> | undefined;
  private job: SlicedJob<T | undefined> | undefined;

  /** `units`: how many units of work the batches are, about. */
  constructor(
    batches: Batches<T>,
    units: number,
    private readonly onClose: (cursor: StepsCursor<T>) => void,
  ) {
    this.batches = batches;
    this.meter = new Meter(units);
  }

  next(): SlicedJob<T | undefined> {
    const steps = untilBatch(this.batches ?? none(), this.meter);
    this.job = startJob(steps, this.meter);
    const { job } = this;
    const cancel = job.cancel.bind(job);
    // What a cancelled job has read is lost: nothing may follow.
    job.cancel = () => {
      cancel();
      this.close();
    };
    return job;
  }

  close(): void {
    if (this.batches === undefined) return;
    const { batches } = this;
    this.batches = undefined;
    if (this.job?.ended === false) this.job.cancel();
    batches.return();
    this.onClose(this);
  }
}

function* none(): Batches<never> {}
