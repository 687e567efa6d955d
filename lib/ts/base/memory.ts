/** Refused allocations as errors of the package. */
import { makeError, NeardupError } from '../../errors.ts';

/**
 * Runs `body`; a RangeError of its own allocations (all that the engine's code can raise) becomes
 * ERR_NEARDUP_OUT_OF_MEMORY.
 */
export function guardMemory<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof NeardupError || !(error instanceof RangeError)) throw error;
    throw makeError('ERR_NEARDUP_OUT_OF_MEMORY', `out of memory: ${error.message}`);
  }
}

/** Steps of an engine, each as guardMemory runs it. */
export function* guardSteps<T>(steps: Iterator<unknown, T>): Generator<undefined, T> {
  for (;;) {
    const step = guardMemory(() => steps.next());
    if (step.done) return step.value;
    yield;
  }
}
