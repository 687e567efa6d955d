/**
 * Keeps the first of each family of near-duplicates, in the order in which documents are offered: a document
 * is compared with all that were kept before it, by exact text first, then by fingerprint. Dropped documents
 * are not compared with, so families do not chain.
 *
 * Memory for each kept document: the index's entry, about 32 bytes for exact content, and 8 bytes and the
 * characters of a string id. Single-threaded: use one instance from one thread.
 */
import { makeError } from '../errors.ts';
import { createFingerprinter, type Fingerprinter } from '../fingerprint/fingerprinter.ts';
import { HammingIndex } from '../index/hamming-index.ts';
import { DEFAULT_RECIPE } from '../recipe/defaults.ts';
import type { Recipe } from '../recipe/recipe.ts';
import { checkId, checkOptions, checkText, wrongType } from '../validate.ts';
import { ContentTable, type Digest, digestOf } from './content-table.ts';
import type { Decision, DedupCounters, DedupDocument, DocumentId } from './decision.ts';
import { KeptIds } from './kept-ids.ts';

/** How documents are compared. */
export interface DeduplicatorOptions {
  /** Greatest Hamming distance in bits of near-duplicates, 0 to 8. Default 3. */
  readonly maxDistance?: number;
  /** How a text becomes a fingerprint: a recipe or its canonical text. Default: DEFAULT_RECIPE. */
  readonly recipe?: Recipe | string;
}

/** Slots are 32-bit in the content table. */
const MAX_SLOTS = 2 ** 32;

const KEPT: Decision = Object.freeze({ kept: true });

/** Tells for each document whether it is the first of its family. */
export class Deduplicator {
  readonly maxDistance: number;
  readonly recipe: Recipe;
  readonly #fingerprinter: Fingerprinter;
  readonly #index: HammingIndex;
  #content: ContentTable | undefined = new ContentTable();
  #ids = new KeptIds();
  /** The first slot that no kept document has. */
  #nextSlot = 0;
  #documents = 0;
  #exact = 0;
  #near = 0;
  #withoutFingerprint = 0;

  /** Throws NeardupError where an option has the wrong type, is out of range, or is no recipe. */
  constructor(options?: DeduplicatorOptions) {
    const { maxDistance = 3, recipe = DEFAULT_RECIPE } = checkOptions('options', options);
    this.#fingerprinter = createFingerprinter(recipe);
    this.recipe = this.#fingerprinter.recipe;
    this.#index = new HammingIndex({ maxDistance });
    this.maxDistance = maxDistance;
  }

  /** Counts of the documents offered so far. */
  get counters(): DedupCounters {
    return {
      documents: this.#documents,
      kept: this.#documents - this.#exact - this.#near,
      exact: this.#exact,
      near: this.#near,
      withoutFingerprint: this.#withoutFingerprint,
    };
  }

  /** True after close(). */
  get closed(): boolean {
    return this.#content === undefined;
  }

  /** Decides one document. Errors as offerBatch. */
  offer(document: DedupDocument): Decision {
    const content = this.#openContent();
    return this.#decide(content, [checkDocument(document, 'document')])[0] as Decision;
  }

  /**
   * Decides documents in order, as if offered one by one. Throws NeardupError, before any is decided, where a
   * document is not as it should be (ERR_NEARDUP_INVALID_TYPE, _OUT_OF_RANGE), after close()
   * (ERR_NEARDUP_CLOSED), or where memory is refused (ERR_NEARDUP_OUT_OF_MEMORY).
   */
  offerBatch(documents: readonly DedupDocument[]): Decision[] {
    const content = this.#openContent();
    if (!Array.isArray(documents)) wrongType('documents', 'an array', documents);
    const checked = Array.from(documents, (document, i) => checkDocument(document, `documents[${i}]`));
    return this.#decide(content, checked);
  }

