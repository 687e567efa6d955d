/** What of a page is text, where lines break, which role a block has, and what main text falls back to. */
import { describe, expect, it } from 'vitest';
import { extractPage, extractText } from '../../lib/html/index.ts';

const roles = (html: string) => extractPage(html).blocks.map(({ role, text }) => `${role}: ${text}`);

describe('visible text', () => {
  it.each([
    ['paragraphs', '<p>one<p>two', 'one\ntwo'],
    ['line breaks and rules', 'one<br>two<hr>three', 'one\ntwo\nthree'],
    ['inline elements join', 'f<b>o</b>o <i>b</i>ar', 'foo bar'],
    ['cells apart, rows on lines', '<table><tr><td>a<td>b<tr><td>c', 'a b\nc'],
    ['list items', '<ul><li>a<li>b<ul><li>c</ul></ul>d', 'a\nb\nc\nd'],
    ['white space, of every kind', ' a\n\t b&nbsp;\u3000c ', 'a b c'],
    ['preformatted text too', '<pre>a\n  b</pre>', 'a b'],
    ['entities', '&lt;p&gt; &eacute;&#233;&#xe9; &notit; &amp;lt;', '<p> ééé ¬it; &lt;'],
    ['broken entities', '&; &# &#x; &unknown; &#xffffffff;', '&; &# &#x; &unknown; \ufffd'],
    ['comments', 'a<!-- b --><!---->c<!-- <p>d', 'ac'],
    ['script and style', 'a<script>"<p>b</p>"</script><style>c{}</style>d', 'ad'],
    ['template, svg, iframe', 'a<template>b</template><svg><text>c</text></svg><iframe>d</iframe>e', 'ae'],
    ['head, but not what follows', '<head><title>t</title><meta content=x></head>a', 'a'],
    ['the hidden attribute', 'a<div hidden><p>b</p></div><p hidden="until-found">c</p>d', 'a\nd'],
    [
      'hidden by an inline style',
      'a<p style="color: red; display : none">b</p><i style="visibility:hidden">c</i>',
      'a',
    ],
    ['a style that only mentions it', '<p style="--x-display:none">a</p>', 'a'],
    ['closed dialog, open dialog', '<dialog>a</dialog><dialog open>b</dialog>', 'b'],
    ['aria-hidden is seen by eye', '<p aria-hidden="true">a</p>', 'a'],
    ['alt and title are not text', '<img alt="a" title="b">c', 'c'],
    ['ruby notes, without fallback brackets', '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢kan'],
    ['NUL is dropped', 'a\0b <p>\0</p>', 'ab'],
    ['no text at all', '<img><script>a</script>', ''],
    ['an unclosed tag', 'a<p class="', 'a'],
    ['a lone <', 'a < b <3 c', 'a < b <3 c'],
  ])('%s', (_, html, text) => {
    expect(extractText(html)).toBe(text);
  });

  it('shows noscript and attributes when asked to', () => {
    const html = '<noscript><p>a</p></noscript><img alt="b" title="c">d';
    expect(extractText(html, { noscript: true })).toBe('a\nd');
    expect(extractText(html, { attributes: ['alt'] })).toBe('b d');
    expect(extractText(html, { attributes: ['title', 'alt'] })).toBe('c b d');
    expect(extractText('<p hidden><img alt="b"></p>', { attributes: ['alt'] })).toBe('');
  });

  it('takes the title of the first title element that is shown', () => {
    expect(
      extractPage('<svg><title>icon</title></svg><title> a &amp;\n b </title><title>c</title>').title,
    ).toBe('a & b');
    expect(extractPage('<p>none').title).toBe('');
  });
});

describe('roles', () => {
  it('tells headings, links, prose and boilerplate apart', () => {
    const html = `
      <header><a href=/>Site</a></header><nav><ul><li><a href=a>A</a></ul></nav>
      <main><header><h1><a href=x>Heading</a></h1></header>
        <p>Prose with <a href=y>a link</a> in it.</p>
        <ul><li>\n  <a href=z>Only a link</a>\n</ul>
        <aside><h2>Aside</h2></aside><button>Share</button></main>
      <div id="cookie-banner"><p>We use cookies</p></div>
      <div class="wide onetrust-pc-sdk">Consent</div>
      <div role="contentinfo">Address</div><footer>Terms</footer>`;
    expect(roles(html)).toEqual([
      'boilerplate: Site',
      'boilerplate: A',
      'heading: Heading',
      'body: Prose with a link in it.',
      'links: Only a link',
      'boilerplate: Aside',
      'boilerplate: Share',
      'boilerplate: We use cookies',
      'boilerplate: Consent',
      'boilerplate: Address',
      'boilerplate: Terms',
    ]);
  });

  it('is not fooled by pages about cookies, and keeps roles to their element', () => {
    expect(roles('<section id="cookies"><h2 class="nav">Cookies</h2><p class="cookie-policy">a')).toEqual([
      'heading: Cookies',
      'body: a',
    ]);
    expect(roles('<body class="nav cookie-banner">a<nav>b</nav>c')).toEqual([
      'body: a',
      'boilerplate: b',
      'body: c',
    ]);
    expect(roles('a <span class="breadcrumb">b</span> c')).toEqual(['body: a', 'boilerplate: b', 'body: c']);
  });

  it('ends a link at </a> and at the next <a>, whatever stands between', () => {
    expect(roles('<div><a href=x><p>link</p><div></a><p>prose</div></div>')).toEqual([
      'links: link',
      'body: prose',
    ]);
    expect(roles('<a name=top><p>prose</p>')).toEqual(['body: prose']);
  });
});

