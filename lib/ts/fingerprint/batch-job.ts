/**
 * Batches that are fingerprinted on the JavaScript thread, in slices with a turn of the event loop between them.
 * Work is a generator that yields where it may pause; at each yield the clock is looked at, and a slice ends at
 * the first look after SLICE_MS. The twin of native/binding/batch_job.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FingerprintBatch, FingerprintJob, VoteResult } from '../../engine.ts';
import { guardMemory } from '../base/memory.ts';

type Text = string | Uint8Array;

/** The vote of a text, made in steps, one text after the other. */
export type VoteSteps = (text: Text) => Generator<void, VoteResult, undefined>;

const SLICE_MS = 8;
/** Units of text between two looks at the clock. */
const STRIDE = 1 << 13;

// Jobs run one after the other: the slices of several would add up within one turn of the event loop.
let previous: Promise<unknown> = Promise.resolve();
let sliceEnd = 0;

/** A text in chunks of one stride each, with a pause before each, also before the end of an empty text. */
export function* readInStrides(
  text: Text,
  read: (chunk: Text) => void,
): Generator<void, undefined, undefined> {
  for (let at = 0; at < text.length; at += STRIDE) {
    yield;
    read(typeof text === 'string' ? text.slice(at, at + STRIDE) : text.subarray(at, at + STRIDE));
  }
  yield;
}

/** Every text by every worker, in steps. */
function* hashAll(
  workers: readonly VoteSteps[],
  texts: readonly Text[],
): Generator<void, readonly FingerprintBatch[], undefined> {
  const batches = workers.map(() => ({
    fingerprints: new BigUint64Array(texts.length),
    features: new Float64Array(texts.length),
  }));
  for (const [i, text] of texts.entries()) {
    for (const [w, { fingerprints, features }] of batches.entries()) {
      const vote = yield* workers[w](text);
      fingerprints[i] = vote.fingerprint ?? 0n;
      features[i] = vote.features;
    }
  }
  return batches;
}

/** The result of the steps, or undefined once `isCancelled`. */
async function runInSlices<T>(
  steps: Generator<void, T, undefined>,
  isCancelled: () => boolean,
): Promise<T | undefined> {
  while (!isCancelled()) {
    if (performance.now() >= sliceEnd) {
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    } else {
      const { done, value } = guardMemory(() => steps.next());
      if (done) return value;
    }
  }
  return undefined;
}

/** Copies the texts; starts when the jobs before it have ended. */
export function startBatchJob(workers: readonly VoteSteps[], texts: readonly Text[]): FingerprintJob {
  const copies = texts.map((text) => (typeof text === 'string' ? text : new Uint8Array(text)));
  let cancelled = false;
  const result = previous.then(() => runInSlices(hashAll(workers, copies), () => cancelled));
  previous = result.catch(() => undefined);
  return {
    result,
    cancel: () => {
      cancelled = true;
    },
  };
}
