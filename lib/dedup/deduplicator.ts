/**
 * Keeps the first of each family of near-duplicates, in the order in which documents are offered: a document
 * is compared with all that were kept before it, by exact text first, then by fingerprint. Dropped documents
 * are not compared with, so families do not chain.
 *
 * Memory for each kept document: the index's entry, about 32 bytes for exact content, 8 bytes for the second
 * fingerprint, and 8 bytes and the characters of a string id. Single-threaded: use one instance from one thread.
 */
import { makeError } from '../errors.ts';
import { HammingIndex } from '../index/hamming-index.ts';
import type { Match } from '../index/match.ts';
import type { Recipe } from '../recipe/recipe.ts';
import { checkId, checkText, isArray, isObject, wrongType } from '../validate.ts';
import { Batch, type Reading } from './batch.ts';
import { Comparison, type DeduplicatorOptions, type Print } from './comparison.ts';
import { ContentTable, type Digest, digestOf } from './content-table.ts';
import type { Decision, DedupCounters, DedupDocument, DocumentId, Dropped } from './decision.ts';
import { KeptIds } from './kept-ids.ts';
import { SecondFingerprints } from './second-fingerprints.ts';

/** Slots are 32-bit in the content table. */
const MAX_SLOTS = 2 ** 32;

/** Candidates asked for at first, when they are to be verified. */
const CANDIDATES = 16;

const KEPT: Decision = Object.freeze({ kept: true });

/** A kept document near the one asked about, by slot. */
interface Neighbour {
  readonly slot: number;
  readonly distance: number;
  readonly verifyDistance: number;
}

/** Tells for each document whether it is the first of its family. */
export class Deduplicator {
  readonly #comparison: Comparison;
  readonly #index: HammingIndex;
  #content: ContentTable | undefined = new ContentTable();
  #ids = new KeptIds();
  #seconds = new SecondFingerprints();
  /** Documents kept; the next one's slot. */
  #kept = 0;
  #exact = 0;
  #near = 0;
  #withoutFingerprint = 0;
  #tooShort = 0;

  /** Throws NeardupError where an option has the wrong type, is out of range, or is no recipe for texts. */
  constructor(options?: DeduplicatorOptions) {
    this.#comparison = new Comparison(options);
    this.#index = new HammingIndex({ maxDistance: this.#comparison.maxDistance });
  }

  /** How a text becomes the fingerprint that is searched. */
  get recipe(): Recipe {
    return this.#comparison.recipe;
  }

  /** Greatest distance in bits of near-duplicates by `recipe`. */
  get maxDistance(): number {
    return this.#comparison.maxDistance;
  }

  /** How a text becomes the fingerprint that confirms; undefined: nothing does. */
  get verification(): Recipe | undefined {
    return this.#comparison.verification;
  }

  /** Greatest distance in bits of near-duplicates by `verification`. */
  get verifyDistance(): number {
    return this.#comparison.verifyDistance;
  }

  /** Documents with fewer features repeat only the very same text. */
  get minFeatures(): number {
    return this.#comparison.minFeatures;
  }

  /** Counts of the documents offered so far. */
  get counters(): DedupCounters {
    return {
      documents: this.#kept + this.#exact + this.#near,
      kept: this.#kept,
      exact: this.#exact,
      near: this.#near,
      withoutFingerprint: this.#withoutFingerprint,
      tooShort: this.#tooShort,
    };
  }

  /** True after close(). */
  get closed(): boolean {
    return this.#content === undefined;
  }

  /** Decides one document. Errors as offerBatch. */
  offer(document: DedupDocument): Decision {
    const checked = checkDocument(document, 'document');
    return this.#decide(this.#openContent(), [checked])[0] as Decision;
  }

  /**
   * Decides documents in order, as if offered one by one. Throws NeardupError, before any is decided, where a
   * document is not as it should be (ERR_NEARDUP_INVALID_TYPE, _OUT_OF_RANGE), after close()
   * (ERR_NEARDUP_CLOSED), or where memory is refused (ERR_NEARDUP_OUT_OF_MEMORY).
   */
  offerBatch(documents: readonly DedupDocument[]): Decision[] {
    if (!isArray(documents)) wrongType('documents', 'an array', documents);
    const checked = Array.from(documents, (document, i) => checkDocument(document, `documents[${i}]`));
    // Getters of the documents may close this.
    return this.#decide(this.#openContent(), checked);
  }

  /** Gives the memory back. Later offers throw; counters stay. May be called again. */
  close(): void {
    this.#content = undefined;
    this.#ids = new KeptIds();
    this.#seconds = new SecondFingerprints();
    this.#index.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #openContent(): ContentTable {
    if (this.#content === undefined) {
      throw makeError('ERR_NEARDUP_CLOSED', 'the deduplicator is closed');
    }
    return this.#content;
  }

