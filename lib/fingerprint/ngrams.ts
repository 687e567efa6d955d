/** N-grams of tokens that arrive in pieces. */

/** Tokens in, n-grams of min to max tokens out; fewer tokens than min are one n-gram. */
export class Ngrams {
  #tail: string[] = [];
  #any = false;

  constructor(
    private readonly min: number,
    private readonly max: number,
    private readonly take: (ngram: string) => void,
  ) {}

  push(tokens: readonly string[]): void {
    const before = this.#tail.length;
    const all = before === 0 ? tokens : this.#tail.concat(tokens);
    for (let end = before + 1; end <= all.length; end++) {
      for (let width = this.min; width <= this.max && width <= end; width++) {
        this.take(width === 1 ? (all[end - 1] as string) : all.slice(end - width, end).join(' '));
        this.#any = true;
      }
    }
    this.#tail = all.slice(Math.max(all.length - this.max + 1, 0));
  }

  finish(): void {
    if (!this.#any && this.#tail.length > 0) this.take(this.#tail.join(' '));
    this.#tail = [];
  }
}
