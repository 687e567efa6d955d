/**
 * Weights by document frequency: a feature that few documents have says more. With tf the weight by the number
 * of occurrences (1, tf or 1 + ln tf), N documents, and df the documents among them that have the feature,
 *
 *     weight = tf × (1 + ln((1 + N) / (1 + df)))
 *
 * the smooth inverse document frequency of scikit-learn's TfidfTransformer. A feature that the map does not have
 * has df = 0 and weighs most; one that every document has weighs tf. O(1) a feature; 16 to 32 bytes an entry.
 */
import { currentEngine } from '../backend.ts';
import type { FeatureOptions } from '../engine.ts';
import { FrequencyTable } from '../ts/fingerprint/frequency-table.ts';
import { checkInteger, checkOptions, isObject, wrongType } from '../validate.ts';
import { hashLines } from './stop-words.ts';
import { checkWeighting } from './weighting.ts';

/** What `documentFrequency` is given. */
export interface DocumentFrequencyOptions {
  /** N: the number of documents that were counted, 1 to 2^53 - 1. */
  readonly documents: number;
  /** df of each feature, as `Fingerprinter.features` names it: integers, 0 to N. */
  readonly frequencies: ReadonlyMap<string, number> | Readonly<Record<string, number>>;
  /** The weight by occurrences in the text: `set` 1, `count` tf, `log` 1 + ln tf. Default `log`. */
  readonly tf?: FeatureOptions['weight'];
}

/** A weighting by document frequency: the `weight` of a recipe. */
export class DocumentFrequency {
  readonly tf: FeatureOptions['weight'];
  /** `DOCUMENTS/FEATURES/HASH`: what a canonical text says of the map. */
  readonly name: string;
  readonly #documents: number;
  readonly #table = new FrequencyTable();

  /** Use `documentFrequency`. */
  constructor(tf: FeatureOptions['weight'], documents: number, frequencies: ReadonlyMap<string, number>) {
    this.tf = tf;
    this.#documents = documents;
    const features = [...frequencies.keys()].sort();
    const lines = features.map((feature) => `${JSON.stringify(feature)}\t${frequencies.get(feature)}`);
    this.name = `${documents}/${features.length}/${hashLines(lines)}`;
    const hashes = new Uint32Array(currentEngine().hashStrings(features).buffer);
    for (const [i, feature] of features.entries()) {
      this.#table.add(hashes[2 * i], hashes[2 * i + 1], frequencies.get(feature) as number);
    }
  }

  /** 1 + ln((1 + N) / (1 + df)) of the feature with this hash (lanes). */
  factor(low: number, high: number): number {
    const df = Math.min(this.#table.get(low, high), this.#documents);
    return 1 + Math.log((1 + this.#documents) / (1 + df));
  }
}

/**
 * The weighting by a map of document frequencies. Throws NeardupError (ERR_NEARDUP_INVALID_TYPE,
 * ERR_NEARDUP_OUT_OF_RANGE) for a frequency that is no integer from 0 to `documents`.
 */
export function documentFrequency(options: DocumentFrequencyOptions): DocumentFrequency {
  const {
    documents,
    frequencies,
    tf = 'log',
  } = checkOptions('options', options, ['documents', 'frequencies', 'tf']);
  const most = checkInteger('documents', documents, 1, Number.MAX_SAFE_INTEGER - 1);
  if (!isObject(frequencies)) {
    wrongType('frequencies', 'a Map or an object', frequencies);
  }
  const entries = frequencies instanceof Map ? frequencies.entries() : Object.entries(frequencies);
  const checked = new Map<string, number>();
  for (const [feature, df] of entries as Iterable<[unknown, unknown]>) {
    if (typeof feature !== 'string') wrongType('a key of frequencies', 'a string', feature);
    // Absent and 0 are the same, also in the canonical text.
    if (checkInteger(`the frequency of ${JSON.stringify(feature.slice(0, 40))}`, df, 0, most) > 0) {
      checked.set(feature, df as number);
    }
  }
  return new DocumentFrequency(checkWeighting(tf, 'tf'), most, checked);
}
