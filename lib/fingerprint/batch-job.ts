/**
 * fingerprintBatchAsync for recipes that the engine does alone and those that it does not: the engine's share goes
 * to the engine; the rest is done on this thread, in slices of at most about 10 ms with a turn of the event loop
 * between them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine, FingerprintBatch, FingerprintJob, TextFingerprinter } from '../engine.ts';
import type { Text } from './batch.ts';

const SLICE_MS = 8;
/** Units of text between two looks at the clock. */
const STRIDE = 1 << 13;

// Jobs run one after the other: the slices of several would add up within one turn of the event loop.
let previous: Promise<unknown> = Promise.resolve();
let sliceEnd = 0;

class Job {
  cancelled = false;
  private readonly batches: readonly FingerprintBatch[];

  constructor(
    private readonly workers: readonly TextFingerprinter[],
    private readonly texts: readonly Text[],
  ) {
    this.batches = workers.map(() => ({
      fingerprints: new BigUint64Array(texts.length),
      features: new Float64Array(texts.length),
    }));
  }

  async run(): Promise<readonly FingerprintBatch[] | undefined> {
    for (const [i, text] of this.texts.entries()) {
      for (const [w, worker] of this.workers.entries()) {
        const hasher = worker.createHasher();
        for (let at = 0; at < text.length; at += STRIDE) {
          if (performance.now() >= sliceEnd) {
            await nextTurn();
            sliceEnd = performance.now() + SLICE_MS;
          }
          if (this.cancelled) return undefined;
          hasher.update(
            typeof text === 'string' ? text.slice(at, at + STRIDE) : text.subarray(at, at + STRIDE),
          );
        }
        const { fingerprint = 0n, features } = hasher.digest();
        const batch = this.batches[w] as FingerprintBatch;
        batch.fingerprints[i] = fingerprint;
        batch.features[i] = features;
      }
    }
    return this.batches;
  }
}

/** The part of a batch that is done here. Starts when the jobs before it have ended. */
function startHere(workers: readonly TextFingerprinter[], texts: readonly Text[]): FingerprintJob {
  const copies = texts.map((text) => (typeof text === 'string' ? text : new Uint8Array(text)));
  const job = new Job(workers, copies);
  const result = previous.then(() => job.run());
  previous = result.catch(() => undefined);
  return {
    result,
    cancel: () => {
      job.cancelled = true;
    },
  };
}

/** Fingerprints of the texts by each worker; `isEngines[w]` says that worker w is the engine's own. */
export function startBatch(
  engine: Engine,
  workers: readonly TextFingerprinter[],
  isEngines: readonly boolean[],
  texts: readonly Text[],
): FingerprintJob {
  if (!isEngines.includes(false)) return engine.fingerprintBatchAsync(workers, texts);
  const shares = [true, false].map((engines) => workers.filter((_, w) => isEngines[w] === engines));
  const [theirs, ours] = shares as [TextFingerprinter[], TextFingerprinter[]];
  const jobs = [startHere(ours, texts)];
  if (theirs.length > 0) jobs.push(engine.fingerprintBatchAsync(theirs, texts));
  const result = Promise.all(jobs.map((job) => job.result)).then(([here, there = []]) => {
    if (here === undefined || there === undefined) return undefined;
    const [mine, engines] = [here.values(), there.values()];
    return isEngines.map((engine) => (engine ? engines : mine).next().value as FingerprintBatch);
  });
  return {
    result,
    cancel: () => {
      for (const job of jobs) job.cancel();
    },
  };
}
