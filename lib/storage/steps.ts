/**
 * Long work that can be done at once or in turns with the rest of the process. It is written as a generator
 * whose yields are the places to pause; a file given by a yield must be durable before the work goes on.
 */
import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** A file, by its descriptor, that is to be made durable. An object, as a descriptor may be used again. */
export interface FileToSync {
  readonly file: number;
}

/** Work in steps of a few milliseconds. `finally` blocks run when it is given up, `catch` blocks do not. */
export type Steps<T> = Generator<FileToSync | undefined, T>;

/** Work without a turn of the event loop takes so many milliseconds at most, plus one step. */
const SLICE_MS = 8;

/** Lets everything else that waits go first. */
export function turn(): Promise<void> {
  return setImmediate();
}

function syncInBackground(file: number): Promise<Error | null> {
  return new Promise((resolve) => fs.fsync(file, resolve));
}

/** One piece of work, under way. Any of its methods may be called while finishAsync is waiting. */
export class Work<T> {
  readonly #steps: Steps<T>;
  #unsynced: FileToSync | undefined;
  #outcome: { readonly value: T } | { readonly error: unknown } | undefined;

  constructor(steps: Steps<T>) {
    this.#steps = steps;
  }

  get done(): boolean {
    return this.#outcome !== undefined;
  }

  /** Does the rest now. */
  finish(): T {
    while (!this.done) {
      const { file } = this.#unsynced ?? {};
      this.#advance(() => {
        if (file !== undefined) fs.fsyncSync(file);
      });
    }
    return this.#result();
  }

  /** Does the rest in slices, with a turn of the event loop between them. */
  async finishAsync(): Promise<T> {
    while (!this.done) {
      const waiting = this.#unsynced;
      if (waiting === undefined) {
        const end = performance.now() + SLICE_MS;
        while (!this.done && this.#unsynced === undefined && performance.now() < end) this.#advance(() => {});
        if (this.#unsynced === undefined) await turn();
        continue;
      }
      const error = await syncInBackground(waiting.file);
      // Another call may have done it, and more, in the meantime.
      if (this.#unsynced !== waiting) continue;
      this.#advance(() => {
        if (error !== null) throw error;
      });
    }
    return this.#result();
  }

  /** Gives the work up: what waits for it gets `error`. */
  abandon(error: unknown): void {
    if (this.done) return;
    this.#outcome = { error };
    this.#unsynced = undefined;
    try {
      this.#steps.return(undefined as never);
    } catch {
      // What it could not tidy up is left over; nobody waits for it any more.
    }
  }

  #advance(sync: () => void): void {
    this.#unsynced = undefined;
    try {
      let failure: unknown;
      try {
        sync();
      } catch (error) {
        failure = error;
      }
      const result = failure === undefined ? this.#steps.next() : this.#steps.throw(failure);
      if (result.done === true) this.#outcome = { value: result.value };
      else this.#unsynced = result.value;
    } catch (error) {
      this.#outcome = { error };
    }
  }

  #result(): T {
    const outcome = this.#outcome as { readonly value: T } | { readonly error: unknown };
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }
}

/** Does work at once. */
export function doNow<T>(steps: Steps<T>): T {
  return new Work(steps).finish();
}
