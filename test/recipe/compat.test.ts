/** Values that other SimHash libraries' tests assert, or that their code printed when run. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createFingerprinter,
  createHasher,
  fingerprint,
  fingerprintFeatures,
  fingerprintHashes,
  HammingIndex,
  hamming,
  recipes,
  toHex,
} from '../../lib/index.ts';
import { flipCount, flipsWithin } from '../../lib/ts/index/flips.ts';
import { anyText } from '../texts.ts';

const python = recipes.compat('python-simhash');
const py = recipes.compat('simhash-py');
const go = recipes.compat('go-simhash');
const MASK = 2n ** 64n - 1n;

const hex = (text: string, recipe: typeof go) => toHex(fingerprint(text, recipe) as bigint);

describe('accumulation alone, ties 0', () => {
  it.each<[string, bigint[], bigint]>([
    ['none', [], 0n],
    ['100 times the same', new Array(100).fill(0xdeadbeefn), 0xdeadbeefn],
    ['a hash and its complement', [0x123456789abcdefn, 0x123456789abcdefn ^ MASK], 0n],
    ['three overlapping', [0xabcdn, 0xbcden, 0xcdefn], 0xadcfn],
    ['two of 64 bits', [13352372148217134600n, 5020219685658847592n], 74633958390507528n],
  ])('%s', (_, hashes, expected) => {
    for (const recipe of [py, python]) {
      expect(fingerprintHashes(BigUint64Array.from(hashes), undefined, recipe)).toBe(expected);
    }
  });

  it('distance', () => {
    expect(hamming(0xdeadbeefn, 0xdeadbeadn)).toBe(2);
  });

  it('ties 1 are the complement of the vote of complements', () => {
    const hashes = [13352372148217134600n, 5020219685658847592n, 1n, MASK];
    const complement = fingerprintHashes(
      BigUint64Array.from(hashes, (hash) => hash ^ MASK),
      undefined,
      py,
    );
    expect(fingerprintHashes(BigUint64Array.from(hashes), undefined, go)).toBe((complement as bigint) ^ MASK);
    expect(fingerprintHashes(BigUint64Array.of(1n, 1n ^ MASK), undefined, go)).toBe(MASK);
    expect(fingerprintHashes(new BigUint64Array(0), undefined, go)).toBe(MASK);
  });
});

describe('python-simhash', () => {
  const numbers = Array.from({ length: 500 }, (_, i) => String(i));

  it.each<[string, Parameters<typeof fingerprintFeatures>[0], bigint]>([
    ['two items', ['aaa', 'bbb'], 57087923692560392n],
    ['500 items', numbers, 7984652473404407437n],
    ['500 weighted pairs', numbers.map((item, i) => [item, 50 * i] as const), 3372825719632739723n],
    ['a map of weights', new Map(numbers.map((item, i) => [item, 50 * i])), 3372825719632739723n],
  ])('a list of %s', (_, features, expected) => {
    expect(fingerprintFeatures(features, undefined, python)).toBe(expected);
  });

  it('weights beside the features', () => {
    const weights = Float64Array.from(numbers, (_, i) => 50 * i);
    expect(fingerprintFeatures(numbers, weights, python)).toBe(3372825719632739723n);
  });

  it.each([
    ['a', '31c399e269772661'],
    ['aa', '086f24ba207a4912'],
    ['aaa', '67dbd57e9ca9f808'],
    ['aaaa', 'd33f80c4663dc5e5'],
    ['How are you? I AM fine. Thanks. And you?', 'bff3cd8a201e681a'],
    ['你好　世界！　　呼噜。', 'db8c51c7172ea364'],
    ['你好，世界！呼噜', 'db8c51c7172ea364'],
  ])('the text %s', (text, expected) => {
    expect(hex(text, python)).toBe(expected);
    expect(createFingerprinter(python.text).fingerprint(new TextEncoder().encode(text))).toBe(
      BigInt(`0x${expected}`),
    );
    const hasher = createHasher(python);
    for (const byte of new TextEncoder().encode(text)) hasher.update(Uint8Array.of(byte));
    expect(hasher.digest()).toBe(BigInt(`0x${expected}`));
  });
});

describe('simhash-py', () => {
  /** Pairs of places, smaller first, that an index within 3 bits gives. */
  function findAll(fingerprints: readonly bigint[]): string[] {
    using index = new HammingIndex({ maxDistance: 3 });
    index.addBatch(BigUint64Array.from(fingerprints), [...fingerprints.keys()]);
    return fingerprints.flatMap((fingerprint, i) =>
      index.query(fingerprint).flatMap(({ id }) => (id > i ? [`${i},${id}`] : [])),
    );
  }

  it('find_all: bytes and their shifts', () => {
    const bytes = [0xffn, 0xefn, 0xeen, 0xcen, 0x33n];
    const fingerprints = [0n, 8n, 16n, 24n].flatMap((shift) => bytes.map((byte) => byte << shift));
    const expected = [0, 5, 10, 15].flatMap((at) =>
      ['0,1', '0,2', '0,3', '1,2', '1,3', '2,3'].map((pair) =>
        pair
          .split(',')
          .map((place) => Number(place) + at)
          .join(','),
      ),
    );
    expect(expected.length).toBe(24);
    expect(findAll(fingerprints).sort()).toEqual(expected.sort());
  });

  it('find_all: two groups joined by zero', () => {
    const fingerprints = [
      0n,
      0x10101000n,
      0x10100010n,
      0x10001010n,
      0x00101010n,
      0x01010100n,
      0x01010001n,
      0x01000101n,
      0x00010101n,
    ];
    const pairs = findAll(fingerprints);
    expect(pairs.length).toBe(20);
    expect(pairs.filter((pair) => pair.startsWith('0,')).length).toBe(8);
    const inside = (low: number) =>
      pairs.filter((pair) =>
        pair.split(',').every((place) => Number(place) >= low && Number(place) < low + 4),
      );
    expect([inside(1).length, inside(5).length]).toEqual([6, 6]);
  });

  it('choose(6, 3) has 20 rows', () => {
    expect(flipCount(6, 3)).toBe(20);
    expect(new Set(flipsWithin(6, 3).masks).size).toBe(1 + 6 + 15 + 20);
  });

  it('more blocks or errors than there can be are an error', () => {
    for (const maxDistance of [64, 17, -1]) {
      expect(() => new HammingIndex({ maxDistance })).toThrow(RangeError);
    }
  });

  it('equal fingerprints of different items are pairs', () => {
    expect(findAll([7n, 7n, 7n])).toEqual(['0,1', '0,2', '1,2']);
  });

  it('takes a text by its set of windows', () => {
    // MD5, first 8 bytes, of the one window.
    expect(hex('a b-C d', py)).toBe('e2fc714c4727ee93');
    expect(hex('aaaaaaaaaa', py)).toBe(hex('aaaa', py));
  });
});

