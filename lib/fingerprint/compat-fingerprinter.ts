/**
 * Fingerprints that equal another library's. Features are counted while the text comes in, hashed and voted on at
 * its end. A text without features has no fingerprint here, whatever the library makes of it.
 */
import type {
  Engine,
  Fingerprinter as EngineFingerprinter,
  FingerprintBatch,
  Frequencies,
  Hasher,
  VoteResult,
} from '../engine.ts';
import { makeError } from '../errors.ts';
import { type CompatRecipe, hashFeatures, lastCut, type Tie } from '../recipe/compat/features.ts';
import { guardMemory } from '../ts/base/memory.ts';
import { readInStrides } from '../ts/fingerprint/batch-job.ts';
import { describeAll } from '../ts/fingerprint/fingerprinter.ts';
import { ChunkDecoder } from './chunk-decoder.ts';

type Text = string | Uint8Array;

/** Features hashed between two pauses. */
const GROUP = 1 << 10;

/** What a vote decides where a counter of zero gives `tie`. */
export function decide(margins: Float64Array, tie: Tie): bigint {
  return margins.reduceRight(
    (bits, margin) => (bits << 1n) | (margin > 0 || (margin === 0 && tie === 1) ? 1n : 0n),
    0n,
  );
}

/** Items in arrays of `size`; the last may be shorter. */
function* groupsOf<T>(items: Iterable<T>, size: number): Generator<T[], undefined, undefined> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** The vote so far: margins and weights are exact, so that they add up in any order. */
class Tally {
  features = 0;
  weight = 0;
  readonly margins = new Float64Array(64);

  add({ features, weight, margins }: Pick<VoteResult, 'features' | 'weight' | 'margins'>): void {
    this.features += features;
    this.weight += weight;
    for (const [i, margin] of margins.entries()) this.margins[i] = (this.margins[i] as number) + margin;
  }
}

class CompatHasher implements Hasher {
  readonly #decoder = new ChunkDecoder();
  readonly #counter: ReturnType<CompatRecipe['createCounter']>;
  readonly #tally = new Tally();
  /** Text after the last cut so far. */
  #waiting: string[] = [];
  #state: 'open' | 'finished' | 'failed' = 'open';

  constructor(
    private readonly compat: CompatRecipe,
    private readonly engine: Engine,
  ) {
    this.#counter = compat.createCounter();
  }

  update(chunk: Text): void {
    if (this.#state === 'finished') {
      throw makeError('ERR_NEARDUP_CLOSED', 'the hasher was digested or merged; create another one');
    }
    this.#failBefore();
    this.#state = 'failed';
    // More distinct features than a Map holds.
    guardMemory(() => {
      for (const piece of this.#decoder.decode(chunk)) this.#read(piece);
    });
    this.#state = 'open';
  }

  digest(): VoteResult {
    this.#finish();
    const { features, weight, margins } = this.#tally;
    return {
      fingerprint: features === 0 ? undefined : decide(margins, this.compat.tie),
      features,
      weight,
      margins: margins.slice(),
    };
  }

  merge(other: CompatHasher): void {
    this.#finish();
    other.#finish();
    this.#tally.add(other.#tally);
  }

  /** Ends the text, yielding where the work may pause. */
  *finishInSteps(): Generator<void, void, undefined> {
    this.#failBefore();
    if (this.#state === 'finished') return;
    this.#state = 'failed';
    this.#waiting.push(this.#decoder.end());
    this.#counter.read(this.#waiting.join(''));
    this.#waiting = [];
    for (const group of groupsOf(this.#counter.finish(), GROUP)) {
      yield;
      const { hashes, weights } = hashFeatures(this.compat, group);
      const vote = this.engine.accumulate(hashes, weights);
      // A feature counts as often as it occurs.
      this.#tally.add({ ...vote, features: vote.weight });
    }
    this.#state = 'finished';
  }

  #finish(): void {
    guardMemory(() => {
      for (const _ of this.finishInSteps());
    });
  }

  #failBefore(): void {
    if (this.#state === 'failed') {
      throw makeError('ERR_NEARDUP_CLOSED', 'the hasher ran out of memory before; create another one');
    }
  }

  #read(piece: string): void {
    const cut = lastCut(piece);
    if (cut > 0) {
      this.#waiting.push(piece.slice(0, cut));
      this.#counter.read(this.#waiting.join(''));
      this.#waiting = [];
    }
    this.#waiting.push(piece.slice(cut));
  }
}

/** The part of an engine's fingerprinter that texts go through, by the way of another library. */
export class CompatFingerprinter implements EngineFingerprinter {
  constructor(
    private readonly compat: CompatRecipe,
    private readonly engine: Engine,
  ) {}

  fingerprint(text: Text): bigint | undefined {
    return this.describe(text).fingerprint;
  }

  fingerprintBatch(texts: readonly Text[]): FingerprintBatch {
    return describeAll(this, texts);
  }

  describe(text: Text): VoteResult {
    const hasher = this.createHasher();
    hasher.update(text);
    return hasher.digest();
  }

  /**
   * As StepwiseFingerprinter says. What is one step: a stretch of text without white space or ideographs.
   */
  *describeInSteps(text: Text): Generator<void, VoteResult, undefined> {
    const hasher = new CompatHasher(this.compat, this.engine);
    yield* readInStrides(text, (chunk) => hasher.update(chunk));
    yield* hasher.finishInSteps();
    return hasher.digest();
  }

  /** The distinct features of a text. */
  tokens(text: Text): string[] {
    return [...this.countFeatures(text).keys()];
  }

  /** How often each feature of a text occurs. */
  countFeatures(text: Text): Map<string, number> {
    return guardMemory(() => {
      const counter = this.compat.createCounter();
      counter.read(
        typeof text === 'string' ? text : new TextDecoder('utf-8', { ignoreBOM: true }).decode(text),
      );
      return new Map(counter.finish());
    });
  }

  /** By the library's own hashes. */
  frequencies(text: Text): Frequencies {
    const table = new Map<bigint, number>();
    for (const [feature, times] of this.countFeatures(text)) {
      const hash = this.compat.hash(feature);
      table.set(hash, (table.get(hash) ?? 0) + times);
    }
    const hashes = BigUint64Array.from(table.keys()).sort();
    return { hashes, times: Float64Array.from(hashes, (hash) => table.get(hash) as number) };
  }

  createHasher(): Hasher {
    return new CompatHasher(this.compat, this.engine);
  }
}
