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

export class TsFingerprinter implements Fingerprinter {
  private readonly hasher: TextHasher;

  constructor(private readonly options: FeatureOptions) {
    this.hasher = new TextHasher(options);
  }

  fingerprint(text: Text): bigint | undefined {
    return this.describe(text).fingerprint;
  }

  fingerprintBatch(texts: readonly Text[]): FingerprintBatch {
    const fingerprints = new BigUint64Array(texts.length);
    const features = new Float64Array(texts.length);
    for (const [i, text] of texts.entries()) {
      const vote = this.describe(text);
      fingerprints[i] = vote.fingerprint ?? 0n;
      features[i] = vote.features;
    }
    return { fingerprints, features };
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
    hasher.clear();
    hasher.update(text);
    hasher.finish();
    const table = hasher.frequencies;
    const hashes = new BigUint64Array(table.size);
    const lanes = new Uint32Array(hashes.buffer);
    let i = 0;
    table.forEach((low, high) => {
      lanes[i++] = low;
      lanes[i++] = high;
    });
    hashes.sort();
    const times = new Float64Array(hashes.length);
    for (i = 0; i < times.length; i++) times[i] = table.get(lanes[2 * i], lanes[2 * i + 1]);
    return { hashes, times };
  }

  tokens(text: Text): string[] {
    return guardMemory(() => listTokens(this.options, text));
  }

  createHasher(): Hasher {
    return new TsHasher(this.createTextHasher());
  }

  /** A hasher of the same options, with nothing in it. */
  createTextHasher(): TextHasher {
    return new TextHasher(this.options);
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
