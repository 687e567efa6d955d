/**
 * Stop words of a recipe: a kept list by language, pinned by library and version, or the caller's own, pinned by
 * count and hash.
 */
import { listTokens } from '../ts/fingerprint/text-hasher.ts';
import { hashBytes } from '../ts/fingerprint/xxh3.ts';
import { isIterable, outOfRange, wrongType } from '../validate.ts';
import { loadStopWordLists, STOP_WORDS_LIBRARY } from './libraries.ts';

/** A language of stopwords-iso by its ISO 639-1 code, or words. */
export type StopWordsOption = string | Iterable<string>;

/** The words, as tokens are, and how the canonical text names them. */
export interface StopWordList {
  readonly words: readonly string[];
  /** `en@stopwords-iso/1.1.0`, or `own/COUNT/HASH`. */
  readonly name: string;
}

const WORDS = { unit: 'words', min: 1, max: 1, weight: 'set' } as const;

/** Sorted distinct tokens of the entries. An entry of more than one token (don't) equals no token: left out. */
function asTokens(entries: Iterable<string>): string[] {
  const words = new Set<string>();
  for (const entry of entries) {
    const tokens = listTokens(WORDS, entry);
    if (tokens.length === 1) words.add(tokens[0] as string);
  }
  return [...words].sort();
}

/** The hash of sorted lines, in 16 hex digits: XXH3-64 of their UTF-8, each ended by a newline. */
export function hashLines(lines: readonly string[]): string {
  const bytes = Buffer.concat(lines.map((line) => Buffer.from(`${line}\n`)));
  return hashBytes(bytes, 0n).toString(16).padStart(16, '0');
}

function keptList(language: string): StopWordList {
  const lists = loadStopWordLists();
  const list = Object.hasOwn(lists, language) ? lists[language] : undefined;
  if (list === undefined) {
    outOfRange('stopWords', `a list of words, or one of ${Object.keys(lists).sort().join(', ')}`, language);
  }
  return { words: asTokens(list), name: `${language}@${STOP_WORDS_LIBRARY}` };
}

/** The stop words that an option asks for. */
export function readStopWords(value: unknown): StopWordList {
  if (typeof value === 'string') return keptList(value);
  if (!isIterable(value)) {
    wrongType('stopWords', 'the code of a language or a list of words', value);
  }
  const entries: string[] = [];
  for (const entry of value) {
    if (typeof entry !== 'string') wrongType(`stopWords[${entries.length}]`, 'a string', entry);
    entries.push(entry);
  }
  const words = asTokens(entries);
  return { words, name: `own/${words.length}/${hashLines(words)}` };
}