  /** Reads, decides, then stores: what can fail comes before what changes. */
  #decide(content: ContentTable, documents: readonly DedupDocument[]): Decision[] {
    const readings = this.#read(content, documents);
    this.#reserve(content, documents);
    const batch = new Batch(this.#kept, this.maxDistance);
    try {
      const decisions = readings.map((reading, i): Decision => {
        const dropped = this.#findExact(reading, batch) ?? this.#findNear(reading, batch);
        if (dropped !== undefined) return dropped;
        const slot = batch.keep(reading, i === readings.length - 1);
        if (typeof reading.print === 'object') this.#seconds.set(slot, reading.print.second);
        return KEPT;
      });
      this.#store(content, batch.kept);
      for (const decision of decisions) {
        if (decision.kept) continue;
        if (decision.reason === 'exact') this.#exact++;
        else this.#near++;
      }
      return decisions;
    } finally {
      batch.close();
    }
  }

  #read(content: ContentTable, documents: readonly DedupDocument[]): Reading[] {
    const digests = documents.map(({ text }) => digestOf(text));
    const twins = digests.map((digest) => content.find(digest));
    // A text that is known is not fingerprinted.
    const prints = this.#comparison
      .read(documents.flatMap(({ text }, i) => (twins[i] === undefined ? [text] : [])))
      .values();
    return documents.map((document, i) => ({
      document,
      digest: digests[i] as Digest,
      twin: twins[i],
      print: twins[i] === undefined ? (prints.next().value as Print | 'short' | 'empty') : 'empty',
    }));
  }

  #findExact({ digest, twin }: Reading, batch: Batch): Dropped | undefined {
    const slot = twin ?? batch.find(digest);
    if (slot === undefined) return undefined;
    return { kept: false, reason: 'exact', keptId: this.#idOf(slot, batch), distance: 0 };
  }

  #findNear({ print }: Reading, batch: Batch): Dropped | undefined {
    if (typeof print === 'string') return undefined;
    const before = this.#nearest(this.#index, print);
    const within = batch.index && this.#nearest(batch.index, print);
    const near = within && (before === undefined || within.distance < before.distance) ? within : before;
    if (near === undefined) return undefined;
    const { slot, distance, verifyDistance } = near;
    const keptId = this.#idOf(slot, batch);
    if (this.verification === undefined) return { kept: false, reason: 'near', keptId, distance };
    return { kept: false, reason: 'near', keptId, distance, verifyDistance };
  }

  /** The nearest entry that is verified; of equally near ones, the one of the smallest slot. */
  #nearest(index: HammingIndex, { fingerprint, second }: Print): Neighbour | undefined {
    const verifies = this.verification !== undefined;
    for (let seen = 0, limit = verifies ? CANDIDATES : 1; ; limit *= 8) {
      const matches = index.query(fingerprint, { limit });
      for (; seen < matches.length; seen++) {
        const { id: slot, distance } = matches[seen] as Match;
        const verifyDistance = this.#seconds.distance(slot, second);
        if (!verifies || verifyDistance <= this.verifyDistance) return { slot, distance, verifyDistance };
      }
      if (matches.length < limit) return undefined;
    }
  }

  #idOf(slot: number, batch: Batch): DocumentId {
    return slot < this.#kept ? this.#ids.get(slot) : batch.at(slot).document.id;
  }

  /** Room for all documents, so that nothing can fail once the index has them. */
  #reserve(content: ContentTable, documents: readonly DedupDocument[]): void {
    const slots = this.#kept + documents.length;
    if (slots > MAX_SLOTS) throw makeError('ERR_NEARDUP_UNSUPPORTED', 'too many documents were kept');
    let bytes = 0;
    for (const { id } of documents) bytes += KeptIds.bytesOf(id);
    try {
      content.reserve(documents.length);
      this.#ids.reserve(slots, bytes);
      this.#seconds.reserve(slots);
    } catch (error) {
      // V8 refuses a typed array or a Buffer with a RangeError.
      if (!(error instanceof RangeError)) throw error;
      throw makeError('ERR_NEARDUP_OUT_OF_MEMORY', `no memory for ${documents.length} more documents`);
    }
  }

  /** Stores the kept documents: in the index, which may refuse them all, then in the rest, which cannot. */
  #store(content: ContentTable, kept: readonly Reading[]): void {
    const fingerprints: bigint[] = [];
    const slots: number[] = [];
    for (const [i, { print }] of kept.entries()) {
      if (typeof print === 'string') continue;
      fingerprints.push(print.fingerprint);
      slots.push(this.#kept + i);
    }
    this.#index.addBatch(BigUint64Array.from(fingerprints), slots);
    for (const { document, digest, print } of kept) {
      // A text without features says nothing that another could repeat.
      if (print !== 'empty') content.add(digest, this.#kept);
      this.#ids.set(this.#kept, document.id);
      if (print === 'empty') this.#withoutFingerprint++;
      if (print === 'short') this.#tooShort++;
      this.#kept++;
    }
  }
}

/** The document's two fields, read once: what was checked is what is used. */
function checkDocument(document: unknown, name: string): DedupDocument {
  if (!isObject(document)) wrongType(name, 'an object {id, text}', document);
  const { id, text } = document as { id?: unknown; text?: unknown };
  const content = checkText(`${name}.text`, text);
  if (typeof id === 'string') return { id, text: content };
  if (typeof id !== 'number') wrongType(`${name}.id`, 'a string or a number', id);
  return { id: checkId(`${name}.id`, id), text: content };
}
