/** Names of options that there are not, and values that change or vanish while they are read. */
import { describe, expect, it } from 'vitest';
import * as api from '../../lib/index.ts';

const code = (suffix: string) => expect.objectContaining({ code: `ERR_NEARDUP_${suffix}` });
// biome-ignore lint/suspicious/noExplicitAny: hostile calls defy the types
const lax = api as any;
const wrong = { depth: 3 };

const TAKERS: Record<string, () => unknown> = {
  fingerprints: () => api.fingerprints(['a'], wrong as never),
  createFingerprinter: () => lax.createFingerprinter(undefined, wrong),
  createHasher: () => lax.createHasher(undefined, wrong),
  'recipes.words': () => lax.recipes.words(wrong),
  'recipes.shingles': () => lax.recipes.shingles(3, wrong),
  'recipes.chars': () => lax.recipes.chars(3, wrong),
  documentFrequency: () => lax.documentFrequency({ documents: 1, frequencies: {}, ...wrong }),
  Deduplicator: () => new lax.Deduplicator(wrong),
  'Deduplicator, of a stream': () => new lax.Deduplicator({ onDropped: () => undefined }),
  DedupStream: () => new lax.DedupStream(wrong),
  dedup: () => lax.dedup([], wrong).next(),
  MinHasher: () => new lax.MinHasher(wrong),
  chooseBands: () => lax.chooseBands(16, 0.5, wrong),
  bandThreshold: () => lax.bandThreshold({ bands: 4, rows: 4, ...wrong }),
  DocumentSigner: () => new lax.DocumentSigner(wrong),
  SignatureIndex: () => new lax.SignatureIndex(wrong),
  UrlSet: () => new lax.UrlSet(wrong),
  BloomFilter: () => new lax.BloomFilter({ bits: 64, hashes: 1, ...wrong }),
  'BloomFilter.forCount': () => lax.BloomFilter.forCount(10, 0.1, wrong),
};

it.each(Object.entries(TAKERS))(
  '%s refuses a name that is no option, and lists those that are',
  async (_, take) => {
    const refusal = expect.objectContaining({
      code: 'ERR_NEARDUP_OUT_OF_RANGE',
      message: expect.stringMatching(/^a name in \w+ must be \w+(, \w+)*, got "(depth|onDropped)"$/),
    });
    await expect((async () => take())()).rejects.toEqual(refusal);
  },
);

function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

describe('values of many kinds of badness', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a hole among the recipes',
      () => api.fingerprints(['a'], { recipes: new Array(1) as never }),
      'INVALID_TYPE',
    ],
    ['recipes that are revoked', () => api.fingerprints(['a'], { recipes: revoked([]) }), 'INVALID_TYPE'],
    ['texts that are revoked', () => api.fingerprints(revoked([])), 'INVALID_TYPE'],
    ['n-grams that are revoked', () => api.recipes.words({ ngrams: revoked([1, 2]) }), 'INVALID_TYPE'],
    ['options that are revoked', () => api.recipes.words(revoked({})), 'INVALID_TYPE'],
    ['documents that are revoked', () => new api.Deduplicator().offerBatch(revoked([])), 'INVALID_TYPE'],
    ['the prototype of URLs', () => api.normalizeUrl(Object.create(URL.prototype)), 'INVALID_TYPE'],
    ['URLs that are revoked', () => api.normalizeUrl(revoked(new URL('http://a/'))), 'INVALID_TYPE'],
    ['a set without its buffer', () => new api.MinHasher().sign(detached()), 'INVALID_TYPE'],
    [
      'a hole among items',
      () => api.BloomFilter.forCount(9, 0.1).addBatch(new Array(2) as never),
      'INVALID_TYPE',
    ],
    ['items that are revoked', () => api.BloomFilter.forCount(9, 0.1).addBatch(revoked([])), 'INVALID_TYPE'],
    [
      'items that close the filter',
      () => {
        const filter = api.BloomFilter.forCount(9, 0.1);
        const items = Object.defineProperty(['a', 'b'], 1, {
          get: () => {
            filter.close();
            return 'b';
          },
        });
        return filter.addBatch(items);
      },
      'CLOSED',
    ],
    [
      'documents that close the deduplicator',
      () => {
        const deduplicator = new api.Deduplicator();
        return deduplicator.offer({
          id: 1,
          get text() {
            deduplicator.close();
            return 'a';
          },
        });
      },
      'CLOSED',
    ],
  ])('%s', async (_, call, suffix) => {
    await expect((async () => call())()).rejects.toEqual(code(suffix));
  });
});

function detached(): BigUint64Array {
  const set = BigUint64Array.of(1n);
  structuredClone(set.buffer, { transfer: [set.buffer] });
  return set;
}
