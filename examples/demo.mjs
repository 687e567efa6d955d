// Removes the near-duplicates from examples/data and says what it did: `npm run demo`.
import { readFileSync } from 'node:fs';
import { backendInfo, Deduplicator } from '../dist/index.mjs';

const data = new URL('data/', import.meta.url);
const documents = readFileSync(new URL('policies-demo.jsonl', data), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

// The work: one decision for each document, in order.
const started = performance.now();
const deduplicator = new Deduplicator();
const decisions = deduplicator.offerBatch(documents);
deduplicator.close();
const seconds = (performance.now() - started) / 1000;

// The labels: which pairs are revisions of one page, and how alike they are.
const pairs = readFileSync(new URL('policies-demo-pairs.tsv', data), 'utf8').trim().split('\n').slice(1);
const labels = new Map();
for (const pair of pairs) {
  const [a, b, samePage, jaccard] = pair.split('\t');
  for (const key of [`${a}\t${b}`, `${b}\t${a}`]) {
    labels.set(key, { samePage: samePage === '1', jaccard: Number(jaccard) });
  }
}

const dropped = documents.flatMap(({ id }, i) => {
  const decision = decisions[i];
  return decision.kept ? [] : [{ id, ...decision, label: labels.get(`${id}\t${decision.keptId}`) }];
});

const cut = (text, width) => (text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width));
const short = (id) => id.replace('.md#', ' #');
const say = (text = '') => console.log(text);

const { documents: total, kept, exact, near } = deduplicator.counters;
const bytes = documents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
const { backend, kernel, reason } = backendInfo();

say('neardup demo: policies of online services, several revisions of each');
say();
say(`  documents  ${String(total).padStart(5)}   ${(bytes / 1e6).toFixed(2)} MB of text`);
say(`  unique     ${String(kept).padStart(5)}`);
say(`  dropped    ${String(total - kept).padStart(5)}   ${exact} with the same text, ${near} near`);
say(`  time       ${seconds.toFixed(3).padStart(5)} s`);
say();
say(`  ${'dropped'.padEnd(31)} ${'in favour of'.padEnd(31)} bits  verified`);
const shown = dropped.filter(({ reason }) => reason === 'near').sort((a, b) => b.distance - a.distance);
for (const { id, keptId, distance, verifyDistance } of shown.slice(0, 6)) {
  const bits = `${String(distance).padStart(4)} ${String(verifyDistance).padStart(9)}`;
  say(`  ${cut(short(id), 31)} ${cut(short(keptId), 31)} ${bits}`);
}
if (dropped.length > 6) say(`  … and ${dropped.length - 6} more`);
say();

const labelled = dropped.filter(({ label }) => label !== undefined);
const right = labelled.filter(({ label }) => label.samePage);
const lowest = Math.min(...right.map(({ label }) => label.jaccard));
say(`  labels     ${right.length} of ${labelled.length} dropped documents are revisions of the kept page;`);
say(`             the least alike share ${Math.round(lowest * 100)}% of their 3-word shingles`);
say(`  engine     ${backend === kernel ? backend : `${backend} (${kernel})`}: ${reason.split(' (', 1)[0]}`);
