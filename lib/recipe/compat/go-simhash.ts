/**
 * Go `simhash` (mfonda/simhash, go-dedup/simhash): lower case, ASCII words (a word
 * followed by :// keeps its address), counted; FNV-1 64 (not FNV-1a) of
 * the UTF-8 bytes; a zero counter gives 1.
 */
import { type CompatRecipe, countItem } from './features.ts';

// FNV-1, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
const OFFSET_BASIS = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const MASK = 0xffffffffffffffffn;

const WORD = /[A-Za-z0-9_']+(?::\/\/[A-Za-z0-9_./]+)?/g;

function fnv1(feature: string): bigint {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(feature, 'utf8')) hash = ((hash * PRIME) & MASK) ^ BigInt(byte);
  return hash;
}

export const goSimhash: CompatRecipe = {
  name: 'go-simhash',
  tie: 1,
  hash: fnv1,
  createCounter: () => {
    const counts = new Map<string, number>();
    return {
      read: (piece) => {
        for (const [word] of piece.toLowerCase().matchAll(WORD)) countItem(counts, word);
      },
      finish: () => counts,
    };
  },
};
