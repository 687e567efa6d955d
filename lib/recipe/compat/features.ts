/** What a compat recipe makes of a text: 64-bit feature hashes, each with its weight. */
export interface HashedFeatures {
  readonly hashes: BigUint64Array;
  /** One weight for each hash, finite and >= 0. */
  readonly weights: Float64Array;
}

/** How a library decides a bit whose counter is zero. */
export type Tie = 0 | 1;

/** Another library's way from text, or from features, to a fingerprint. */
export interface CompatRecipe {
  /** The library's name, as in its golden vectors. */
  readonly name: string;
  /** The value of a bit whose counter is zero. */
  readonly tie: Tie;
  /** The 64-bit hash of one feature. */
  hash(feature: string): bigint;
  /** For the features of one text. */
  createCounter(): FeatureCounter;
}

/** Counts the features of a text that comes in pieces, as the library counts them. */
export interface FeatureCounter {
  /** A piece begins and ends where lower-casing and words may be cut: see `lastCut`. */
  read(piece: string): void;
  /** Ends the text: what each feature weighs. */
  finish(): ReadonlyMap<string, number>;
}

// White space, kana, ideographs and Hangul syllables: no library has a word that needs them together with what
// follows, and lower-casing what follows does not look past them.
const CUT = /[\t\n\r \u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]/;

/** Behind the last place where a text can be cut, or 0. */
export function lastCut(text: string): number {
  let at = text.length;
  while (at > 0 && !CUT.test(text[at - 1] as string)) at--;
  return at;
}

/** Hashes features by the recipe; a list weighs 1 an item, a map gives the weights. */
export function hashFeatures(
  recipe: CompatRecipe,
  features: Iterable<string> | Iterable<readonly [string, number]>,
): HashedFeatures {
  const hashes: bigint[] = [];
  const weights: number[] = [];
  for (const item of features) {
    const [feature, weight] = typeof item === 'string' ? [item, 1] : item;
    hashes.push(recipe.hash(feature));
    weights.push(weight);
  }
  return { hashes: BigUint64Array.from(hashes), weights: Float64Array.from(weights) };
}

/** Adds one occurrence of an item. */
export function countItem(counts: Map<string, number>, item: string): void {
  counts.set(item, (counts.get(item) ?? 0) + 1);
}

/** The windows of `width` code points of a text that comes in pieces; a shorter text is one window, but for ''. */
export class Windows {
  #tail: string[] = [];
  #any = false;

  constructor(
    private readonly width: number,
    private readonly take: (window: string) => void,
  ) {}

  read(piece: string): void {
    const characters = [...this.#tail, ...Array.from(piece)];
    for (let end = this.width; end <= characters.length; end++) {
      this.take(characters.slice(end - this.width, end).join(''));
      this.#any = true;
    }
    this.#tail = characters.slice(Math.max(characters.length - this.width + 1, 0));
  }

  finish(): void {
    if (!this.#any && this.#tail.length > 0) this.take(this.#tail.join(''));
  }
}
