/** Is the feature hash good? Unrelated documents differ in 32 bits on average, and each bit is 1 half the time. */
import { describe, expect, it } from 'vitest';
import { fingerprintFeatures, hamming, recipes } from '../../lib/index.ts';

const DOCUMENTS = 200;

/** Documents of 100 features: no two of these share one. */
const KINDS: [string, (n: number) => string][] = [
  ['words', (n) => `word${n.toString(36)}`],
  ['CJK characters', (n) => String.fromCharCode(0x4e00 + n)],
];

function measure(make: (n: number) => string, recipe?: ReturnType<typeof recipes.compat>) {
  const fingerprints = Array.from({ length: DOCUMENTS }, (_, i) =>
    fingerprintFeatures(
      Array.from({ length: 100 }, (_, j) => make(100 * i + j)),
      undefined,
      recipe,
    ),
  ) as bigint[];
  let sum = 0;
  let near = 0;
  for (const [i, a] of fingerprints.entries()) {
    for (const b of fingerprints.slice(0, i)) {
      sum += hamming(a, b);
      if (hamming(a, b) <= 8) near++;
    }
  }
  return { mean: sum / ((DOCUMENTS * (DOCUMENTS - 1)) / 2), near };
}

describe.each(KINDS)('unrelated documents of %s', (_, make) => {
  it('are 32 bits apart', () => {
    const { mean, near } = measure(make);
    expect(mean).toBeGreaterThan(31.5);
    expect(mean).toBeLessThan(32.5);
    expect(near).toBe(0);
  });

  it('are nearer by the hash of go-simhash, which this test would notice', () => {
    expect(measure(make, recipes.compat('go-simhash')).mean).toBeLessThan(25);
  });
});
