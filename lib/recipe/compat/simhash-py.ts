/**
 * Python `simhash-py` (seomoz/simhash-py) with the shingles of its README: lower case, split on non-word
 * characters, joined with nothing between, the set of windows of 4 code points; the first 8 bytes of MD5,
 * big-endian; a zero counter gives 0.
 */
import { createHash } from 'node:crypto';
import { type CompatRecipe, windows } from './features.ts';

const WINDOW = 4;
const NOT_WORD = /[^\p{L}\p{N}_]+/gu;

export const simhashPy: CompatRecipe = {
  name: 'simhash-py',
  tie: 0,
  hash: (feature) => createHash('md5').update(feature, 'utf8').digest().readBigUInt64BE(0),
  features: (text) => {
    const joined = text.toLowerCase().replace(NOT_WORD, '');
    return joined === '' ? [] : [...new Set(windows(joined, WINDOW))];
  },
};