  /** Gives the memory back. Later offers throw; counters stay. May be called again. */
  close(): void {
    this.#content = undefined;
    this.#ids = new KeptIds();
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

  #decide(content: ContentTable, documents: readonly DedupDocument[]): Decision[] {
    const digests = documents.map(({ text }) => digestOf(text));
    // A text that is known is not fingerprinted; the same text twice in this batch comes out below.
    const fingerprints = documents.map(({ text }, i) =>
      content.find(digests[i] as Digest) === undefined ? this.#fingerprinter.fingerprint(text) : undefined,
    );
    this.#reserve(content, documents);
    const neighbours = this.#addFingerprints(fingerprints);

    const firstSlot = this.#nextSlot;
    return documents.map(({ id }, i) => {
      this.#documents++;
      const twin = content.find(digests[i] as Digest);
      if (twin !== undefined) {
        this.#exact++;
        return { kept: false, reason: 'exact', keptId: this.#ids.get(twin), distance: 0 };
      }
      const near = neighbours[i];
      if (near !== undefined) {
        this.#near++;
        return { kept: false, reason: 'near', keptId: this.#ids.get(near.id), distance: near.distance };
      }
      if (fingerprints[i] === undefined) this.#withoutFingerprint++;
      this.#keep(content, digests[i] as Digest, firstSlot + i, id);
      return KEPT;
    });
  }

  #keep(content: ContentTable, digest: Digest, slot: number, id: DocumentId): void {
    content.add(digest, slot);
    this.#ids.set(slot, id);
    this.#nextSlot = slot + 1;
  }

  /** Room for all documents, so that nothing can fail once the index has them. */
  #reserve(content: ContentTable, documents: readonly DedupDocument[]): void {
    const slots = this.#nextSlot + documents.length;
    if (slots > MAX_SLOTS) throw makeError('ERR_NEARDUP_UNSUPPORTED', 'too many documents were kept');
    let bytes = 0;
    for (const { id } of documents) bytes += KeptIds.bytesOf(id);
    try {
      content.reserve(documents.length);
      this.#ids.reserve(slots, bytes);
    } catch (error) {
      // V8 refuses a typed array or a Buffer with a RangeError.
      if (!(error instanceof RangeError)) throw error;
      throw makeError('ERR_NEARDUP_OUT_OF_MEMORY', `no memory for ${documents.length} more documents`);
    }
  }

  /** Adds what is new to the index under its slot; gives the nearest kept slot of what is not. */
  #addFingerprints(fingerprints: readonly (bigint | undefined)[]): Neighbour[] {
    const places: number[] = [];
    for (const [i, fingerprint] of fingerprints.entries()) if (fingerprint !== undefined) places.push(i);
    const { added, nearestIds, nearestDistances } = this.#index.addIfNewBatch(
      BigUint64Array.from(places, (i) => fingerprints[i] as bigint),
      Float64Array.from(places, (i) => this.#nextSlot + i),
    );
    const neighbours: Neighbour[] = new Array(fingerprints.length).fill(undefined);
    for (const [j, i] of places.entries()) {
      if (added[j] === 1) continue;
      neighbours[i] = { id: nearestIds[j] as number, distance: nearestDistances[j] as number };
    }
    return neighbours;
  }
}

/** The nearest kept document, by slot; undefined when none is near. */
type Neighbour = { readonly id: number; readonly distance: number } | undefined;

/** The document's two fields, read once: what was checked is what is used. */
function checkDocument(document: unknown, name: string): DedupDocument {
  if (typeof document !== 'object' || document === null) wrongType(name, 'an object {id, text}', document);
  const { id, text } = document as { id?: unknown; text?: unknown };
  const content = checkText(`${name}.text`, text);
  if (typeof id === 'string') return { id, text: content };
  if (typeof id !== 'number') wrongType(`${name}.id`, 'a string or a number', id);
  return { id: checkId(`${name}.id`, id), text: content };
}
