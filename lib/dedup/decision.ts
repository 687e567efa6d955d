/** What the deduplicator is given and what it answers. */

/** Names a document to its caller: a string, or a safe integer of 0 or more. Need not be unique. */
export type DocumentId = string | number;

/** A document: its id, and its text as a string or as UTF-8 bytes. */
export interface DedupDocument {
  readonly id: DocumentId;
  readonly text: string | Uint8Array;
}

/** Nothing kept before is the same or near: the document is kept. */
export interface Kept {
  readonly kept: true;
}

/** The document repeats one that was kept before. */
export interface Dropped {
  readonly kept: false;
  /** `exact`: the same text; `near`: a fingerprint within maxDistance, confirmed by the second one. */
  readonly reason: 'exact' | 'near';
  /** The kept document that it repeats: the nearest one, of equally near ones the first. */
  readonly keptId: DocumentId;
  /** Hamming distance of the two fingerprints in bits; 0 for an exact repeat. */
  readonly distance: number;
  /** Hamming distance in bits of the two second fingerprints, where they confirmed that it is near. */
  readonly verifyDistance?: number;
}

/** What became of a document. */
export type Decision = Kept | Dropped;

/** Counts of documents so far. documents = kept + exact + near. */
export interface DedupCounters {
  readonly documents: number;
  readonly kept: number;
  /** Dropped with the text of a kept one. */
  readonly exact: number;
  /** Dropped as near a kept one. */
  readonly near: number;
  /** Kept without a fingerprint: the text has no features, so only an exact repeat of it is dropped. */
  readonly withoutFingerprint: number;
  /** Kept with fewer features than minFeatures: again only an exact repeat of it is dropped. */
  readonly tooShort: number;
}
