/** Joins chunks of a text, strings and UTF-8 bytes cut anywhere, into one string as the engines would read it. */

/** Bytes decoded at a time. */
const STEP = 1 << 16;

export class ChunkDecoder {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #inside = false;

  /** The text of a chunk, in pieces; bytes of a code point that is not complete wait for the next chunk. */
  *decode(chunk: string | Uint8Array): Generator<string, void, undefined> {
    if (chunk.length === 0) return;
    if (typeof chunk === 'string') {
      yield this.end();
      for (let at = 0; at < chunk.length; at += STEP) yield chunk.slice(at, at + STEP);
      return;
    }
    for (let at = 0; at < chunk.length; at += STEP) {
      this.#inside = true;
      yield this.#decoder.decode(chunk.subarray(at, at + STEP), { stream: true });
    }
  }

  /** What is left: U+FFFD for a code point that was not completed. */
  end(): string {
    if (!this.#inside) return '';
    this.#inside = false;
    return this.#decoder.decode();
  }
}
