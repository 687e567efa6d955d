/** The Fingerprinter and Hasher of the TypeScript engine over TextHasher. The twin of native/binding/text_hasher. */
import type {
  FeatureOptions,
  FingerprintBatch,
  Fingerprinter,
  Frequencies,
  Hasher,
  VoteResult,
} from '../../engine.ts';
import { makeError } from '../../errors.ts';
import { guardMemory } from '../base/memory.ts';
import { readInStrides, type VoteSteps } from './batch-job.ts';
import { listTokens, TextHasher } from './text-hasher.ts';
import { xxh3 } from './xxh3.ts';

type Text = string | Uint8Array;

class TsHasher implements Hasher {
  private state: 'open' | 'finished' | 'failed' = 'open';

  constructor(private readonly hasher: TextHasher) {}

  update(chunk: Text): void {
    if (this.state === 'finished') {
      throw makeError('ERR_NEARDUP_CLOSED', 'the hasher was digested or merged; create another one');
    }
    this.change(() => this.hasher.update(chunk));
  }

  digest(): VoteResult {
    this.finish();
    return guardMemory(() => this.hasher.result());
  }

  merge(other: TsHasher): void {
    this.finish();
    other.finish();
    this.change(() => this.hasher.merge(other.hasher));
  }

  private finish(): void {
    if (this.state === 'finished') return;
    this.change(() => this.hasher.finish());
    this.state = 'finished';
  }

  /** Runs a step; when it fails halfway, the hasher has a part of its text and takes no other. */
  private change(step: () => void): void {
    if (this.state === 'failed') {
      throw makeError('ERR_NEARDUP_CLOSED', 'the hasher ran out of memory before; create another one');
    }
    const before = this.state;
    this.state = 'failed';
    guardMemory(step);
    this.state = before;
  }
}

/** The fingerprints of texts that `describe` gives. */
export function describeAll(
  fingerprinter: Pick<Fingerprinter, 'describe'>,
  texts: readonly Text[],
): FingerprintBatch {
  return guardMemory(() => {
    const fingerprints = new BigUint64Array(texts.length);
    const features = new Float64Array(texts.length);
    for (const [i, text] of texts.entries()) {
      const vote = fingerprinter.describe(text);
      fingerprints[i] = vote.fingerprint ?? 0n;
      features[i] = vote.features;
    }
    return { fingerprints, features };
  });
}

export class TsFingerprinter implements Fingerprinter {
  private readonly hasher: TextHasher;

  constructor(private readonly options: FeatureOptions) {
    this.hasher = new TextHasher(options);
  }

  fingerprint(text: Text): bigint | undefined {
    return this.describe(text).fingerprint;
  }

  fingerprintBatch(texts: readonly Text[]): FingerprintBatch {
    return describeAll(this, texts);
  }

  describe(text: Text): VoteResult {
    const { hasher } = this;
    return guardMemory(() => {
      hasher.clear();
      hasher.update(text);
      hasher.finish();
      return hasher.result();
    });
  }

  frequencies(text: Text): Frequencies {
    const { hasher } = this;
    return guardMemory(() => {
      hasher.clear();
      hasher.update(text);
      hasher.finish();
      return hasher.frequencies.entries();
    });
  }

  tokens(text: Text): string[] {
    return guardMemory(() => listTokens(this.options, text));
  }

  createHasher(): Hasher {
    return guardMemory(() => new TsHasher(new TextHasher(this.options)));
  }

  /**
   * Votes of texts in steps, in memory of their own. What is one step: the normalization of one run of marks, and
   * the vote of a text's distinct features, 10 million a second.
   */
  createVoteSteps(): VoteSteps {
    const hasher = new TextHasher(this.options);
    return function* steps(text) {
      hasher.clear();
      yield* readInStrides(text, (chunk) => hasher.update(chunk));
      hasher.finish();
      return hasher.result();
    };
  }
}

/** XXH3-64 with seed 0 of the UTF-8 of each string. */
export function hashStrings(features: readonly string[]): BigUint64Array {
  const hashes = new BigUint64Array(features.length);
  const words = new Uint32Array(hashes.buffer);
  const encoder = new TextEncoder();
  for (const [i, feature] of features.entries()) {
    const bytes = encoder.encode(feature);
    xxh3(new DataView(bytes.buffer, bytes.byteOffset), 0, bytes.length, 0, 0, words, 2 * i);
  }
  return hashes;
}
