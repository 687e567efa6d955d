/**
 * The libraries that recipes may name, loaded when the first such recipe is made. Their versions are part of a
 * recipe's canonical text: another version may give other fingerprints, so it is refused.
 */
import { createRequire } from 'node:module';
import { makeError } from '../errors.ts';

const require = createRequire(import.meta.url);

/** Name and version as canonical texts carry them. */
export const STOP_WORDS_LIBRARY = 'stopwords-iso/1.1.0';
export const STEMMER_LIBRARY = 'snowball-stemmers/0.6.0';

/** The stemmers of snowball-stemmers. */
export interface StemmerLibrary {
  algorithms(): string[];
  newStemmer(algorithm: string): { stem(word: string): string };
}

function load<T>(library: string, versionOf: () => unknown, main: () => unknown): T {
  const [name, version] = library.split('/') as [string, string];
  let found: unknown;
  try {
    found = versionOf();
    if (found === version) return main() as T;
  } catch (error) {
    const message = `the recipe needs the package ${name} ${version}, which does not load: run npm install ${name}@${version}`;
    throw makeError('ERR_NEARDUP_UNSUPPORTED', `${message} (${(error as Error).message.split('\n', 1)[0]})`);
  }
  throw makeError(
    'ERR_NEARDUP_UNSUPPORTED',
    `the recipe needs ${name} ${version}, but ${name} ${found} is installed, which may give other fingerprints`,
  );
}

let lists: Record<string, string[]> | undefined;
let stemmers: StemmerLibrary | undefined;

// Literal names, so that bundlers can follow them.

/** Stop words by ISO 639-1 code of the language. Throws ERR_NEARDUP_UNSUPPORTED where the library is not there. */
export function loadStopWordLists(): Readonly<Record<string, readonly string[]>> {
  lists ??= load<Record<string, string[]>>(
    STOP_WORDS_LIBRARY,
    () => require('stopwords-iso/package.json').version,
    () => require('stopwords-iso'),
  );
  return lists;
}

/** Throws ERR_NEARDUP_UNSUPPORTED where the library is not there. */
export function loadStemmers(): StemmerLibrary {
  stemmers ??= load<StemmerLibrary>(
    STEMMER_LIBRARY,
    () => require('snowball-stemmers/package.json').version,
    () => require('snowball-stemmers'),
  );
  return stemmers;
}
