import { describe, expect, it } from 'vitest';
import { engines } from '../engines.ts';

const CASES: [string, string, string[]][] = [
  [
    'runs of letters and digits',
    'The quick-brown fox_42, don’t',
    ['the', 'quick', 'brown', 'fox', '42', 'don', 't'],
  ],
  ['full case folding', 'Straße ΟΔΟΣ οδός ﬃ', ['strasse', 'οδοσ', 'οδόσ', 'ffi']],
  ['dotted I keeps its dot as a mark', 'İ', ['i\u0307']],
  ['composed and decomposed are one', 'caf\u00e9 cafe\u0301', ['caf\u00e9', 'caf\u00e9']],
  ['an accent on ASCII at the end of a run', 'e\u0301a A\u030a', ['\u00e9a', '\u00e5']],
  ['a separator that a mark changes', '=\u0338 x', ['x']],
  ['a mark on its own is a token', '- \u0301 -', ['\u0301']],
  ['soft hyphens and joiners are dropped', 'so\u00adft a\u200db \ufeffc', ['soft', 'ab', 'c']],
  ['bigrams of Han, Kana and Thai', '東京都 カタ 東', ['東京', '京都', 'カタ', '東']],
  ['Latin next to Han', 'abc東京x2年', ['abc', '東京', 'x2', '年']],
  ['bigrams of code points beyond the BMP', '𠮷野家', ['𠮷野', '野家']],
  ['Hangul by its spaces, however composed', '한국어 \u1112\u1161\u11ab', ['한국어', '한']],
  ['lone surrogates separate', 'a\ud800b\udc00c', ['a', 'b', 'c']],
  ['emoji and symbols separate', 'a😀b ≠ ☃', ['a', 'b']],
  ['no tokens', ' \n—😀', []],
];

describe.each(engines)('tokens of the $backend engine', (engine) => {
  const words = engine.createFingerprinter({ unit: 'words', min: 1, max: 1, weight: 'count' });

  it.each(CASES)('%s', (_, text, expected) => {
    expect(words.tokens(text)).toEqual(expected);
  });

  it('reads UTF-8 as it reads strings', () => {
    for (const [, text, expected] of CASES) {
      expect(words.tokens(new TextEncoder().encode(text))).toEqual(expected);
    }
  });

  it('finds tokens across the blocks that text is read in', () => {
    for (let length = 1; length <= 200; length++) {
      const expected = ['x'.repeat(length), 'yy', 'z'.repeat(70), 'é'];
      expect(words.tokens(expected.join(', '))).toEqual(expected);
      expect(words.tokens(new TextEncoder().encode(expected.join(' ')))).toEqual(expected);
    }
  });

  it('leaves out stop words', () => {
    const options = {
      unit: 'words',
      min: 1,
      max: 1,
      weight: 'count',
      stopWords: ['the', 'ß', '東京', '年'],
    } as const;
    const tokens = engine.createFingerprinter(options).tokens('The other THE ß 東京都 年');
    expect(tokens).toEqual(['other', 'ss', '京都']);
  });
});
