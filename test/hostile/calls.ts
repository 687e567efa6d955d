/** Every exported function, constructor and method that takes arguments, with good ones. */
import type * as Html from '../../lib/html/index.ts';
import type * as Api from '../../lib/index.ts';

export interface Call {
  /** `name` of a function or constructor, `Class.method` of a method. */
  readonly name: string;
  /** Each makes one good argument. */
  readonly args: readonly (() => unknown)[];
  readonly call: (...args: unknown[]) => unknown;
}

/** The calls of one instance of the package. */
export function makeCalls(api: typeof Api, html: typeof Html): readonly Call[] {
  const TEXT = 'the quick brown fox jumps over the lazy dog';
  const PAGE = `<title>Fox</title><p>${TEXT}</p><a href="/dog">dog</a>`;
  const URL_TEXT = 'https://example.org/a?b=1';

  const text = () => TEXT;
  const bytes = () => new TextEncoder().encode(TEXT);
  const code = () => 0x0123_4567_89ab_cdefn;
  const codes = () => BigUint64Array.of(1n, 2n, 3n);
  const ids = () => [1, 2, 3];
  const id = () => 7;
  const recipe = () => api.recipes.shingles(2);
  const options = () => ({});
  const share = () => 0.5;
  const count = () => 16;
  const bands = () => ({ bands: 4, rows: 4 });
  const pageText = () => PAGE;
  const url = () => URL_TEXT;
  const bits = () => 4;

  const index = () => new api.HammingIndex();
  const filter = () => api.BloomFilter.forCount(100, 0.01);
  const signer = () => new api.DocumentSigner();
  const signature = () => signer().sign(TEXT);
  const hasher = () => api.createHasher();
  const document = () => ({ id: 'a', text: TEXT });
  const signatures = () => new api.SignatureIndex();
  const minHash = () => new api.MinHasher().sign(api.shingles(TEXT));
  const fingerprinter = () => api.createFingerprinter();
  const frequencies = () => new Map([['fox', 2]]);

  function entry(name: string, args: Call['args'], call: (...args: unknown[]) => unknown): Call {
    return { name, args, call };
  }

  /** A method, called on a new object each time. */
  function method(name: string, make: () => object, args: Call['args']): Call {
    const key = name.split('.')[1] as string;
    return entry(name, args, (...given) => {
      const object = make() as Record<string, (...given: unknown[]) => unknown>;
      return object[key]?.(...given);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: hostile calls defy the types
  const lax = api as any;
  // biome-ignore lint/suspicious/noExplicitAny: hostile calls defy the types
  const laxHtml = html as any;

  const functions: readonly (readonly [name: string, args: Call['args']])[] = [
    ['backendInfo', []],
    ['createFingerprinter', [recipe, options]],
    ['createHasher', [recipe, options]],
    ['fingerprint', [text, recipe]],
    ['describe', [bytes, recipe]],
    ['fingerprints', [() => [TEXT], options]],
    ['fingerprintFeatures', [() => ['fox', 'dog'], () => [1, 2], () => api.recipes.compat('go-simhash')]],
    ['fingerprintHashes', [codes, () => Float64Array.of(1, 2, 3), () => api.recipes.compat('go-simhash')]],
    ['toHex', [code]],
    ['parseHex', [() => '0123456789abcdef']],
    ['toInt64', [code]],
    ['fromInt64', [code]],
    ['hamming', [code, code]],
    ['hammingMany', [codes, code]],
    ['parseRecipe', [() => recipe().text]],
    ['documentFrequency', [() => ({ documents: 10, frequencies: frequencies() })]],
    ['dedup', [() => [document()], options]],
    ['contentDigest', [text, () => 'sha256']],
    ['shingles', [text, () => 3]],
    ['weightedFeatures', [text, recipe]],
    ['cosine', [() => api.weightedFeatures(TEXT), () => api.weightedFeatures(TEXT)]],
    ['jaccard', [codes, codes]],
    ['containment', [codes, codes]],
    ['agreement', [signature, signature]],
    ['estimateJaccard', [minHash, minHash]],
    ['packMinHash', [minHash, bits]],
    ['standardError', [share, count, bits]],
    ['bandKeys', [minHash, bands]],
    ['bandProbability', [share, bands]],
    ['bandThreshold', [bands]],
    ['chooseBands', [count, share, options]],
    ['normalizeUrl', [url, () => 'crawl', url]],
    ['tryNormalizeUrl', [url, () => 'crawl', url]],
    ['documentBase', [url, () => '/base']],
    ['urlPolicy', [() => 'aggressive']],
  ];

  const htmlFunctions: readonly (readonly [name: string, args: Call['args']])[] = [
    ['extractText', [pageText, () => ({ mode: 'main' })]],
    ['extractPage', [pageText, options]],
    ['extractLinks', [pageText, url, options]],
    ['decodeHtml', [bytes, options]],
    ['fingerprintHtml', [pageText, options]],
    ['createHtmlFingerprinter', [options]],
  ];

  const packed = () => api.packMinHash(minHash() as BigUint64Array, 4);

  return [
    ...functions.map(([name, args]) => entry(name, args, (...given) => lax[name](...given))),
    ...htmlFunctions.map(([name, args]) => entry(name, args, (...given) => laxHtml[name](...given))),
    entry('estimateJaccardPacked', [packed, packed, () => ({ permutations: 128, bits: 4 })], (...given) =>
      lax.estimateJaccardPacked(...given),
    ),
    entry('recipes.words', [options], (...given) => lax.recipes.words(...given)),
    entry('recipes.shingles', [() => 3, options], (...given) => lax.recipes.shingles(...given)),
    entry('recipes.chars', [() => 5, options], (...given) => lax.recipes.chars(...given)),
    entry('recipes.compat', [() => 'python-simhash'], (...given) => lax.recipes.compat(...given)),

    entry('Fingerprinter', [recipe, options], (...given) => new lax.Fingerprinter(...given)),
    method('Fingerprinter.fingerprint', fingerprinter, [text]),
    method('Fingerprinter.fingerprintBatch', fingerprinter, [() => [TEXT]]),
    method('Fingerprinter.describe', fingerprinter, [text]),
    method('Fingerprinter.features', fingerprinter, [text]),
    method('Hasher.update', hasher, [bytes]),
    method('Hasher.merge', hasher, [hasher]),

    // Numbers agree but for rounding (test/parity/planner.test.ts).
    entry('plan', [() => ({ count: 1000 })], (...given) =>
      lax.plan(...given).map(({ name }: { name: string }) => name),
    ),
    entry('HammingIndex', [options], (...given) => new lax.HammingIndex(...given)),
    method('HammingIndex.add', index, [code, id]),
    method('HammingIndex.addBatch', index, [codes, ids]),
    method('HammingIndex.addIfNew', index, [code, id, options]),
    method('HammingIndex.addIfNewBatch', index, [codes, ids, options]),
    method('HammingIndex.query', index, [code, options]),
    method('HammingIndex.queryBatch', index, [codes, options]),
    method('HammingIndex.addBatchAsync', index, [codes, ids, options]),
    method('HammingIndex.load', index, [() => [{ fingerprints: codes(), ids: ids() }], options]),
    method('HammingIndex.queryBatchAsync', index, [codes, options]),
    method('HammingIndex.remove', index, [code, id]),
    method('HammingIndex.removeBatch', index, [codes, ids]),
    method('HammingIndex.removeBefore', () => new api.HammingIndex({ times: true }), [id]),
    method('HammingIndex.join', index, [index, options]),
    method('HammingIndex.compact', index, [options]),
    method('HammingIndex.pairs', index, [options]),
    method('HammingIndex.entries', index, [options]),
    method('HammingIndex.groups', index, [options]),
    method('HammingIndex.approximatePairs', index, [options]),
    entry('HammingIndex.open', [() => 'stored', options], async (...given) => {
      (await lax.HammingIndex.open(...given)).close();
    }),
    entry('HammingIndex.snapshot', [() => 'copy'], async (directory) => {
      const stored = await lax.HammingIndex.open('copied');
      try {
        await stored.snapshot(directory);
      } finally {
        stored.close();
      }
    }),
    entry('verifyIndex', [() => 'stored'], (path) => lax.verifyIndex(path)),
    entry('repairIndex', [() => 'stored'], (path) => lax.repairIndex(path)),

    entry('Deduplicator', [options], (...given) => new lax.Deduplicator(...given)),
    method('Deduplicator.offer', () => new api.Deduplicator(), [document]),
    method('Deduplicator.offerBatch', () => new api.Deduplicator(), [() => [document()]]),
    entry('DedupStream', [options], (...given) => {
      new lax.DedupStream(...given).destroy();
    }),

    entry('MinHasher', [options], (...given) => new lax.MinHasher(...given)),
    method('MinHasher.sign', () => new api.MinHasher(), [codes]),
    entry('DocumentSigner', [options], (...given) => new lax.DocumentSigner(...given)),
    method('DocumentSigner.sign', signer, [text]),
    method('DocumentSigner.matchProbability', signer, [share, () => 1]),
    entry('SignatureIndex', [options], (...given) => new lax.SignatureIndex(...given)),
    method('SignatureIndex.add', signatures, [signature, id]),
    method('SignatureIndex.query', signatures, [signature, options]),
    method('SignatureIndex.addIfNew', signatures, [signature, id]),

    entry('UrlSet', [options], (...given) => new lax.UrlSet(...given)),
    entry('UrlSet.open', [() => 'urls.set', options], (path, ...given) => {
      const set = new api.UrlSet();
      set.save('urls.set');
      set.close();
      lax.UrlSet.open(path, ...given).close();
    }),
    method('UrlSet.fingerprint', () => new api.UrlSet(), [url]),
    method('UrlSet.addIfNew', () => new api.UrlSet(), [url]),
    method('UrlSet.has', () => new api.UrlSet(), [url]),
    method('UrlSet.addBatch', () => new api.UrlSet(), [() => [URL_TEXT]]),
    method('UrlSet.addBatchAsync', () => new api.UrlSet(), [() => [URL_TEXT]]),
    method('UrlSet.saveAsync', () => new api.UrlSet(), [() => 'urls.set']),
    method('UrlSet.hasBatch', () => new api.UrlSet(), [() => [URL_TEXT]]),
    method('UrlSet.falsePositiveRate', () => new api.UrlSet(), [count]),
    method('UrlSet.expectedFalsePositives', () => new api.UrlSet(), [count]),
    method('UrlSet.save', () => new api.UrlSet(), [() => 'saved.set']),

    entry(
      'BloomFilter',
      [() => ({ bits: 128, hashes: 3, blocked: false })],
      (...given) => new lax.BloomFilter(...given),
    ),
    entry('BloomFilter.forCount', [count, () => 0.01, options], (...given) =>
      lax.BloomFilter.forCount(...given),
    ),
    entry('BloomFilter.open', [() => 'filter.bloom'], (path) => {
      const saved = filter();
      saved.save('filter.bloom');
      saved.close();
      lax.BloomFilter.open(path).close();
    }),
    method('BloomFilter.addIfNew', filter, [text]),
    method('BloomFilter.has', filter, [text]),
    method('BloomFilter.addBatch', filter, [codes]),
    method('BloomFilter.hasBatch', filter, [codes]),
    method('BloomFilter.falsePositiveRate', filter, [count]),
    method('BloomFilter.union', filter, [filter]),
    method('BloomFilter.save', filter, [() => 'saved.bloom']),
  ];
}
