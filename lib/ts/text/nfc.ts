/**
 * Normalization Form C of one piece of text (UAX #15): decompose, order the marks, compose. O(n) for any
 * input. The twin of native/core/text/nfc.
 */
import type { CodePoints } from './code-points.ts';
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

function decompose(codePoint: number, out: CodePoints): void {
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
function orderMarks(text: CodePoints, first: number, last: number): void {
  let ordered = true;
  for (let i = first + 1; i < last && ordered; i++) ordered = classOf(text.at(i - 1)) <= classOf(text.at(i));
  if (ordered) return;
  const marks = text.slice(first, last);
  // Where the next mark of each class goes.
  const places = new Uint32Array(257);
  for (const mark of marks) places[classOf(mark) + 1]++;
  places[0] = first;
  for (let i = 1; i < 257; i++) places[i] += places[i - 1];
  for (const mark of marks) text.set(places[classOf(mark)]++, mark);
}

/** Composes in place. */
function composeAll(text: CodePoints): void {
  let out = 0;
  let starter = -1;
  let lastClass = 0;
  for (let i = 0; i < text.length; i++) {
    const codePoint = text.at(i);
    const combiningClass = classOf(codePoint);
    const blocked = starter < 0 || (out - starter > 1 && lastClass >= combiningClass);
    const composite = blocked ? 0 : compose(text.at(starter), codePoint);
    if (composite !== 0) {
      text.set(starter, composite);
      continue;
    }
    if (combiningClass === 0) starter = out;
    lastClass = combiningClass;
    text.set(out++, codePoint);
  }
  text.length = out;
}

/** Writes the NFC form of the code points of a piece to `out`, which it empties first. */
export function normalizeNfc(piece: CodePoints, out: CodePoints): void {
  out.clear();
  for (let i = 0; i < piece.length; i++) decompose(piece.at(i), out);
  for (let i = 0; i < out.length; i++) {
    if (classOf(out.at(i)) === 0) continue;
    let end = i + 1;
    while (end < out.length && classOf(out.at(end)) !== 0) end++;
    orderMarks(out, i, end);
    i = end;
  }
  composeAll(out);
}
