// Is the feature hash good? Unrelated documents must differ in 32 bits on average, for words as for CJK text,
// and each bit must be 1 half the time.
import { currentEngine } from '../../dist/backend.mjs';
import { randomCodes } from '../data.mjs';

const DOCUMENTS = 40_000;
const FEATURES = 101;
const PAIRS_OF = 300;

/** A feature of one kind from a random number: a word of 6 to 13 letters, or a bigram of CJK characters. */
const kinds = {
  words: (random) => {
    let word = '';
    for (let letters = 6 + (random % 8), rest = random; letters > 0; letters--) {
      word += String.fromCharCode(97 + (rest % 26));
      rest = Math.imul(rest, 0x9e3779b1) >>> 0;
    }
    return word;
  },
  'CJK bigrams': (random) =>
    String.fromCharCode(0x4e00 + (random % 20000), 0x4e00 + ((random >>> 15) % 20000)),
};

/** Mean distance between unrelated documents, and the share of ones of the bit farthest from a half. */
export function hashQuality() {
  const engine = currentEngine();
  const random = new Uint32Array(randomCodes((DOCUMENTS * FEATURES) / 2, 8).buffer);
  console.log(`\nhash quality: ${DOCUMENTS} unrelated documents of ${FEATURES} features`);
  return Object.entries(kinds).map(([kind, make]) => {
    const ones = new Float64Array(64);
    const fingerprints = Array.from({ length: DOCUMENTS }, (_, i) => {
      const features = Array.from(random.subarray(i * FEATURES, (i + 1) * FEATURES), make);
      const { fingerprint } = engine.accumulate(engine.hashStrings(features));
      for (let bit = 0; bit < 64; bit++) ones[bit] += Number((fingerprint >> BigInt(bit)) & 1n);
      return fingerprint;
    });
    let distance = 0;
    for (let i = 0; i < PAIRS_OF; i++) {
      for (let j = 0; j < i; j++) {
        for (let x = fingerprints[i] ^ fingerprints[j]; x > 0n; x &= x - 1n) distance++;
      }
    }
    const mean = distance / ((PAIRS_OF * (PAIRS_OF - 1)) / 2);
    const shares = ones.map((count) => count / DOCUMENTS);
    const worst = shares.reduce((a, b) => (Math.abs(b - 0.5) > Math.abs(a - 0.5) ? b : a));
    console.log(
      `  ${kind.padEnd(12)} mean distance ${mean.toFixed(2)}; the worst bit is 1 in ${(100 * worst).toFixed(2)} %`,
    );
    return { kind, mean, worst };
  });
}
