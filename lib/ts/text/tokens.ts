/**
 * Sinks of TextReader that write tokens into a TokenBuffer and hand full buffers on. The twin of
 * native/core/text/tokens.
 *
 * Words: runs of letters, marks and numbers. In scripts without spaces between words a run gives its bigrams
 * of code points, a run of one that code point; such a run and a word next to it are separate. Everything
 * else separates. Chars: each code point is a token; a run of separators is one space, none at either end.
 */
import { xxh3 } from '../fingerprint/xxh3.ts';
import type { CodePointSink } from './text-reader.ts';
import type { TokenBuffer } from './token-buffer.ts';
import { SPACELESS, WORD } from './unicode.ts';

/** Is handed the tokens now and then, and may forget them. */
export interface TokenConsumer {
  take(tokens: TokenBuffer): void;
}

/** A sink that can be told where a text ends, and used again. */
export interface TokenSink extends CodePointSink {
  /** Ends the text. */
  finish(): void;
  /** Forgets a text that was not finished. */
  clear(): void;
}

/** Words to be left out: the XXH3-64 of their folded UTF-8. */
export class StopWords {
  // High halves of the hashes by low half.
  private readonly hashes = new Map<number, number[]>();
  private readonly hash = new Uint32Array(2);

  constructor(words: readonly string[]) {
    const encoder = new TextEncoder();
    for (const word of words) {
      const bytes = encoder.encode(word);
      xxh3(new DataView(bytes.buffer, bytes.byteOffset), 0, bytes.length, 0, 0, this.hash, 0);
      const [low, high] = this.hash;
      this.hashes.set(low, [...(this.hashes.get(low) ?? []), high]);
    }
  }

  get size(): number {
    return this.hashes.size;
  }

  has(view: DataView, start: number, size: number): boolean {
    xxh3(view, start, size, 0, 0, this.hash, 0);
    return this.hashes.get(this.hash[0])?.includes(this.hash[1]) ?? false;
  }
}

const BATCH = 1024;
const NONE = 0;

export class WordSink implements TokenSink {
  // The class of the run being read.
  private run = NONE;
  // The last code point of a run of a script without spaces, and whether it stands alone so far.
  private previous = 0;
  private alone = false;
  private readonly stopWords: StopWords | undefined;

  constructor(
    private readonly tokens: TokenBuffer,
    stopWords: StopWords,
    private readonly consumer: TokenConsumer,
  ) {
    this.stopWords = stopWords.size > 0 ? stopWords : undefined;
  }

  codePoint(folded: number, flags: number): void {
    const kind = flags & (WORD | SPACELESS);
    if (kind !== this.run) this.beginRun(kind);
    if (kind === WORD) this.tokens.append(folded);
    else if (kind === SPACELESS) this.spaceless(folded);
  }

  finish(): void {
    this.beginRun(NONE);
  }

  clear(): void {
    this.run = NONE;
    this.previous = 0;
  }

  private spaceless(folded: number): void {
    const { tokens } = this;
    this.alone = this.previous === 0;
    if (!this.alone) {
      tokens.append(this.previous);
      tokens.append(folded);
      this.close();
    }
    this.previous = folded;
  }

  private beginRun(kind: number): void {
    if (this.run === WORD) {
      this.close();
    } else if (this.run === SPACELESS) {
      if (this.alone) {
        this.tokens.append(this.previous);
        this.close();
      }
      this.previous = 0;
    }
    this.run = kind;
  }

  private close(): void {
    const { tokens } = this;
    if (this.stopWords?.has(tokens.view, tokens.start(tokens.count), tokens.openSize)) {
      tokens.drop();
      return;
    }
    tokens.close();
    if (tokens.count >= BATCH) this.consumer.take(tokens);
  }
}

export class CharSink implements TokenSink {
  // A character has been written; separators stand between it and the next.
  private started = false;
  private separated = false;

  constructor(
    private readonly tokens: TokenBuffer,
    private readonly consumer: TokenConsumer,
  ) {}

  codePoint(folded: number, flags: number): void {
    if ((flags & (WORD | SPACELESS)) === 0) {
      this.separated = true;
      return;
    }
    const { tokens } = this;
    if (this.separated && this.started) {
      tokens.appendByte(0x20);
      tokens.close();
    }
    this.started = true;
    this.separated = false;
    tokens.append(folded);
    tokens.close();
    if (tokens.count >= BATCH) this.consumer.take(tokens);
  }

  finish(): void {
    this.clear();
  }

  clear(): void {
    this.started = false;
    this.separated = false;
  }
}
