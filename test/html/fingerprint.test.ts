/** The weighted fingerprint: what moves it, by how much, and that real pages keep theirs. */
import { describe, expect, it } from 'vitest';
import { createHtmlFingerprinter, extractPage, extractText, fingerprintHtml } from '../../lib/html/index.ts';
import { fingerprint, hamming, recipes } from '../../lib/index.ts';
import { engines } from '../engines.ts';
import { captures } from './captures.ts';

const words = (stem: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${stem}${i}`).join(' ');
const page = (parts: { title?: string; nav?: string; heading?: string; body?: string }) =>
  `<title>${parts.title ?? ''}</title><nav>${parts.nav ?? ''}</nav><h1>${parts.heading ?? ''}</h1><p>${parts.body ?? ''}</p>`;
const zero = { title: 0, heading: 0, body: 0, links: 0, boilerplate: 0 };

describe('fingerprintHtml', () => {
  it('is the fingerprint of the text where one role alone has weight', () => {
    const html = page({
      title: words('t', 9),
      nav: words('n', 9),
      heading: words('h', 9),
      body: words('b', 9),
    });
    const only = (role: string) => fingerprintHtml(html, { weights: { ...zero, [role]: 2 } });
    const expected = (stem: string) => fingerprint(words(stem, 9), recipes.shingles(3));
    expect(only('title')).toBe(expected('t'));
    expect(only('boilerplate')).toBe(expected('n'));
    expect(only('heading')).toBe(expected('h'));
    expect(only('body')).toBe(expected('b'));
    expect(only('links')).toBe(undefined);
  });

  it('is the vote of the roles together, each by its weight', () => {
    const html = page({ title: words('t', 40), body: words('b', 60) });
    const weights = { ...zero, title: 3, body: 0.5 };
    // The same vote by an engine, from the features of each role.
    for (const engine of engines) {
      const fingerprinter = engine.createFingerprinter({ unit: 'words', min: 2, max: 2, weight: 'set' });
      const title = fingerprinter.frequencies(words('t', 40)).hashes;
      const body = fingerprinter.frequencies(words('b', 60)).hashes;
      const hashes = BigUint64Array.from([...title, ...body]);
      const weight = Float64Array.from(hashes, (_, i) => (i < title.length ? 3 : 0.5));
      const recipe = recipes.shingles(2, { weight: 'set' });
      expect(fingerprintHtml(html, { weights, recipe })).toBe(engine.accumulate(hashes, weight).fingerprint);
    }
  });

  it('moves little when the boilerplate changes, far when the body does', () => {
    const before = page({ title: 'T', nav: words('x', 30), body: words('b', 300) });
    const otherNav = page({ title: 'T', nav: words('y', 30), body: words('b', 300) });
    const otherBody = page({ title: 'T', nav: words('x', 30), body: words('c', 300) });
    const from = fingerprintHtml(before)!;
    const moved = hamming(from, fingerprintHtml(otherNav)!);
    expect(moved).toBeLessThan(
      hamming(fingerprint(extractText(before))!, fingerprint(extractText(otherNav))!),
    );
    expect(hamming(from, fingerprintHtml(otherBody)!)).toBeGreaterThan(16);
    expect(fingerprintHtml(otherNav, { weights: { boilerplate: 0 } })).toBe(
      fingerprintHtml(before, { weights: { boilerplate: 0 } }),
    );
  });

  it('has none where nothing has weight or text', () => {
    expect(fingerprintHtml('')).toBe(undefined);
    expect(fingerprintHtml('<img><script>a</script>')).toBe(undefined);
    expect(fingerprintHtml('<p>a', { weights: zero })).toBe(undefined);
  });

  it('decodes bytes, refuses pages over maxBytes', () => {
    const html = '<p>zażółć gęślą jaźń';
    expect(fingerprintHtml(Buffer.from(html))).toBe(fingerprintHtml(html));
    const latin2 = Uint8Array.from(
      [...html].map(
        (c) =>
          ({ ż: 0xbf, ó: 0xf3, ł: 0xb3, ć: 0xe6, ę: 0xea, ś: 0xb6, ą: 0xb1, ź: 0xbc, ń: 0xf1 })[c] ??
          c.charCodeAt(0),
      ),
    );
    expect(fingerprintHtml(latin2, { contentType: 'text/html; charset=iso-8859-2' })).toBe(
      fingerprintHtml(html),
    );
    expect(() => fingerprintHtml(html, { maxBytes: 5 })).toThrow(RangeError);
  });

  it.each([
    [{ weights: { body: -1 } }],
    [{ weights: { body: Number.NaN } }],
    [{ weights: { body: 1001 } }],
    [{ weights: { body: '1' } }],
    [{ weights: { footer: 1 } }],
    [{ weights: 5 }],
    [{ recipe: 'nonsense' }],
  ])('%j is refused', (options) => {
    const code = expect.stringMatching(/^ERR_NEARDUP_(?:INVALID_TYPE|OUT_OF_RANGE)$/);
    expect(() => fingerprintHtml('<p>a', options as object)).toThrow(expect.objectContaining({ code }));
  });

  it('names what its fingerprints depend on', () => {
    expect(createHtmlFingerprinter().recipe).toBe(
      'neardup-html:1 title=3 heading=2 body=1 links=0.5 boilerplate=0.125; neardup:1 shingles width=3 weight=count',
    );
    const other = createHtmlFingerprinter({
      weights: { boilerplate: 0, body: 1 / 3 },
      recipe: recipes.chars(5),
      attributes: ['title', 'alt'],
      noscript: true,
    });
    expect(other.recipe).toBe(
      'neardup-html:1 title=3 heading=2 body=0.328125 links=0.5 boilerplate=0 read=alt,noscript,title; neardup:1 chars n=5 weight=count',
    );
  });
});

describe.skipIf(captures.length === 0)('real pages', () => {
  const consecutive = captures.flatMap((capture, i) => {
    const next = captures[i + 1];
    return next?.group === capture.group && next.html !== capture.html
      ? [[capture.html, next.html] as const]
      : [];
  });
  const weighted = createHtmlFingerprinter();

  it('get one fingerprint while their visible text stays the same', () => {
    let same = 0;
    for (const [html, next] of consecutive) {
      const before = extractPage(html);
      const after = extractPage(next);
      if (before.text !== after.text || before.title !== after.title) continue;
      same++;
      expect(fingerprint(after.text)).toBe(fingerprint(before.text));
      expect(weighted.fingerprint(next)).toBe(weighted.fingerprint(html));
    }
    expect(same / consecutive.length).toBeGreaterThan(0.89);
  });

  it('stay within 3 bits of themselves and far from other pages', () => {
    const prints = captures.map(({ html }) => weighted.fingerprint(html)!);
    for (const [i, { group }] of captures.entries()) {
      for (const [j, other] of captures.entries()) {
        const distance = hamming(prints[i]!, prints[j]!);
        if (j === i + 1 && other.group === group) expect(distance).toBeLessThanOrEqual(3);
        // Two groups of one site are one page.
        if (other.group.split('/', 1)[0] !== group.split('/', 1)[0]) expect(distance).toBeGreaterThan(16);
      }
    }
  });
});
