/** Snowball stems of tokens, by the library snowball-stemmers, remembered. */
import { outOfRange, wrongType } from '../validate.ts';
import { loadStemmers } from './libraries.ts';

/** Stems remembered at a time. */
const CACHED = 1 << 16;

/** The longest token that is stemmed, in UTF-16 units; no word of a language is longer. */
const LONGEST = 64;

/** The Snowball algorithm that an option names: `english`, `german`, … */
export function checkAlgorithm(value: unknown): string {
  if (typeof value !== 'string') wrongType('stem', 'the name of a Snowball algorithm', value);
  const algorithms = loadStemmers().algorithms();
  if (!algorithms.includes(value)) outOfRange('stem', `one of ${algorithms.join(', ')}`, value);
  return value;
}

/** A function from token to stem. A token that stems to nothing stays. */
export function createStemmer(algorithm: string): (token: string) => string {
  const stemmer = loadStemmers().newStemmer(algorithm);
  const known = new Map<string, string>();
  return (token) => {
    if (token.length > LONGEST) return token;
    let stem = known.get(token);
    if (stem !== undefined) return stem;
    if (known.size === CACHED) known.clear();
    stem = stemmer.stem(token) || token;
    known.set(token, stem);
    return stem;
  };
}
