/** Works on the files of a directory, one after the other: each in slices, or at once where a call cannot wait. */
import { closedError } from '../index/work.ts';
import { type Steps, Work } from './steps.ts';

export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();
  #current: Work<unknown> | undefined;
  #closed = false;

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Does work after what was asked for before. `before` may do more that waits. */
  run<T>(steps: () => Steps<T>, before: () => Promise<void> = async () => {}): Promise<T> {
    const result = this.#last.then(async () => {
      if (!this.#closed) await before();
      if (this.#closed) throw closedError();
      const work = new Work(steps());
      this.#current = work;
      return await work.finishAsync();
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Does the rest of the work under way now. Its error is for those who wait for it. */
  finishCurrent(): void {
    try {
      this.#current?.finish();
    } catch {
      // theirs
    }
  }

  /** Gives all work up: those who wait get ERR_NEARDUP_CLOSED. */
  close(): void {
    this.#closed = true;
    this.#current?.abandon(closedError());
  }
}
