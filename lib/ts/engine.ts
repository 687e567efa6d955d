/** The pure-TypeScript engine. */
import type { Engine } from '../engine.ts';
import { hashStrings, TsFingerprinter } from './fingerprint/fingerprinter.ts';
import { minHash } from './fingerprint/minhash.ts';
import { checksums } from './fingerprint/signature.ts';
import { voteWeighted } from './fingerprint/simhash.ts';
import { hashBytes } from './fingerprint/xxh3.ts';
import { TsIndex } from './index/index.ts';
import { createBloom, mapBloom } from './urls/bloom.ts';
import { createKeySet } from './urls/keyset.ts';

export const tsEngine: Engine = {
  backend: 'js',
  kernel: 'js',
  hashBytes,
  hashStrings,
  createFingerprinter: (options) => new TsFingerprinter(options),
  accumulate: voteWeighted,
  minHash,
  checksums,
  createIndex: (options) => new TsIndex(options),
  createKeySet,
  createBloom,
  mapBloom,
};
