/**
 * Text in, vote out: reader, tokens, features and counters of one set of options, with their working memory,
 * which is reused from text to text. Takes text in chunks cut anywhere; the value is that of the whole. The
 * twin of native/core/fingerprint/text_hasher.
 */
import type { FeatureOptions, VoteResult } from '../../engine.ts';
import { TextReader } from '../text/text-reader.ts';
import { TokenBuffer } from '../text/token-buffer.ts';
import { CharSink, StopWords, type TokenSink, WordSink } from '../text/tokens.ts';
import { FeatureHasher } from './features.ts';
import type { FrequencyTable } from './frequency-table.ts';
import { FeatureVote } from './simhash.ts';

export class TextHasher {
  private readonly vote: FeatureVote;
  private readonly features: FeatureHasher;
  private readonly tokens: TokenBuffer;
  private readonly sink: TokenSink;
  private readonly reader: TextReader<TokenSink>;

  constructor(options: FeatureOptions) {
    this.vote = new FeatureVote(options.weight);
    this.features = new FeatureHasher(options.min, options.max, this.vote);
    this.tokens = new TokenBuffer(options.unit === 'words' ? 1 : 0);
    this.sink =
      options.unit === 'words'
        ? new WordSink(this.tokens, new StopWords(options.stopWords ?? []), this.features)
        : new CharSink(this.tokens, this.features);
    this.reader = new TextReader(this.sink);
  }

  /** Reads a chunk: a string as UTF-16, bytes as UTF-8. */
  update(chunk: string | Uint8Array): void {
    this.reader.read(chunk);
  }

  /** Ends the text. `result` and `merge` speak of finished text only. */
  finish(): void {
    this.reader.finish();
    this.sink.finish();
    this.features.finish(this.tokens);
  }

  /** Forgets everything, also after a failure halfway. */
  clear(): void {
    this.vote.clear();
    this.features.clear();
    this.tokens.clear();
    this.sink.clear();
    this.reader.clear();
  }

  /** Adds the features that another hasher of the same options has finished. */
  merge(other: TextHasher): void {
    this.vote.merge(other.vote);
  }

  get frequencies(): FrequencyTable {
    return this.vote.frequencies;
  }

  result(): VoteResult {
    return this.vote.result();
  }
}

/** The tokens of a text of words, stop words left out. */
export function listTokens(options: FeatureOptions, text: string | Uint8Array): string[] {
  const tokens = new TokenBuffer(1);
  const sink = new WordSink(tokens, new StopWords(options.stopWords ?? []), { take: () => undefined });
  const reader = new TextReader(sink);
  reader.read(text);
  reader.finish();
  sink.finish();
  if (tokens.count === 0) return [];
  return Buffer.from(tokens.bytes.buffer, 0, tokens.end(tokens.count - 1))
    .toString('utf8')
    .split(' ');
}
