/**
 * Python `simhash-py` (seomoz/simhash-py) with the shingles of its README: lower case, split on non-word
 * characters, joined with nothing between, the set of windows of 4 code points; the first 8 bytes of MD5,
 * big-endian; a zero counter gives 0.
 */
import { createHash } from 'node:crypto';
import { type CompatRecipe, Windows } from './features.ts';

const WINDOW = 4;
const NOT_WORD = /[^\p{L}\p{N}_]+/gu;

export const simhashPy: CompatRecipe = {
  name: 'simhash-py',
  tie: 0,
  hash: (feature) => createHash('md5').update(feature, 'utf8').digest().readBigUInt64BE(0),
  createCounter: () => {
    const set = new Map<string, number>();
    const windows = new Windows(WINDOW, (window) => set.set(window, 1));
    return {
      read: (piece) => windows.read(piece.toLowerCase().replace(NOT_WORD, '')),
      finish: () => {
        windows.finish();
        return set;
      },
    };
  },
};