describe('main text', () => {
  const article = Array.from(
    { length: 12 },
    (_, i) => `<p>Sentence ${i} of the article, with commas, and more words.</p>`,
  );
  const page = (body: string) =>
    `<title>T</title><nav><a href=a>Menu</a></nav><article>${body}</article><footer>Terms</footer>`;

  it('leaves navigation out, keeps line breaks', () => {
    const { text, mode, fallback, title } = extractPage(page(article.join('')), { mode: 'main' });
    expect({ mode, fallback, title }).toEqual({ mode: 'main', fallback: undefined, title: 'T' });
    expect(text.split('\n')).toEqual(article.map((p) => p.slice(3, -4)));
  });

  it('gives all the text where there is no main text, and says why', () => {
    for (const html of ['', '<img src=a>', '<p hidden>a']) {
      const expected = { text: '', mode: 'all', fallback: 'no main text' };
      expect(extractPage(html, { mode: 'main' })).toMatchObject(expected);
    }
    const deep = page('<div>'.repeat(300) + article.join(''));
    expect(extractPage(deep, { mode: 'main' })).toMatchObject({ text: extractText(deep), fallback: 'depth' });
    expect(extractPage(deep, { mode: 'main', maxDepth: 400 }).fallback).toBe(undefined);
    const many = page(article.join(''));
    expect(extractPage(many, { mode: 'main', maxElements: 5 }).fallback).toBe('elements');
    const costly = page(`${'<div>'.repeat(200)}<p>${'words, and words. '.repeat(20_000)}</p>`);
    expect(extractPage(costly, { mode: 'main' }).fallback).toBe('cost');
    // Each of these is cheaper than what the limits on depth and elements allow, and all are more together.
    const attributes = `class="${'a b '.repeat(250)}" id=${'c'.repeat(1000)} role=x`;
    const dressed = page(`${'<div>'.repeat(20)}${`<img ${attributes}>`.repeat(7000)}`);
    expect(extractPage(dressed, { mode: 'main' }).fallback).toBe('cost');
    expect(extractPage(page('<p>words, and words.</p>'.repeat(9000)), { mode: 'main' }).fallback).toBe(
      undefined,
    );
  });

  it('never reads what is hidden, and takes names that the DOM refuses', () => {
    const html = page(
      `${article.join('')}<p hidden>Secret, and more, and more.</p><a-b.c"d>Odd names, too</a-b.c"d>`,
    );
    const { text, fallback } = extractPage(html, { mode: 'main' });
    expect(fallback).toBe(undefined);
    expect(text).not.toContain('Secret');
    expect(text).toContain('Odd names');
  });
});

describe('arguments', () => {
  it.each([
    [42, undefined, 'ERR_NEARDUP_INVALID_TYPE'],
    [null, undefined, 'ERR_NEARDUP_INVALID_TYPE'],
    ['a', 1, 'ERR_NEARDUP_INVALID_TYPE'],
    ['a', { mode: 'other' }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    ['a', { maxBytes: -1 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    ['a', { maxDepth: 0 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    ['a', { maxElements: '5' }, 'ERR_NEARDUP_INVALID_TYPE'],
    ['a', { attributes: ['href'] }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    ['a', { attributes: 'alt' }, 'ERR_NEARDUP_INVALID_TYPE'],
    ['a', { noscript: 1 }, 'ERR_NEARDUP_INVALID_TYPE'],
    ['abc', { maxBytes: 2 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [new Uint8Array(3), { maxBytes: 2 }, 'ERR_NEARDUP_OUT_OF_RANGE'],
  ])('%s with %j is refused', (html, options, code) => {
    expect(() => extractText(html as string, options as object)).toThrow(expect.objectContaining({ code }));
  });

  it('takes a page of exactly maxBytes', () => {
    expect(extractText('abc', { maxBytes: 3 })).toBe('abc');
  });
});
