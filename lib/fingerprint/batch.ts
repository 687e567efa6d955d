/**
 * Fingerprints of many texts without blocking the event loop: cuts a stream of texts into batches, keeps every
 * core busy with one and the next ones ready, and gives the results in the order of the texts. At any time the
 * copies of at most cores + 1 batches are held.
 */
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine, FingerprintBatch, FingerprintJob, TextFingerprinter } from '../engine.ts';
import { checkText } from '../validate.ts';

/** A text: a string, or UTF-8 bytes. */
export type Text = string | Uint8Array;

/** What hashTexts asks of an engine. */
export type BatchEngine = Pick<Engine, 'fingerprintBatchAsync'>;

/** Options of `hashTexts`. */
export interface HashTextsOptions {
  /** Ends the work; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called after each batch with the number of texts done so far. */
  readonly onProgress?: (texts: number) => void;
}

// Units of text in a batch, and what handling one text costs beside its length, in units.
const BATCH_UNITS = 1 << 20;
const TEXT_UNITS = 256;

/** The batches put together: entry i is that of text i. */
function concat(batches: readonly FingerprintBatch[], count: number): FingerprintBatch {
  const fingerprints = new BigUint64Array(count);
  const features = new Float64Array(count);
  let at = 0;
  for (const batch of batches) {
    fingerprints.set(batch.fingerprints, at);
    features.set(batch.features, at);
    at += batch.features.length;
  }
  return { fingerprints, features };
}

/** One run of hashTexts. */
class Run {
  // In the order of the texts.
  private readonly jobs: FingerprintJob[] = [];
  private readonly done: FingerprintBatch[][];
  private batch: Text[] = [];
  private units = 0;
  private count = 0;
  private countDone = 0;
  private ended = false;

  constructor(
    private readonly engine: BatchEngine,
    private readonly fingerprinters: readonly TextFingerprinter[],
    private readonly onProgress: ((texts: number) => void) | undefined,
  ) {
    this.done = fingerprinters.map(() => []);
  }

  async readAll(texts: Iterable<Text> | AsyncIterable<Text>): Promise<FingerprintBatch[]> {
    if (Symbol.asyncIterator in texts) {
      for await (const text of texts) {
        if (this.add(text)) await this.send();
        if (this.ended) break;
      }
    } else {
      for (const text of texts) {
        if (this.add(text)) await this.send();
        if (this.ended) break;
      }
    }
    if (this.batch.length > 0) await this.send();
    while (this.jobs.length > 0) await this.receive();
    return this.done.map((batches) => concat(batches, this.count));
  }

  /** Nothing more is read or begun; what is under way ends soon. */
  end(): void {
    this.ended = true;
    for (const job of this.jobs) job.cancel();
  }

  /** True when a batch is full. */
  private add(text: Text): boolean {
    this.batch.push(checkText(`texts[${this.count}]`, text));
    this.count++;
    this.units += text.length + TEXT_UNITS;
    return this.units >= BATCH_UNITS;
  }

  /** Starts work on the batch, then waits while too many are under way. */
  private async send(): Promise<void> {
    if (this.ended) return;
    const job = this.engine.fingerprintBatchAsync(this.fingerprinters, this.batch);
    // Failures are seen in the order of the texts; until then they are not unhandled.
    job.result.catch(() => undefined);
    this.jobs.push(job);
    this.batch = [];
    this.units = 0;
    await nextTurn();
    while (this.jobs.length > availableParallelism()) await this.receive();
  }

  private async receive(): Promise<void> {
    const batches = await (this.jobs[0] as FingerprintJob).result;
    this.jobs.shift();
    if (batches === undefined || this.ended) return;
    for (const [i, batch] of batches.entries()) (this.done[i] as FingerprintBatch[]).push(batch);
    this.countDone += (batches[0] as FingerprintBatch).features.length;
    this.onProgress?.(this.countDone);
  }
}

/**
 * Fingerprints of many texts by one or more fingerprinters of `engine`, in one pass over the texts: a batch for
 * each fingerprinter, entry i of it for text i; a text without features has fingerprint 0 and 0 features. The
 * native engine works on all cores. The event loop is held up only while about 1 MB is copied, or while one
 * longer text is.
 *
 * Rejects with ERR_NEARDUP_INVALID_TYPE for a text that is neither a string nor a Uint8Array, with what the
 * iterable throws, or with the signal's reason.
 */
export function hashTexts(
  engine: BatchEngine,
  fingerprinters: readonly TextFingerprinter[],
  texts: Iterable<Text> | AsyncIterable<Text>,
  options: HashTextsOptions = {},
): Promise<FingerprintBatch[]> {
  const { signal, onProgress } = options;
  const run = new Run(engine, fingerprinters, onProgress);
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      run.end();
      // Also while the iterable keeps the run waiting.
      reject(signal?.reason);
    };
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    run
      .readAll(texts)
      .then(resolve, reject)
      .finally(() => {
        run.end();
        signal?.removeEventListener('abort', abort);
      });
  });
}
