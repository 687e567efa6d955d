/** The pure-TypeScript engine. */
import type { Engine } from '../engine.ts';
import { guardMemory, guardSteps } from './base/memory.ts';
import { startBatchJob } from './fingerprint/batch-job.ts';
import { hashStrings, TsFingerprinter } from './fingerprint/fingerprinter.ts';
import { minHash } from './fingerprint/minhash.ts';
import { checksums } from './fingerprint/signature.ts';
import { voteWeighted } from './fingerprint/simhash.ts';
import { hashBytes } from './fingerprint/xxh3.ts';
import { TsIndex } from './index/index.ts';
import { listPlans } from './index/planner.ts';
import { distances } from './kernels/hamming.ts';
import { checkSegment } from './storage/read-segment.ts';
import { createBloom, mapBloom } from './urls/bloom.ts';
import { createKeySet } from './urls/keyset.ts';

export const tsEngine: Engine = {
  backend: 'js',
  kernel: 'js',
  hashBytes: (bytes, seed) => guardMemory(() => hashBytes(bytes, seed)),
  hashStrings: (features) => guardMemory(() => hashStrings(features)),
  createFingerprinter: (options) => guardMemory(() => new TsFingerprinter(options)),
  minHash: (set, seed, count) => guardMemory(() => minHash(set, seed, count)),
  checksums: (minima, rows) => guardMemory(() => checksums(minima, rows)),
  fingerprintBatchAsync: (fingerprinters, texts) =>
    guardMemory(() =>
      startBatchJob(
        fingerprinters.map((fingerprinter) => (fingerprinter as TsFingerprinter).createVoteSteps()),
        texts,
      ),
    ),
  accumulate: (hashes, weights) => guardMemory(() => voteWeighted(hashes, weights)),
  distances: (codes, query) => guardMemory(() => distances(codes, query)),
  createIndex: (options) => guardMemory(() => new TsIndex(options)),
  listPlans: (request) => guardMemory(() => listPlans(request)),
  measureCosts: () => undefined,
  checkSegment: (file, columns) => guardSteps(checkSegment(file, columns)),
  createKeySet: (expected) => guardMemory(() => createKeySet(expected)),
  createBloom: (shape) => guardMemory(() => createBloom(shape)),
  mapBloom: (shape, path, offset) => guardMemory(() => mapBloom(shape, path, offset)),
};