describe('go-simhash', () => {
  it('one feature', () => {
    expect(fingerprintFeatures(['test string'], undefined, go)).toBe(8811532157352841348n);
  });

  // The distance published for the second pair is 29; the two published values are 27 apart.
  it.each([
    ['this is a test phrase', '8c3a5f7e9ecb3f35', 'this is a test phrass', '8c3a5f7e9ecb3f21', 2],
    ['these are test phrases', 'ddfdbf7fbfaffb1d', 'foo bar', 'd8dbe7186bad3db3', 27],
  ])('%s / %s', (a, valueA, b, valueB, distance) => {
    expect([hex(a, go), hex(b, go)]).toEqual([valueA, valueB]);
    expect(hamming(fingerprint(a, go) as bigint, fingerprint(b, go) as bigint)).toBe(distance);
  });

  it('characters as features', () => {
    const a = fingerprintFeatures([...'当山峰没有棱角的时候'], undefined, go) as bigint;
    const b = fingerprintFeatures([...'当山谷没有棱角的时候'], undefined, go) as bigint;
    expect([toHex(a), toHex(b), hamming(a, b)]).toEqual(['d7185f186a2eea5a', 'd71a5f186a2eea5a', 1]);
  });

  it('describes a tie as 1', () => {
    const about = createFingerprinter(go).describe('foo bar');
    for (let bit = 0; bit < 64; bit++) {
      const one = ((about.fingerprint as bigint) >> BigInt(bit)) & 1n;
      expect(one === 1n).toBe((about.margins[bit] as number) >= 0);
    }
    expect(about.features).toBe(2);
  });
});

describe('compat recipes', () => {
  it('give a text without features no fingerprint', () => {
    for (const recipe of [python, py, go]) {
      expect(fingerprint('', recipe)).toBeUndefined();
      expect(fingerprint('!? …', recipe)).toBeUndefined();
    }
  });

  it('give the value of the whole for chunks cut anywhere', () => {
    const cuts = fc.array(fc.nat(200), { maxLength: 6 });
    const sigmas = fc.string({ unit: fc.constantFrom(..."ΣσΑα.' 東_:/ab", '\u0301'), maxLength: 40 });
    fc.assert(
      fc.property(
        fc.oneof(anyText, sigmas),
        cuts,
        fc.constantFrom(python, py, go),
        (text, places, recipe) => {
          const whole = createFingerprinter(recipe).features(text);
          const ends = [...places.sort((a, b) => a - b), text.length];
          const hasher = createHasher(recipe);
          for (const [i, end] of ends.entries()) hasher.update(text.slice(ends[i - 1] ?? 0, end));
          const expected = whole.size === 0 ? undefined : fingerprintFeatures(whole, undefined, recipe);
          expect(hasher.digest()).toBe(expected);
          expect(hasher.describe().features).toBe([...whole.values()].reduce((sum, tf) => sum + tf, 0));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('merge, and list features', () => {
    const merged = createHasher(go).update('this is').merge(createHasher(go).update('a test phrase'));
    expect(toHex(merged.digest() as bigint)).toBe('8c3a5f7e9ecb3f35');
    expect(createFingerprinter(go).features('a b a')).toEqual(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    );
    expect(createFingerprinter(py).features('AB, cd.e')).toEqual(
      new Map([
        ['abcd', 1],
        ['bcde', 1],
      ]),
    );
  });
});
