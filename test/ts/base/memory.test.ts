/** Where typed arrays are refused, every call of the TypeScript engine says so by the package's own error. */
import { afterEach, expect, it, vi } from 'vitest';
import type { FeatureOptions } from '../../../lib/engine.ts';
import { tsEngine } from '../../../lib/ts/engine.ts';

const WORDS: FeatureOptions = { unit: 'words', min: 1, max: 1, weight: 'log' };
const keys = BigUint64Array.of(1n, 2n);
const ids = Float64Array.of(1, 2);
const maker = tsEngine.createFingerprinter(WORDS);
const hasher = maker.createHasher();
const index = tsEngine.createIndex({ maxDistance: 3 });
const set = tsEngine.createKeySet();
const bloom = tsEngine.createBloom({ bits: 128, hashes: 2, blocked: false });
const long = 'longer and longer '.repeat(1000) + Array.from({ length: 3000 }, (_, i) => `w${i}`).join(' ');

const CALLS: Record<string, () => unknown> = {
  hashBytes: () => tsEngine.hashBytes(Buffer.from('a'), 0n),
  hashStrings: () => tsEngine.hashStrings(['a']),
  createFingerprinter: () => tsEngine.createFingerprinter(WORDS),
  fingerprint: () => maker.fingerprint(long),
  fingerprintBatch: () => maker.fingerprintBatch([]),
  describe: () => maker.describe('a'),
  frequencies: () => maker.frequencies('a'),
  tokens: () => maker.tokens('a'),
  createHasher: () => maker.createHasher(),
  update: () => maker.createHasher().update(long),
  digest: () => hasher.digest(),
  accumulate: () => tsEngine.accumulate(keys, Float64Array.prototype),
  minHash: () => tsEngine.minHash(keys, 1n, 4),
  checksums: () => tsEngine.checksums(keys, 1),
  distances: () => tsEngine.distances(keys, 0n),
  createIndex: () => tsEngine.createIndex({ maxDistance: 3 }),
  'index.addBatch': () => index.addBatch({ fingerprints: keys, ids }),
  'index.queryBatch': () => index.queryBatch({ fingerprints: keys }, { distance: 1, limit: 10 }),
  createKeySet: () => tsEngine.createKeySet(),
  'set.addBatch': () => set.addBatch(keys),
  'set.hasBatch': () => set.hasBatch(keys),
  createBloom: () => tsEngine.createBloom({ bits: 128, hashes: 2, blocked: false }),
  'bloom.addBatch': () => bloom.addBatch(keys),
  'bloom.hasBatch': () => bloom.hasBatch(keys),
};

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each(Object.entries(CALLS))('%s', (_, call) => {
  for (const name of ['Uint8Array', 'Uint32Array', 'Float64Array', 'BigUint64Array', 'DataView']) {
    vi.stubGlobal(
      name,
      class {
        constructor() {
          throw new RangeError('Array buffer allocation failed');
        }
        static from = (): never => {
          throw new RangeError('Array buffer allocation failed');
        };
      },
    );
  }
  expect(call).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_OUT_OF_MEMORY' }));
});
