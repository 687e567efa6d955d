/**
 * Normalization Form C of one piece of text (UAX #15): decompose, order the marks, compose. O(n) for any
 * input. The twin of native/core/text/nfc.
 */
import { combiningClassOf, compositeOf, decompositionOf, recordOf } from './unicode.ts';

// Hangul syllables are composed of a leading consonant, a vowel and an optional trailing consonant by formula.
const SYLLABLES = 0xac00;
const LEADING = 0x1100;
const VOWELS = 0x1161;
const TRAILING = 0x11a7; // one before the first: index 0 is "none"
const LEADING_COUNT = 19;
const VOWEL_COUNT = 21;
const TRAILING_COUNT = 28;
const SYLLABLE_COUNT = LEADING_COUNT * VOWEL_COUNT * TRAILING_COUNT;

const classOf = (codePoint: number): number => combiningClassOf(recordOf(codePoint));
const within = (codePoint: number, first: number, count: number): boolean =>
  codePoint >= first && codePoint < first + count;

function decompose(codePoint: number, out: number[]): void {
  if (within(codePoint, SYLLABLES, SYLLABLE_COUNT)) {
    const index = codePoint - SYLLABLES;
    out.push(LEADING + Math.floor(index / (VOWEL_COUNT * TRAILING_COUNT)));
    out.push(VOWELS + (Math.floor(index / TRAILING_COUNT) % VOWEL_COUNT));
    if (index % TRAILING_COUNT !== 0) out.push(TRAILING + (index % TRAILING_COUNT));
    return;
  }
  const mapping = decompositionOf(codePoint);
  if (mapping === undefined) out.push(codePoint);
  else for (const part of mapping) decompose(part, out);
}

function compose(first: number, second: number): number {
  if (within(first, LEADING, LEADING_COUNT) && within(second, VOWELS, VOWEL_COUNT)) {
    return SYLLABLES + ((first - LEADING) * VOWEL_COUNT + (second - VOWELS)) * TRAILING_COUNT;
  }
  if (
    within(first, SYLLABLES, SYLLABLE_COUNT) &&
    (first - SYLLABLES) % TRAILING_COUNT === 0 &&
    within(second, TRAILING + 1, TRAILING_COUNT - 1)
  ) {
    return first + (second - TRAILING);
  }
  return compositeOf(first, second);
}

/** Stable order by combining class of text[first] to text[last - 1], none of which has class 0. */
function orderMarks(text: number[], first: number, last: number): void {
  let ordered = true;
  for (let i = first + 1; i < last && ordered; i++) ordered = classOf(text[i - 1]) <= classOf(text[i]);
  if (ordered) return;
  const byClass: number[][] = [];
  for (let i = first; i < last; i++) {
    const combiningClass = classOf(text[i]);
    byClass[combiningClass] ??= [];
    byClass[combiningClass].push(text[i]);
  }
  let at = first;
  for (const marks of byClass) {
    if (marks === undefined) continue;
    for (const mark of marks) text[at++] = mark;
  }
}

/** Composes in place. */
function composeAll(text: number[]): void {
  let out = 0;
  let starter = -1;
  let lastClass = 0;
  for (let i = 0; i < text.length; i++) {
    const combiningClass = classOf(text[i]);
    const blocked = starter < 0 || (out - starter > 1 && lastClass >= combiningClass);
    const composite = blocked ? 0 : compose(text[starter], text[i]);
    if (composite !== 0) {
      text[starter] = composite;
      continue;
    }
    if (combiningClass === 0) starter = out;
    lastClass = combiningClass;
    text[out++] = text[i];
  }
  text.length = out;
}

/** The NFC form of the code points of a piece. */
export function normalizeNfc(piece: readonly number[]): number[] {
  const text: number[] = [];
  for (const codePoint of piece) decompose(codePoint, text);
  for (let i = 0; i < text.length; i++) {
    if (classOf(text[i]) === 0) continue;
    let end = i + 1;
    while (end < text.length && classOf(text[end]) !== 0) end++;
    orderMarks(text, i, end);
    i = end;
  }
  composeAll(text);
  return text;
}
