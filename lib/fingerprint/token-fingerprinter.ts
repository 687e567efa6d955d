/**
 * Fingerprints by recipes that do something to the tokens: stems, weights by document frequency. Tokens come from
 * the engine; stems, n-grams and weights are made here, once for both engines; hashes and votes are the engine's
 * again. With neither stems nor document frequencies the values are those of the engine's own fingerprinter.
 *
 * Text is taken in pieces cut before white space and punctuation, where a token always ends, so memory is that of
 * the longest stretch without these, which is limited, and of the distinct features.
 */
import type {
  Engine,
  Fingerprinter as EngineFingerprinter,
  FeatureOptions,
  FingerprintBatch,
  Frequencies,
  Hasher,
  VoteResult,
} from '../engine.ts';
import { makeError } from '../errors.ts';
import type { Method } from '../recipe/recipe.ts';
import { createStemmer } from '../recipe/stemmer.ts';
import { guardMemory } from '../ts/base/memory.ts';
import { readInStrides } from '../ts/fingerprint/batch-job.ts';
import { describeAll } from '../ts/fingerprint/fingerprinter.ts';
import { FrequencyTable } from '../ts/fingerprint/frequency-table.ts';
import { logWeight, WEIGHT_STEPS } from '../ts/fingerprint/weights.ts';
import { ChunkDecoder } from './chunk-decoder.ts';
import { Ngrams } from './ngrams.ts';

type Text = string | Uint8Array;

/** Features hashed in one call of the engine. */
const BATCH = 1 << 12;

const WEIGHT_OF: Readonly<Record<FeatureOptions['weight'], (tf: number) => number>> = {
  set: () => 1,
  count: (tf) => tf,
  log: (tf) => logWeight(tf) / WEIGHT_STEPS,
};

/** White space and punctuation before which a token always ends, whatever comes after. */
const BREAK = /[\0-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f\u3000-\u3002\uff0c]/;

/** The most code units beyond ASCII without a break: each may be a token of its own, held as a string. */
const LONGEST_STRETCH = 1 << 22;

/** The last break of a text, or -1. */
function lastBreak(text: string): number {
  let at = text.length - 1;
  while (at >= 0 && !BREAK.test(text[at] as string)) at--;
  return at;
}

function countBeyondAscii(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) count++;
  return count;
}

class TokenHasher implements Hasher {
  readonly #owner: TokenFingerprinter;
  readonly #decoder = new ChunkDecoder();
  readonly #ngrams: Ngrams;
  readonly #table = new FrequencyTable();
  /** Text after the last break so far, and how many of its units are beyond ASCII. */
  #waiting: string[] = [];
  #beyondAscii = 0;
  #batch: string[] = [];
  #finished = false;
  /** An update failed halfway: a part of the text is missing. */
  #failed = false;

