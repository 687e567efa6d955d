/** Random texts that reach the corners of Unicode handling. */
import fc from 'fast-check';

const pieces = [
  'the',
  'QUICK',
  'Straße',
  'STRASSE',
  'İstanbul',
  'ΟΔΟΣ',
  'οδος',
  'naïve',
  'nai\u0308ve',
  'a\u0323\u0307\u0301',
  'a\u0307\u0323\u0301',
  '=\u0338',
  '\u0344\u0345',
  '한국어',
  '\u1112\u1161\u11ab',
  '\uac00\u11a8',
  '\u2126',
  '東京都',
  '東',
  'カ\u3099',
  'ภาษาไทย',
  'ကမ္ဘာ',
  '2024年',
  '\u00ad',
  '\u200d',
  'e\u034f\u0301',
  '😀',
  '\ud83d',
  '\ude00',
  '𠮷',
  '𝐀',
  '\u{1d15e}',
  'ﬃ',
  ' ',
  '\n\n',
  ', ',
  '-',
  '_',
  "'",
  '\u0000',
  '\uffff',
  '7',
];

/** Words, marks, scripts without spaces, lone surrogates, emoji, separators, and any UTF-16 unit. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 }).map((n) => 'ab c'.repeat(n)) },
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));
