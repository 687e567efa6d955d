/**
 * fingerprintBatchAsync for recipes that the engine does alone and those that it does not: the engine's share goes
 * to the engine; the rest is done on this thread, in slices.
 */
import type { Engine, FingerprintBatch, FingerprintJob } from '../engine.ts';
import { startBatchJob } from '../ts/fingerprint/batch-job.ts';
import type { Text } from './batch.ts';
import { isStepwise, type Worker } from './worker.ts';

/** Fingerprints of the texts by each worker, in their order. */
export function startBatch(
  engine: Engine,
  workers: readonly Worker[],
  texts: readonly Text[],
): FingerprintJob {
  const ours = workers.filter(isStepwise);
  if (ours.length === 0) return engine.fingerprintBatchAsync(workers, texts);
  const theirs = workers.filter((worker) => !isStepwise(worker));
  const steps = ours.map((worker) => (text: Text) => worker.describeInSteps(text));
  const jobs = [startBatchJob(steps, texts)];
  if (theirs.length > 0) jobs.push(engine.fingerprintBatchAsync(theirs, texts));
  const result = Promise.all(jobs.map((job) => job.result)).then(([here, there = []]) => {
    if (here === undefined || there === undefined) return undefined;
    const [mine, engines] = [here.values(), there.values()];
    return workers.map((worker) => (isStepwise(worker) ? mine : engines).next().value as FingerprintBatch);
  });
  return {
    result,
    cancel: () => {
      for (const job of jobs) job.cancel();
    },
  };
}
