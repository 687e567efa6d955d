/** Weighted features by every kind of recipe: their vote is the fingerprint. */
import { describe, expect, it } from 'vitest';
import {
  createFingerprinter,
  documentFrequency,
  fingerprintHashes,
  recipes,
  weightedFeatures,
} from '../../lib/index.ts';

const TEXTS = [
  '',
  'the policies are running',
  'The fox, the dog and the running dogs. 東京都 policies x x x x',
  'one',
];
const weight = documentFrequency({ documents: 10, frequencies: { the: 9, fox: 2 }, tf: 'count' });

describe.each([
  recipes.words(),
  recipes.shingles(2),
  recipes.chars(3, { weight: 'set' }),
  recipes.words({ stem: 'english', ngrams: [1, 2] }),
  recipes.words({ weight }),
  recipes.words({ weight, stem: 'english', stopWords: 'en' }),
  recipes.compat('python-simhash'),
])('$text', (recipe) => {
  it.each(TEXTS)('vote for the fingerprint of "%s"', (text) => {
    const { hashes, weights } = weightedFeatures(text, recipe);
    expect(hashes).toEqual(hashes.slice().sort());
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(fingerprintHashes(hashes, weights)).toBe(createFingerprinter(recipe).fingerprint(text));
  });
});

it('refuses a recipe without texts', () => {
  expect(() => weightedFeatures('a', recipes.features('mine'))).toThrow(
    expect.objectContaining({ code: 'ERR_NEARDUP_UNSUPPORTED' }),
  );
});
