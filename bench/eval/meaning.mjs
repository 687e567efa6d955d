// What does a distance mean? For pairs of revisions of one page, the share of 3-shingles that they have in common,
// by the distance of their fingerprints, beside what theory expects: cos(pi d / 64).
import { createFingerprinter, recipes } from '../../dist/index.mjs';
import { distanceOf } from './distances.mjs';

const DISTANCES = [0, 1, 2, 3, 4, 6, 8, 9, 10, 12, 14, 16, 20, 24];

/** Shared over the geometric mean of the sizes: the cosine of two sets. */
function cosine(a, b) {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      shared++;
      i++;
      j++;
    } else if (a[i] < b[j]) i++;
    else j++;
  }
  return shared / Math.sqrt(a.length * b.length);
}

function quantile(sorted, q) {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

export function measureMeaning(set, shingles) {
  const fingerprinter = createFingerprinter(recipes.shingles(3, { weight: 'set' }));
  const fingerprints = set.texts.map((text) => fingerprinter.fingerprint(text));
  const distance = distanceOf(fingerprints);
  const cache = new Map();
  const setOf = (i) => {
    if (!cache.has(i)) cache.set(i, shingles(set.texts[i]));
    return cache.get(i);
  };
  const byDistance = new Map(DISTANCES.map((d) => [d, []]));
  set.visit((i, j, same) => {
    if (same) byDistance.get(distance(i, j))?.push(cosine(setOf(i), setOf(j)));
  });
  console.log(`\nwhat a distance means: shared 3-shingles of revisions in ${set.name}`);
  console.log('   d  pairs  expected %   median %   10th to 90th percentile');
  return [...byDistance].map(([d, values]) => {
    const sorted = values.sort((a, b) => a - b);
    const row = {
      d,
      pairs: sorted.length,
      expected: Math.cos((Math.PI * d) / 64),
      median: quantile(sorted, 0.5),
      low: quantile(sorted, 0.1),
      high: quantile(sorted, 0.9),
    };
    const percent = (value) => (100 * value).toFixed(1);
    console.log(
      `  ${String(d).padStart(2)} ${String(row.pairs).padStart(6)} ${percent(row.expected).padStart(11)} ${percent(row.median).padStart(10)}   ${percent(row.low)} to ${percent(row.high)}`,
    );
    return row;
  });
}
