/**
 * Features of a text: every run of min to max consecutive tokens, hashed where it stands in the token buffer.
 * A text with fewer than min tokens is one feature; one without tokens has none. The twin of
 * native/core/fingerprint/features.
 */
import type { TokenBuffer } from '../text/token-buffer.ts';
import type { TokenConsumer } from '../text/tokens.ts';
import type { FeatureVote } from './simhash.ts';
import { xxh3 } from './xxh3.ts';

const BATCH = 256;

export class FeatureHasher implements TokenConsumer {
  // Tokens at the head of the buffer that are there only for features that end later.
  private taken = 0;
  // Whether the text has had a feature.
  private any = false;
  private readonly hashes = new Uint32Array(2 * BATCH);

  constructor(
    private readonly min: number,
    private readonly max: number,
    private readonly vote: FeatureVote,
  ) {}

  /** Hashes the features that end at tokens not taken before; forgets the tokens that no later one needs. */
  take(tokens: TokenBuffer): void {
    const { hashes, vote } = this;
    const { count, view } = tokens;
    for (let width = this.min; width <= this.max; width++) {
      for (let i = Math.max(this.taken, width - 1); i < count; ) {
        const batch = Math.min(BATCH, count - i);
        for (let j = 0; j < batch; j++, i++) {
          const start = tokens.start(i + 1 - width);
          xxh3(view, start, tokens.end(i) - start, 0, 0, hashes, 2 * j);
        }
        vote.add(hashes, batch);
        this.any = true;
      }
    }
    this.taken = Math.min(count, this.max - 1);
    tokens.keep(this.taken);
  }

  /** Ends the text: takes what is left and empties the buffer; ready for another text. */
  finish(tokens: TokenBuffer): void {
    this.take(tokens);
    const { count } = tokens;
    // Fewer than min tokens: all of them are still there.
    if (count > 0 && !this.any) {
      xxh3(tokens.view, 0, tokens.end(count - 1), 0, 0, this.hashes, 0);
      this.vote.add(this.hashes, 1);
    }
    tokens.clear();
    this.clear();
  }

  /** Forgets a text that was not finished. */
  clear(): void {
    this.taken = 0;
    this.any = false;
  }
}
