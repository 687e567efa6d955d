// usearch on the files of bench/peers.mjs: usearch_peer.mjs CODES QUERIES DISTANCE OUT. One thread. A graph of
// neighbours, so approximate: the ten nearest that it finds, of which those within the distance count.
import { writeFileSync } from 'node:fs';
import { once, residentBytes, useOneCore } from '../index/measure.mjs';
import { readCodes } from './files.mjs';
import { optionalPackage } from './packages.mjs';

const [codesFile, queriesFile, distance, out] = process.argv.slice(2);
const BATCH = 10_000;
const NEAREST = 10;

const found = optionalPackage('usearch');
if (found === undefined) {
  console.log(JSON.stringify({ absent: 'npm package usearch' }));
  process.exit();
}
const { Index, MetricKind, ScalarKind } = found.api;

/** Each bit as a number, which is how the package takes vectors; it keeps them as bits. */
function vectors(codes) {
  const lanes = new Uint32Array(codes.buffer, codes.byteOffset, 2 * codes.length);
  return Float32Array.from({ length: 64 * codes.length }, (_, i) => (lanes[i >> 5] >>> (i & 31)) & 1);
}

useOneCore();
const codes = readCodes(codesFile);
const queries = readCodes(queriesFile);
const index = new Index({ metric: MetricKind.Hamming, dimensions: 64, quantization: ScalarKind.B1 });
const before = residentBytes();
let load = 0;
for (let at = 0; at < codes.length; at += BATCH) {
  const part = codes.slice(at, at + BATCH);
  const input = vectors(part);
  const ids = BigUint64Array.from(part, (_, i) => BigInt(at + i));
  load += (await once(() => index.add(ids, input, 1))).cpu;
}
const bytes = residentBytes() - before;
let query = 0;
const triples = [];
for (let at = 0; at < queries.length; at += BATCH) {
  const part = queries.slice(at, at + BATCH);
  const input = vectors(part);
  const { cpu, value } = await once(() => index.search(input, NEAREST, 1));
  query += cpu;
  for (let i = 0; i < part.length; i++) {
    for (let j = 0; j < Number(value.counts[i]); j++) {
      const apart = value.distances[i * NEAREST + j];
      if (apart <= Number(distance)) triples.push(at + i, Number(value.keys[i * NEAREST + j]), apart);
    }
  }
}
writeFileSync(`${out}.matches`, Uint32Array.from(triples));
console.log(JSON.stringify({ load, query, bytes, version: found.version }));
