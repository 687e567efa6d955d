/** Links: resolved as a browser does, each once, nothing that a crawler cannot fetch. */
import { describe, expect, it } from 'vitest';
import { extractLinks } from '../../lib/html/index.ts';

const BASE = 'https://example.com/a/b?q';

describe('extractLinks', () => {
  it.each([
    [
      'relative, absolute, own scheme',
      '<a href=c><a href="/d"><a href="//x.org/">',
      ['https://example.com/a/c', 'https://example.com/d', 'https://x.org/'],
    ],
    [
      'query alone, fragment alone, empty',
      '<a href="?p=1"><a href="#f"><a href="">',
      ['https://example.com/a/b?p=1', 'https://example.com/a/b?q#f', 'https://example.com/a/b?q'],
    ],
    ['entities and white space', '<a href=" c?x=1&amp;y=2\n">', ['https://example.com/a/c?x=1&y=2']],
    [
      'each once, in order',
      '<a href=d><a href=c><a href=./d>',
      ['https://example.com/a/d', 'https://example.com/a/c'],
    ],
    [
      'the first base, itself relative',
      '<a href=c><base href="/z/"><base href="/y/">',
      ['https://example.com/z/c'],
    ],
    ['a base that is no URL', '<base href="http://["><a href=c>', ['https://example.com/a/c']],
    ['a base without href', '<base target=x><base href="/z/"><a href=c>', ['https://example.com/z/c']],
    [
      'areas, not other elements',
      '<area href=c><link href=d><img src=e><a name=f>',
      ['https://example.com/a/c'],
    ],
    [
      'http and https alone',
      '<a href="mailto:a@b.c"><a href="javascript:1"><a href="data:,a"><a href="ftp://a/"><a href="http://a/">',
      ['http://a/'],
    ],
    ['what is no URL', '<a href="http://["><a href="http://a:99999/">', []],
    ['comments and scripts', '<!-- <a href=c> --><script>"<a href=d>"</script>', []],
  ])('%s', (_, html, links) => {
    expect(extractLinks(html, BASE)).toEqual(links);
    expect(extractLinks(Buffer.from(html), new URL(BASE))).toEqual(links);
  });

  it('passes over endless hrefs', () => {
    expect(extractLinks(`<a href="${'x'.repeat(1e6)}"><a href=c>`, BASE)).toEqual([
      'https://example.com/a/c',
    ]);
  });

  it('refuses a base that is no absolute URL, a page too large', () => {
    expect(() => extractLinks('', '/a')).toThrow(RangeError);
    expect(() => extractLinks('', 5 as never)).toThrow(TypeError);
    expect(() => extractLinks('abc', BASE, { maxBytes: 2 })).toThrow(RangeError);
  });
});
