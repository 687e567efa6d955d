// Loads one build of the addon and compares it with the TypeScript engine, quickly: texts by every kind of
// feature, weighted votes, distances, an index. Needs dist/.
//   node scripts/compare-engines.mjs ADDON [KERNEL]      KERNEL: the kernel that must be in use
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { createNativeEngine } from '../dist/native/engine.mjs';
import { tsEngine } from '../dist/ts/engine.mjs';

const [path, kernel] = process.argv.slice(2);
const native = createNativeEngine(createRequire(import.meta.url)(resolve(path)), undefined);
if (kernel !== undefined) assert.equal(native.kernel, kernel);

/** Asserts that both engines give the same. */
function compare(what, body) {
  assert.deepEqual(body(native), body(tsEngine), what);
}

const demo = readFileSync(new URL('../examples/data/policies-demo.jsonl', import.meta.url), 'utf8');
const texts = demo
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line).text)
  .filter((_, i) => i % 8 === 0);
texts.push('', 'Straße İstanbul ΣΊΣΥΦΟΣ', '今日は良い天気ですね', 'cafe\u0301 \ud800 👍🏽', 'ภาษาไทย');

for (const unit of ['words', 'chars']) {
  for (const weight of ['set', 'count', 'log']) {
    const options = { unit, weight, min: 2, max: 3 };
    compare(`${unit}, ${weight}`, (engine) => engine.createFingerprinter(options).fingerprintBatch(texts));
  }
}

const codes = BigUint64Array.from({ length: 5000 }, (_, i) =>
  BigInt.asUintN(64, BigInt(i + 1) * 0x9e3779b97f4a7c15n),
);
const weights = Float64Array.from(codes, (_, i) => (i % 97) / 8);
compare('votes', (engine) => engine.accumulate(codes));
compare('weighted votes', (engine) => engine.accumulate(codes, weights));
compare('distances', (engine) => engine.distances(codes, codes[7]));
compare('index', (engine) => {
  const index = engine.createIndex({ maxDistance: 6 });
  const ids = Float64Array.from(codes, (_, i) => i);
  index.addBatch({ fingerprints: codes, ids });
  const queries = { fingerprints: codes.map((code, i) => code ^ BigInt(i % 64)) };
  const matches = index.queryBatch(queries, { distance: 6, limit: 10 });
  index.close();
  return matches;
});
console.log(`compare-engines: ${path} (${native.kernel}) and the TypeScript engine agree`);
