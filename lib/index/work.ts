/** Jobs and cursors of the engine as promises and async iterables that can be aborted. */
import type { Cursor, Job } from '../engine.ts';
import { makeError, NeardupError } from '../errors.ts';
import type { AsyncOptions } from './options.ts';

/** Between two reports of progress. */
const REPORT_MS = 100;

export const closedError = (): Error => makeError('ERR_NEARDUP_CLOSED', 'the index is closed');

/**
 * What a job gives; undefined where it was cancelled by other means than the signal. Rejects with the signal's
 * reason, with what onProgress throws, or with the job's error.
 */
export function runJob<T>(job: Job<T>, { signal, onProgress }: AsyncOptions): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown): void => {
      clearInterval(timer);
      job.cancel();
      reject(reason);
    };
    const report = (): void => {
      try {
        onProgress?.(job.progress());
      } catch (error) {
        stop(error);
      }
    };
    const abort = (): void => stop(signal?.reason);
    const timer = onProgress === undefined ? undefined : setInterval(report, REPORT_MS);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    job.result.then(resolve, reject).finally(() => {
      clearInterval(timer);
      signal?.removeEventListener('abort', abort);
    });
  });
}

/** Starts a job and gives its result. Rejects as runJob, and with ERR_NEARDUP_CLOSED where the index was closed. */
export async function finishJob<T>(start: () => Job<T>, options: AsyncOptions): Promise<T> {
  options.signal?.throwIfAborted();
  const result = await runJob(start(), options);
  if (result === undefined) throw closedError();
  options.onProgress?.(1);
  return result;
}

/**
 * The batches of a cursor, which is opened when the first one is asked for and closed at the end. Throws as
 * finishJob; `isClosed` tells whether an index was closed.
 */
export async function* readBatches<T>(
  open: () => Cursor<T>,
  isClosed: () => boolean,
  options: AsyncOptions,
): AsyncGenerator<T, void, undefined> {
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  const cursor = open();
  try {
    for (;;) {
      const job = cursor.next();
      const batch = await runJob(job, options);
      if (isClosed()) throw closedError();
      if (batch === undefined) break;
      onProgress?.(job.progress());
      yield batch;
      signal?.throwIfAborted();
    }
    onProgress?.(1);
  } finally {
    cursor.close();
  }
}

/**
 * Runs facade work that allocates, with options to pass on: refused memory becomes ERR_NEARDUP_OUT_OF_MEMORY; what
 * the caller's own onProgress or signal gives stays as it is.
 */
export async function guardMemory<T, O extends AsyncOptions>(
  options: O,
  body: (options: O) => Promise<T>,
): Promise<T> {
  const { signal, onProgress } = options;
  const thrown: unknown[] = [];
  const report = (share: number): void => {
    try {
      onProgress?.(share);
    } catch (error) {
      thrown.push(error);
      throw error;
    }
  };
  try {
    return await body(onProgress === undefined ? options : { ...options, onProgress: report });
  } catch (error) {
    const isOwn = error instanceof NeardupError || error === signal?.reason || thrown.includes(error);
    if (!(error instanceof RangeError) || isOwn) throw error;
    throw makeError('ERR_NEARDUP_OUT_OF_MEMORY', `out of memory: ${error.message}`);
  }
}
