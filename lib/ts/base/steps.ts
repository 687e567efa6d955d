/**
 * Work cut into steps, so that one implementation serves calls in line and jobs in slices: each next() of the
 * generator does a bounded part, at most about a millisecond, and yields how many units of work it was.
 */
export type Steps<T> = Generator<number, T, void>;

/** Items of a loop that make one step: as many as may touch two fresh pages of memory each within some 10 ms. */
const STRIDE = 1 << 12;

/** Runs to the end. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** `body(from, to)` over 0 to count, a stride at a time. */
export function* inStrides(count: number, body: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < count; from += STRIDE) {
    const to = Math.min(count, from + STRIDE);
    body(from, to);
    yield to - from;
  }
}

/** A copy of the first `length` elements. */
export function* copyOf(source: Uint32Array, length: number): Steps<Uint32Array> {
  const copy = new Uint32Array(length);
  yield* inStrides(length, (from, to) => copy.set(source.subarray(from, to), from));
  return copy;
}
