// How long must a text be? Sentences by their number of words: how often one is found again after one word of it
// has changed, and how many pairs of other sentences are taken for near.
import {
  createFingerprinter,
  DEFAULT_DISTANCE,
  DEFAULT_RECIPE,
  DEFAULT_VERIFICATION,
  DEFAULT_VERIFY_DISTANCE,
  HammingIndex,
  hamming,
} from '../../dist/index.mjs';

const LENGTHS = [2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40, 50];
const MOST = 10_000;
const EDITED = 500;
/** Pairs that share fewer of their words than this are not near. */
const APART = 0.7;

function sentences(texts) {
  const byLength = new Map(LENGTHS.map((length) => [length, new Map()]));
  for (const text of texts) {
    for (const sentence of text.split(/[.!?\n]+/)) {
      const words = sentence.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
      const known = byLength.get(words.length);
      if (known && known.size < MOST) known.set(words.join(' '), words);
    }
  }
  return byLength;
}

function share(a, b) {
  const other = new Set(b);
  const mine = new Set(a);
  const common = [...mine].filter((word) => other.has(word)).length;
  return common / (mine.size + other.size - common);
}

export function measureShortTexts(texts) {
  const first = createFingerprinter(DEFAULT_RECIPE);
  const second = createFingerprinter(DEFAULT_VERIFICATION);
  console.log('\nshort texts, default recipe and distances');
  console.log(
    '  words  sentences  one word changed: found %  pairs taken for near  of them sharing < 70 % of words',
  );
  return [...sentences(texts)].map(([length, found]) => {
    const lists = [...found.values()];
    const a = first.fingerprintBatch([...found.keys()]).fingerprints;
    const b = second.fingerprintBatch([...found.keys()]).fingerprints;
    const index = new HammingIndex({ maxDistance: DEFAULT_DISTANCE });
    index.addBatch(a, Float64Array.from(a.keys()));
    let near = 0;
    let apart = 0;
    for (const [i, fingerprint] of a.entries()) {
      for (const { id } of index.query(fingerprint)) {
        if (id >= i || hamming(b[i], b[id]) > DEFAULT_VERIFY_DISTANCE) continue;
        near++;
        if (share(lists[i], lists[id]) < APART) apart++;
      }
    }
    index.close();
    const edited = lists.slice(0, EDITED).map((words, i) => words.with(i % length, 'zebra').join(' '));
    const again = edited.filter(
      (text, i) =>
        hamming(first.fingerprint(text), a[i]) <= DEFAULT_DISTANCE &&
        hamming(second.fingerprint(text), b[i]) <= DEFAULT_VERIFY_DISTANCE,
    ).length;
    const row = { length, sentences: lists.length, found: again / edited.length, near, apart };
    console.log(
      `  ${String(length).padStart(5)} ${String(row.sentences).padStart(10)} ${(100 * row.found).toFixed(1).padStart(26)} ${String(near).padStart(21)} ${String(apart).padStart(20)}`,
    );
    return row;
  });
}
