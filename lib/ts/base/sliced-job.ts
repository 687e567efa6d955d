/**
 * Jobs of the TypeScript engine: steps done on the JavaScript thread in slices of about SLICE_MS, one slice in each
 * turn of the event loop, whatever the number of jobs: they take turns.
 */
import type { Job } from '../../engine.ts';
import { guardMemory } from './memory.ts';
import type { Steps } from './steps.ts';

const SLICE_MS = 8;

/** Work done, of a number of units that is known or estimated. */
export class Meter {
  private done = 0;
  private ended = false;

  constructor(private readonly total: number) {}

  add(units: number): void {
    this.done += units;
  }

  end(): void {
    this.ended = true;
  }

  /** 0 to 1; 1 only at the end. */
  share(): number {
    return this.ended ? 1 : Math.min(0.99, this.done / Math.max(1, this.total));
  }
}

/** A job that waits for its turn. */
export interface SlicedJob<T> extends Job<T> {
  /** Whether the job has ended, well or not. */
  readonly ended: boolean;
}

class Task<T> implements SlicedJob<T> {
  readonly result: Promise<T | undefined>;
  ended = false;
  private resolve!: (value: T | undefined) => void;
  private reject!: (error: unknown) => void;

  constructor(
    private readonly steps: Steps<T>,
    private readonly meter: Meter,
    private readonly onEnd: () => void,
  ) {
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Works until the clock shows `end`. */
  run(end: number): void {
    try {
      do {
        const step = guardMemory(() => this.steps.next());
        if (step.done) {
          this.end();
          this.resolve(step.value);
          return;
        }
        this.meter.add(step.value);
      } while (performance.now() < end);
    } catch (error) {
      this.end();
      this.reject(error);
    }
  }

  cancel(): void {
    if (this.ended) return;
    this.end();
    this.steps.return(undefined as never);
    this.resolve(undefined);
  }

  progress(): number {
    return this.meter.share();
  }

  private end(): void {
    this.ended = true;
    this.onEnd();
  }
}

/** Jobs that have not ended, the next one first. */
const waiting: Task<unknown>[] = [];
let isTurnPlanned = false;

function planTurn(): void {
  if (isTurnPlanned || waiting.length === 0) return;
  isTurnPlanned = true;
  setImmediate(takeTurn);
}

/** One slice of work: of the first job, and where it ends sooner, of those after it. */
function takeTurn(): void {
  isTurnPlanned = false;
  const end = performance.now() + SLICE_MS;
  do {
    const task = waiting.shift();
    if (task === undefined) break;
    if (!task.ended) task.run(end);
    if (!task.ended) waiting.push(task);
  } while (performance.now() < end);
  planTurn();
}

/**
 * Starts the steps in a later turn of the event loop, after `previous` has settled where it is given. `onEnd` is
 * called once, when the job ends, fails or is cancelled, before its result settles.
 */
export function startJob<T>(
  steps: Steps<T>,
  meter: Meter,
  onEnd: () => void = () => {},
  previous?: Promise<unknown>,
): SlicedJob<T> {
  const task = new Task(steps, meter, onEnd);
  const queue = (): void => {
    waiting.push(task as Task<unknown>);
    planTurn();
  };
  if (previous === undefined) queue();
  else previous.then(queue, queue);
  return task;
}
