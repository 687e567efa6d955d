// Labelled pairs of real documents: which pairs are the same page, which are not.
import { readRecords } from '../data.mjs';

/** Shingle Jaccard from which two licence texts count as near-duplicates, and below which they do not. */
const NEAR = 0.9;
const APART = 0.7;

/** Shingle Jaccard from which pages of two services are near-duplicates whatever their labels say. */
const HALF = 0.5;

/** Calls visit(i, j, same) for each pair that label(i, j) says is the same (true) or not (false). */
function visitPairs(count, label, visit) {
  for (let i = 1; i < count; i++) {
    for (let j = 0; j < i; j++) {
      const same = label(i, j);
      if (same !== undefined) visit(i, j, same);
    }
  }
}

/**
 * Policies of online services. Positive: the same page at another time. Negative: pages of two services, unless
 * they share half of their shingles or more, as those of sister services do: such a pair says nothing, and nor
 * do two pages of one service. `setAside(i, j)` tells such negatives; ask it only for those that lie near, as
 * each answer costs a comparison of two sets.
 */
export function policies(shingles) {
  const documents = readRecords('policies');
  if (documents === undefined) return undefined;
  const services = documents.map(({ group }) => group.split('/', 1)[0]);
  const label = (i, j) => {
    if (documents[i].group === documents[j].group) return true;
    return services[i] === services[j] ? undefined : false;
  };
  const sets = new Map();
  const setOf = (i) => {
    if (!sets.has(i)) sets.set(i, shingles(documents[i].text));
    return sets.get(i);
  };
  const known = new Map();
  const setAside = (i, j) => {
    const pair = i * documents.length + j;
    if (!known.has(pair)) known.set(pair, jaccard(setOf(i), setOf(j)) >= HALF);
    return known.get(pair);
  };
  return {
    name: 'policies',
    texts: documents.map(({ text }) => text),
    visit: (visit) => visitPairs(documents.length, label, visit),
    setAside,
  };
}

/**
 * Licence texts. Positive: Jaccard of the word 3-shingles at least 0.9. Negative: below 0.7. `shingles(text)`
 * gives a text's distinct shingles as sorted numbers.
 */
export function licences(shingles) {
  const documents = readRecords('licences');
  if (documents === undefined) return undefined;
  const sets = documents.map(({ text }) => shingles(text));
  const label = (i, j) => {
    const similarity = jaccard(sets[i], sets[j]);
    if (similarity >= NEAR) return true;
    return similarity < APART ? false : undefined;
  };
  const labels = new Map();
  visitPairs(documents.length, label, (i, j, same) => labels.set(i * documents.length + j, same));
  return {
    name: 'licences',
    texts: documents.map(({ text }) => text),
    visit: (visit) => visitPairs(documents.length, (i, j) => labels.get(i * documents.length + j), visit),
    setAside: () => false,
  };
}

/** Jaccard similarity of two sorted arrays of distinct numbers. */
export function jaccard(a, b) {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      shared++;
      i++;
      j++;
    } else if (a[i] < b[j]) i++;
    else j++;
  }
  const all = a.length + b.length - shared;
  return all === 0 ? 0 : shared / all;
}