  constructor(owner: TokenFingerprinter) {
    this.#owner = owner;
    const { min, max } = owner.features;
    this.#ngrams = new Ngrams(min, max, (ngram) => {
      this.#batch.push(ngram);
      if (this.#batch.length === BATCH) this.#flush();
    });
  }

  update(chunk: Text): void {
    if (this.#finished) {
      throw makeError('ERR_NEARDUP_CLOSED', 'the hasher was digested or merged; create another one');
    }
    this.#failed = true;
    for (const piece of this.#decoder.decode(chunk)) this.#read(piece);
    this.#failed = false;
  }

  digest(): VoteResult {
    return this.#owner.vote(this.frequencies());
  }

  /** Ends the text: its distinct features. */
  frequencies(): Frequencies {
    this.#finish();
    return guardMemory(() => this.#table.entries());
  }

  merge(other: TokenHasher): void {
    this.#finish();
    other.#finish();
    const entries: number[] = [];
    other.#table.forEach((low, high, tf) => {
      entries.push(low, high, tf);
    });
    for (let i = 0; i < entries.length; i += 3) {
      this.#table.add(entries[i] as number, entries[i + 1] as number, entries[i + 2] as number);
    }
  }

  #read(piece: string): void {
    const cut = lastBreak(piece);
    if (cut >= 0) {
      this.#waiting.push(piece.slice(0, cut));
      this.#ngrams.push(this.#owner.tokens(this.#waiting.join('')));
      this.#waiting = [];
      this.#beyondAscii = 0;
    }
    const rest = cut >= 0 ? piece.slice(cut) : piece;
    this.#waiting.push(rest);
    this.#beyondAscii += countBeyondAscii(rest);
    if (this.#beyondAscii > LONGEST_STRETCH) {
      throw makeError(
        'ERR_NEARDUP_UNSUPPORTED',
        `the text has over ${LONGEST_STRETCH} characters without a space; use a recipe without stems and document frequencies`,
      );
    }
  }

  #finish(): void {
    if (this.#failed)
      throw makeError('ERR_NEARDUP_CLOSED', 'an update of the hasher failed before; create another one');
    if (this.#finished) return;
    this.#finished = true;
    this.#waiting.push(this.#decoder.end());
    this.#ngrams.push(this.#owner.tokens(this.#waiting.join('')));
    this.#waiting = [];
    this.#ngrams.finish();
    this.#flush();
  }

  #flush(): void {
    const hashes = this.#owner.engine.hashStrings(this.#batch);
    const lanes = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
    for (let i = 0; i < lanes.length; i += 2) this.#table.add(lanes[i] as number, lanes[i + 1] as number, 1);
    this.#batch = [];
  }
}

/** The part of an engine's fingerprinter that texts go through, over an engine. */
export class TokenFingerprinter implements EngineFingerprinter {
  readonly engine: Engine;
  readonly features: FeatureOptions;
  readonly #words: EngineFingerprinter;
  readonly #stem: ((token: string) => string) | undefined;
  readonly #factor: ((low: number, high: number) => number) | undefined;

  constructor(method: Extract<Method, { by: 'tokens' }>, engine: Engine) {
    this.engine = engine;
    this.features = method.features;
    // `count` would keep no features.
    this.#words = engine.createFingerprinter({ ...method.features, weight: 'set' });
    this.#stem = method.stem === undefined ? undefined : createStemmer(method.stem);
    const frequency = method.documentFrequency;
    this.#factor = frequency && ((low, high) => frequency.factor(low, high));
  }

  fingerprint(text: Text): bigint | undefined {
    return this.describe(text).fingerprint;
  }

  fingerprintBatch(texts: readonly Text[]): FingerprintBatch {
    return describeAll(this, texts);
  }

  describe(text: Text): VoteResult {
    return this.vote(this.frequencies(text));
  }

  /**
   * As StepwiseFingerprinter says. What is one step: the tokens of a stretch without spaces, and the vote of the
   * text's distinct features.
   */
  *describeInSteps(text: Text): Generator<void, VoteResult, undefined> {
    const hasher = this.createHasher();
    yield* readInStrides(text, (chunk) => hasher.update(chunk));
    return hasher.digest();
  }

  frequencies(text: Text): Frequencies {
    // Without stems the engine finds the features of a whole text sooner.
    if (this.#stem === undefined) return this.#words.frequencies(text);
    const hasher = new TokenHasher(this);
    hasher.update(text);
    return hasher.frequencies();
  }

  /** The vote of the features of a text. */
  vote({ hashes, times }: Frequencies): VoteResult {
    const vote = this.engine.accumulate(hashes, this.weights({ hashes, times }));
    return { ...vote, features: times.reduce((sum, tf) => sum + tf, 0) };
  }

  /** What each of the features weighs. */
  weights({ hashes, times }: Frequencies): Float64Array {
    const lanes = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
    const weigh = WEIGHT_OF[this.features.weight];
    return times.map((tf, i) => {
      const weight = weigh(tf);
      return this.#factor === undefined
        ? weight
        : weight * this.#factor(lanes[2 * i] as number, lanes[2 * i + 1] as number);
    });
  }

  /** Tokens, stemmed, stop words left out. */
  tokens(text: Text): string[] {
    const tokens = this.#words.tokens(text);
    return this.#stem === undefined ? tokens : tokens.map(this.#stem);
  }

  createHasher(): Hasher {
    return new TokenHasher(this);
  }
}
