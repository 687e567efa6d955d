/**
 * Python `simhash` (1e0ng/simhash): lower case, runs of word characters joined with nothing between, windows of 4
 * code points, counted (the library gives a text without word characters one empty window; here it has none); the
 * last 8 bytes of MD5, big-endian; a zero counter gives 0.
 */
import { createHash } from 'node:crypto';
import { type CompatRecipe, countItem, Windows } from './features.ts';

const WINDOW = 4;

// Python's \w on str: what str.isalnum() accepts, and the underscore; marks are not word characters.
const NOT_WORD = /[^\p{L}\p{N}_]+/gu;

export const pythonSimhash: CompatRecipe = {
  name: 'python-simhash',
  tie: 0,
  hash: (feature) => createHash('md5').update(feature, 'utf8').digest().readBigUInt64BE(8),
  createCounter: () => {
    const counts = new Map<string, number>();
    const windows = new Windows(WINDOW, (window) => countItem(counts, window));
    return {
      read: (piece) => windows.read(piece.toLowerCase().replace(NOT_WORD, '')),
      finish: () => {
        windows.finish();
        return counts;
      },
    };
  },
};
