// The operations that `npm run bench` compares on both engines. Each prepares its input once and gives, for
// an engine, a function to time; the function's result must be equal on both engines.
import { plantedQueries, policyTexts, randomCodes } from './data.mjs';

const MAX_DISTANCE = 3;

/** What is timed: `items` of `unit` for each call of the function that `start(engine)` gives. */
function accumulate() {
  const hashes = randomCodes(100_000, 1);
  return {
    name: 'accumulate',
    detail: '100,000 hashes into 64 counters',
    unit: 'hashes',
    items: hashes.length,
    start: (engine) => () => engine.accumulate(hashes),
  };
}

function fingerprint() {
  const { name, texts } = policyTexts();
  const sample = texts.filter((_, i) => i % Math.ceil(texts.length / 100) === 0);
  return {
    name: 'fingerprint',
    detail: `${sample.length} texts of ${name}, word 3-shingles, counts`,
    unit: 'bytes',
    items: sample.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    start: (engine) => {
      const fingerprinter = engine.createFingerprinter({ unit: 'words', min: 3, max: 3, weight: 'count' });
      return () => sample.map((text) => fingerprinter.fingerprint(text));
    },
  };
}

function add() {
  const codes = randomCodes(200_000, 2);
  const ids = Float64Array.from(codes, (_, i) => i);
  return {
    name: 'add',
    detail: '200,000 fingerprints in batches of 1,000, k = 3',
    unit: 'fingerprints',
    items: codes.length,
    start: (engine) => () => {
      const index = engine.createIndex({ maxDistance: MAX_DISTANCE });
      for (let i = 0; i < codes.length; i += 1000) {
        index.addBatch({ fingerprints: codes.subarray(i, i + 1000), ids: ids.subarray(i, i + 1000) });
      }
      const { size } = index;
      index.close();
      return size;
    },
  };
}

function query() {
  const codes = randomCodes(1_000_000, 3);
  const queries = plantedQueries(codes, 1000, MAX_DISTANCE, 4);
  return {
    name: 'query',
    detail: '1,000 queries, k = 3, in 1,000,000 fingerprints',
    unit: 'queries',
    items: queries.length,
    start: (engine) => {
      const index = engine.createIndex({ maxDistance: MAX_DISTANCE });
      index.addBatch({ fingerprints: codes, ids: Float64Array.from(codes, (_, i) => i) });
      const search = { distance: MAX_DISTANCE, limit: Number.POSITIVE_INFINITY };
      return () => index.queryBatch({ fingerprints: queries }, search);
    },
  };
}

export const operations = [accumulate, fingerprint, add, query];
