/**
 * fingerprintBatchAsync of the TypeScript engine: hashes on the JavaScript thread in slices, with a turn of the
 * event loop between them. A slice ends at the first look at the clock after SLICE_MS; looks are STRIDE units of
 * text apart. What is not cut: the normalization of one long run of marks, and the end of a text with millions
 * of distinct features. The twin of native/binding/batch_job.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FingerprintBatch, FingerprintJob } from '../../engine.ts';
import { guardMemory } from '../base/memory.ts';
import type { TsFingerprinter } from './fingerprinter.ts';
import type { TextHasher } from './text-hasher.ts';

type Text = string | Uint8Array;

const SLICE_MS = 8;
const STRIDE = 1 << 13;

// Jobs run one after the other: the slices of several would add up within one turn of the event loop.
let previous: Promise<unknown> = Promise.resolve();
let sliceEnd = 0;

class Job {
  cancelled = false;
  readonly batches: readonly FingerprintBatch[];

  constructor(
    private readonly hashers: readonly TextHasher[],
    private readonly texts: readonly Text[],
  ) {
    this.batches = hashers.map(() => ({
      fingerprints: new BigUint64Array(texts.length),
      features: new Float64Array(texts.length),
    }));
  }

  async run(): Promise<readonly FingerprintBatch[] | undefined> {
    for (let i = 0; i < this.texts.length; i++) {
      for (const [h, hasher] of this.hashers.entries()) {
        guardMemory(() => hasher.clear());
        await this.read(hasher, this.texts[i]);
        if (this.cancelled) return undefined;
        const { fingerprint = 0n, features } = guardMemory(() => {
          hasher.finish();
          return hasher.result();
        });
        this.batches[h].fingerprints[i] = fingerprint;
        this.batches[h].features[i] = features;
      }
    }
    return this.batches;
  }

  private async read(hasher: TextHasher, text: Text): Promise<void> {
    for (let at = 0; at < text.length && !this.cancelled; at += STRIDE) {
      if (performance.now() >= sliceEnd) {
        await nextTurn();
        sliceEnd = performance.now() + SLICE_MS;
      }
      const chunk = typeof text === 'string' ? text.slice(at, at + STRIDE) : text.subarray(at, at + STRIDE);
      guardMemory(() => hasher.update(chunk));
    }
  }
}

/** Starts when the jobs before it have ended. */
export function startBatchJob(
  fingerprinters: readonly TsFingerprinter[],
  texts: readonly Text[],
): FingerprintJob {
  const hashers = fingerprinters.map((fingerprinter) => fingerprinter.createTextHasher());
  const copies = texts.map((text) => (typeof text === 'string' ? text : new Uint8Array(text)));
  const job = new Job(hashers, copies);
  const result = previous.then(() => job.run());
  previous = result.catch(() => undefined);
  return {
    result,
    cancel: () => {
      job.cancelled = true;
    },
  };
}
