// Inputs of the benchmarks, the same on every run.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Deterministic 64-bit values (splitmix64) as the two 32-bit lanes of a BigUint64Array. */
export function randomCodes(count, seed) {
  const codes = new BigUint64Array(count);
  let state = BigInt(seed);
  for (let i = 0; i < count; i++) {
    state = (state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
    codes[i] = z ^ (z >> 31n);
  }
  return codes;
}

/** Half of the queries are stored codes with 0 to `flips` bits flipped, the other half random. */
export function plantedQueries(codes, count, flips, seed) {
  const queries = randomCodes(count, seed);
  const choices = randomCodes(count, seed + 1);
  for (let i = 0; i < count; i += 2) {
    let code = codes[Number(choices[i] % BigInt(codes.length))];
    for (let flip = 0n; flip < choices[i + 1] % BigInt(flips + 1); flip++) {
      code ^= 1n << ((choices[i + 1] >> (8n * (flip + 1n))) & 63n);
    }
    queries[i] = code;
  }
  return queries;
}

/** Where a data set is: ../shared/data beside the checkout, or the folder NEARDUP_DATA names. */
function dataFile(name) {
  const folder = process.env.NEARDUP_DATA ?? fileURLToPath(new URL('../../shared/data', import.meta.url));
  return join(folder, `${name}.jsonl.gz`);
}

function parseLines(bytes) {
  const lines = bytes.toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** The records of a data set (`policies`, `licences`, `html`); undefined, with a message, when it is not there. */
export function readRecords(name) {
  const file = dataFile(name);
  if (existsSync(file)) return parseLines(gunzipSync(readFileSync(file)));
  console.log(`${file} is not there`);
  return undefined;
}

/** The texts of policies.jsonl.gz (93 MB) where the data folder has it, else of the demo set. */
export function policyTexts() {
  const full = readRecords('policies');
  if (full !== undefined) return { name: 'policies.jsonl.gz', texts: full.map(({ text }) => text) };
  const demo = new URL('../examples/data/policies-demo.jsonl', import.meta.url);
  return { name: 'policies-demo.jsonl', texts: parseLines(readFileSync(demo)).map(({ text }) => text) };
}
