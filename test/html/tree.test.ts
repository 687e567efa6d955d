/** What is visible, against parse5, on real pages and on random tag soup. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractText } from '../../lib/html/extract.ts';
import { captures } from './captures.ts';
import { visibleTexts, visibleWords } from './parse5-words.ts';

const ELEMENTS = (
  'div p span b a ul ol li table tbody tr td th caption h1 h2 section nav header button dl dt dd form svg ' +
  'script style template noscript pre i font math li'
).split(' ');

/** Tag soup: start tags, end tags, hidden elements and numbered words in any order. */
const soup = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('word') },
      { weight: 4, arbitrary: fc.constantFrom(...ELEMENTS).map((name) => `<${name}>`) },
      { weight: 4, arbitrary: fc.constantFrom(...ELEMENTS).map((name) => `</${name}>`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '<div hidden>',
          '<p style="display: none">',
          '<br>',
          '</br>',
          '<hr>',
          '<img>',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('<!-- c -->', '<a href=x>', '<svg/>', '<div/>', ' &amp; ', ' < '),
      },
    ),
    { maxLength: 40 },
  )
  .map(
    (pieces) => `<!doctype html>${pieces.map((piece, i) => (piece === 'word' ? ` w${i} ` : piece)).join('')}`,
  );

/** Misnested inline elements around svg and math. */
const misnested = fc
  .array(
    fc.constantFrom(...'i b a div svg math g p span /i /b /a /div /svg /math /g /p /span w w'.split(' ')),
    {
      maxLength: 14,
    },
  )
  .map(
    (pieces) =>
      `<!doctype html>${pieces.map((piece, i) => (piece === 'w' ? ` w${i} ` : `<${piece}>`)).join('')}`,
  );

/** NEARDUP_FUZZ_RUNS and NEARDUP_FUZZ_SEED ask for more, and for others. */
const RUNS = Number(process.env.NEARDUP_FUZZ_RUNS ?? 10_000);
const SEED = Number(process.env.NEARDUP_FUZZ_SEED ?? 6);

describe('visible text against parse5', () => {
  it.each([
    '<i><div><svg></i>w',
    '<i><div><svg></i><svg></i>w',
    '<i><div><p><math><mrow></i>w',
    '<i><svg><foreignObject><svg></i>w',
    '<a><div><svg></a>w',
    '<a><div><svg><a>w',
    '<nobr><div><svg></nobr>w',
    '<i><table><td><svg></i>w',
  ])('is the same for %s', (html) => {
    expect(extractText(html).split(/\s+/).filter(Boolean)).toEqual(visibleWords(html));
  });

  it('shows the same words of misnested inline elements', () => {
    fc.assert(
      fc.property(misnested, (html) => {
        expect(extractText(html).split(/\s+/).filter(Boolean)).toEqual(visibleWords(html));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('shows the same words of tag soup', () => {
    fc.assert(
      fc.property(soup, (html) => {
        // The tokenizer reads style and script inside svg, math and noscript as it does outside.
        fc.pre(!/<(?:svg|math|noscript)>.*<(?:style|script)/.test(html));
        const words = extractText(html).split(/\s+/).filter(Boolean);
        // The standard moves text out of tables; the words are the same.
        expect(words.sort()).toEqual(visibleWords(html).sort());
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it.skipIf(captures.length === 0)('shows the same text of real pages, in order', () => {
    const squeeze = (text: string) => text.replace(/\s+/g, '');
    for (const { id, html } of captures) {
      expect(squeeze(extractText(html)), id).toBe(squeeze(visibleTexts(html).join('')));
    }
  });
});
