/** Deduplication of documents that arrive: an async generator and a Transform stream. */
import { Transform, type TransformCallback } from 'node:stream';
import { checkCallback, checkOptions, isIterable, wrongType } from '../validate.ts';
import type { DeduplicatorOptions } from './comparison.ts';
import type { DedupCounters, DedupDocument, Dropped } from './decision.ts';
import { Deduplicator } from './deduplicator.ts';

/** Options of dedup() and DedupStream. */
export interface DedupOptions<D extends DedupDocument = DedupDocument> extends DeduplicatorOptions {
  /** Called for each document that is dropped, with the reason, in order. */
  readonly onDropped?: (document: D, dropped: Dropped) => void;
}

/**
 * Yields the documents of `source` that repeat none before them: the objects themselves, in order, each as
 * soon as it is read. Throws NeardupError for a document without id or text, and what `source` throws.
 */
export async function* dedup<D extends DedupDocument>(
  source: AsyncIterable<D> | Iterable<D>,
  options?: DedupOptions<D>,
): AsyncGenerator<D, void, undefined> {
  if (!isIterable(source, true)) wrongType('source', 'an iterable or async iterable of documents', source);
  const { onDropped, ...comparison } = checkOptions('options', options);
  checkCallback('options.onDropped', onDropped);
  const deduplicator = new Deduplicator(comparison);
  try {
    for await (const document of source) {
      const decision = deduplicator.offer(document);
      if (decision.kept) yield document;
      else onDropped?.(document, decision);
    }
  } finally {
    deduplicator.close();
  }
}

/** An object-mode stream: documents in, documents out that repeat none before them. */
export class DedupStream<D extends DedupDocument = DedupDocument> extends Transform {
  readonly #deduplicator: Deduplicator;
  readonly #onDropped: DedupOptions<D>['onDropped'];

  /** Errors as new Deduplicator(). A bad document, or an error thrown by onDropped, destroys the stream with it. */
  constructor(options?: DedupOptions<D>) {
    super({ objectMode: true });
    const { onDropped, ...comparison } = checkOptions('options', options);
    checkCallback('options.onDropped', onDropped);
    this.#deduplicator = new Deduplicator(comparison);
    this.#onDropped = onDropped;
  }

  /** Counts of the documents so far; also after the end. */
  get counters(): DedupCounters {
    return this.#deduplicator.counters;
  }

  override _transform(document: D, _encoding: BufferEncoding, callback: TransformCallback): void {
    try {
      const decision = this.#deduplicator.offer(document);
      if (decision.kept) this.push(document);
      else this.#onDropped?.(document, decision);
      callback();
    } catch (error) {
      callback(error instanceof Error ? error : new Error('onDropped threw', { cause: error }));
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#deduplicator.close();
    callback(error);
  }
}
