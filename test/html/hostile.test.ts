/**
 * Hostile pages: they are read to their end within the time that any test has, at a cost that grows with
 * their length. What is counted is the calls that a scan makes; quadratic work would not end in time.
 */
import { describe, expect, it } from 'vitest';
import { extractLinks, extractPage, extractText, fingerprintHtml } from '../../lib/html/index.ts';
import { scan } from '../../lib/html/scan.ts';

const N = 50_000;
const MANY = 1_000_000;

/** Name, page of n units, the length of its text. */
const pages: readonly (readonly [string, (n: number) => string, (n: number) => number])[] = [
  ['nested elements', (n) => '<div>'.repeat(n), () => 0],
  ['nested inline elements and unmatched end tags', (n) => `${'<b>'.repeat(n)}${'</i>'.repeat(n)}x`, () => 1],
  ['end tags that close nothing', (n) => `${'<div>'.repeat(n)}${'</b></p></td></table>'.repeat(n)}`, () => 0],
  ['formatting elements across paragraphs', (n) => '<b><p>x'.repeat(n), (n) => 2 * n - 1],
  ['nested tables', (n) => `${'<table><tr><td>'.repeat(n)}x`, () => 1],
  ['text between the cells of tables', (n) => `<table>${'<b>x'.repeat(n)}`, (n) => n],
  ['nested lists', (n) => '<ul><li>x'.repeat(n), (n) => 2 * n - 1],
  ['headings with wrong end tags', (n) => '<h1><div></h2>x'.repeat(n), (n) => 2 * n - 1],
  ['links in links', (n) => '<a href=x><div>x'.repeat(n), (n) => 2 * n - 1],
  ['end tags beyond blocks', (n) => '<i><div><svg></i>x'.repeat(n), (n) => 2 * n - 1],
  ['svg in svg, left by HTML', (n) => '<svg><g><div>x'.repeat(n), (n) => 2 * n - 1],
  ['templates', (n) => `${'<template>'.repeat(n)}${'</td></tr>'.repeat(n)}x`, () => 0],
  ['forms and buttons', (n) => '<form><button>x'.repeat(n), (n) => 2 * n - 1],
  [
    'element names, all different',
    (n) => `${Array.from({ length: n }, (_, i) => `<x${i}>`).join('')}x`,
    () => 1,
  ],
  [
    'attributes of one tag',
    (n) => `<a ${Array.from({ length: n }, (_, i) => `a${i}=b`).join(' ')}>x`,
    () => 1,
  ],
  ['one endless attribute', (n) => `<a href="${'x &amp; '.repeat(n)}">x`, () => 1],
  ['class names', (n) => `<a class="${'cookie-'.repeat(n)}">x`, () => 1],
  ['a style with colons', (n) => `<p style="${'display: '.repeat(n)}">x`, () => 1],
  ['an attribute that never ends', (n) => `<a href="${'x '.repeat(n)}`, () => 0],
  ['comments that never end', (n) => '<!--'.repeat(n), () => 0],
  ['dashes in a comment', (n) => `<!--${'-- '.repeat(n)}-->x`, () => 1],
  ['scripts that never end', (n) => '<script>'.repeat(n), () => 0],
  ['CDATA sections', (n) => '<![CDATA['.repeat(n), () => 0],
  ['less-than signs', (n) => '<'.repeat(n), (n) => n],
  ['ampersands', (n) => '&'.repeat(n), (n) => n],
  ['entities cut short', (n) => '&CounterClockwiseContourIntegra'.repeat(n), (n) => 31 * n],
  ['numeric entities without digits', (n) => '&#x'.repeat(n), (n) => 3 * n],
  ['entities', (n) => '&amp;'.repeat(n), (n) => n],
  ['NULs', (n) => `${'\0'.repeat(n)}x`, () => 1],
  ['white space', (n) => ` x${' \n\t'.repeat(n)}x `, () => 3],
  ['line breaks', (n) => 'x<br>'.repeat(n), (n) => 2 * n - 1],
  ['titles', (n) => '<title>x</title>'.repeat(n), () => 0],
];

/** The calls of a scan; every open has its close. */
function calls(html: string): number {
  let count = 0;
  let depth = 0;
  scan(html, new Set(['href']), false, {
    open() {
      count++;
      depth++;
    },
    close() {
      count++;
      depth--;
    },
    text() {
      count++;
    },
  });
  expect(depth).toBe(0);
  return count;
}

describe('pages of hostile parts', () => {
  it.each(pages)('%s', (_, make, length) => {
    expect(extractText(make(N)).length).toBe(length(N));
    const some = calls(make(1000));
    expect(calls(make(8000))).toBeLessThanOrEqual(8 * some + 8);
  });

  it('a million nested elements, whatever is asked of them', () => {
    const html = `${'<div>'.repeat(MANY)}<a href=/b>x</a>`;
    expect(extractPage(html, { mode: 'main' })).toMatchObject({ text: 'x', mode: 'all', fallback: 'depth' });
    expect(fingerprintHtml(html)).toBe(fingerprintHtml('<a href=/b>x</a>'));
    expect(extractLinks(html, 'http://a/')).toEqual(['http://a/b']);
  });

  it('a hundred megabytes, when that is allowed', () => {
    const paragraph = `<p>${'some words of text '.repeat(52)}&eacute;</p>`;
    expect(paragraph.length).toBe(1003);
    const html = paragraph.repeat(100_000);
    expect(() => extractText(html)).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_OUT_OF_RANGE' }));
    const { blocks, text } = extractPage(html, { maxBytes: html.length });
    expect(blocks.length).toBe(100_000);
    expect(text.length).toBe(100_000 * 990 - 1);
  });

  it('main text is not sought where it would cost too much', () => {
    for (const [name, make] of pages) {
      const html = make(N);
      const { mode, text, fallback } = extractPage(html, { mode: 'main' });
      // What is small and shallow once read may have a main text.
      if (mode === 'all') expect(fallback, name).toBeDefined();
      else expect(text.length, name).toBeLessThanOrEqual(extractText(html).length);
    }
  });
});
