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
  /** The features of a text, one for each distinct or repeated feature as the library counts them. */
  features(text: string): string[] | Map<string, number>;
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

/** How often each item occurs, in the order of first occurrence. */
export function countItems(items: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The windows of `width` code points; a shorter text is one window. */
export function windows(text: string, width: number): string[] {
  const characters = Array.from(text);
  const count = Math.max(characters.length - width + 1, 1);
  return Array.from({ length: count }, (_, i) => characters.slice(i, i + width).join(''));
}
