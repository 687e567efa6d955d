/** The pure-TypeScript engine. */
import type { Engine } from '../engine.ts';
import { hashStrings, TsFingerprinter } from './fingerprint/fingerprinter.ts';
import { voteWeighted } from './fingerprint/simhash.ts';
import { hashBytes } from './fingerprint/xxh3.ts';
import { createBloom, mapBloom } from './urls/bloom.ts';
import { createKeySet } from './urls/keyset.ts';

const engine: Omit<Engine, 'createIndex'> = {
  backend: 'js',
  kernel: 'js',
  hashBytes,
  hashStrings,
  createFingerprinter: (options) => new TsFingerprinter(options),
  accumulate: voteWeighted,
  createKeySet,
  createBloom,
  mapBloom,
};

export const tsEngine = engine as Engine;
