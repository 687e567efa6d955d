/** Charsets: which one is chosen, and that bytes decode as the Encoding standard says. */
import { describe, expect, it } from 'vitest';
import { decodeHtml, extractPage } from '../../lib/html/index.ts';

const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const bytes = (...values: number[]) => Uint8Array.from(values);

describe('the encoding of a page', () => {
  const meta = '<meta charset="iso-8859-2">';
  it.each([
    [
      'byte order mark before all else',
      latin1(`\xef\xbb\xbf${meta}`),
      { contentType: 'text/html; charset=koi8-r' },
      'UTF-8',
    ],
    ['UTF-16 by its mark', bytes(0xff, 0xfe, 0x61, 0), {}, 'UTF-16LE'],
    ['the header before meta', latin1(meta), { contentType: 'text/html;charset="KOI8-R"; x=y' }, 'KOI8-R'],
    ['meta charset', latin1(meta), { contentType: 'text/html' }, 'ISO-8859-2'],
    [
      'meta http-equiv',
      latin1('<meta http-equiv=content-type content="text/html; charset=Shift_JIS">'),
      {},
      'Shift_JIS',
    ],
    ['meta after a comment', latin1(`<!-- <meta charset=utf-8> -->${meta}`), {}, 'ISO-8859-2'],
    ['meta beyond the first 1024 bytes', latin1(' '.repeat(1024) + meta), {}, 'UTF-8'],
    ['latin1 means windows-1252', latin1('<meta charset=latin1>'), {}, 'windows-1252'],
    ['UTF-16 in a meta cannot be', latin1('<meta charset=utf-16>'), {}, 'UTF-8'],
    ['an unknown label', latin1('a'), { contentType: 'text/html; charset=nonsense' }, 'UTF-8'],
    ['undeclared and valid UTF-8', Uint8Array.from(Buffer.from('é')), {}, 'UTF-8'],
    ['undeclared and not UTF-8', latin1('é'), {}, 'windows-1252'],
    ['undeclared, with a default', latin1('é'), { defaultEncoding: 'windows-1251' }, 'windows-1251'],
    ['empty', bytes(), {}, 'UTF-8'],
  ])('%s', (_, page, options, encoding) => {
    expect(decodeHtml(page, options).encoding).toBe(encoding);
    expect(extractPage(page, options).encoding).toBe(encoding);
  });
});

describe('decoding', () => {
  // Values of the Encoding standard's indexes; Node's own decoder gets the first four wrong or refuses them.
  it.each([
    ['windows-1252', bytes(0x93, 0x80, 0x94), '\u201c\u20ac\u201d'],
    ['windows-1253', bytes(0xaa), '\ufffd'],
    ['iso-8859-16', bytes(0xa4), '\u20ac'],
    ['x-user-defined', bytes(0x80), '\uf780'],
    ['koi8-r', bytes(0xf0, 0xd2), 'Пр'],
    ['shift_jis', bytes(0x93, 0xfa, 0x96, 0x7b), '日本'],
    ['euc-kr', bytes(0xc7, 0xd1), '한'],
    ['gbk', bytes(0xd6, 0xd0), '中'],
    ['big5', bytes(0xa4, 0xa4), '中'],
    ['utf-8', bytes(0x61, 0xff, 0x62), 'a\ufffdb'],
  ])('%s', (label, page, text) => {
    expect(decodeHtml(page, { contentType: `text/html; charset=${label}` }).html).toBe(text);
  });

  it('does not read an encoding that the standard refuses', () => {
    const page = latin1('<script>');
    expect(decodeHtml(page, { contentType: 'a/b; charset=hz-gb-2312' })).toEqual({
      html: '\ufffd',
      encoding: 'replacement',
    });
  });

  it('gives bytes and their text the same page', () => {
    const html = '<title>Zażółć</title><p>gęślą jaźń';
    const { encoding, ...page } = extractPage(Buffer.from(html));
    expect({ ...page, encoding: undefined }).toEqual(extractPage(html));
    expect(encoding).toBe('UTF-8');
  });

  it('refuses what are no bytes and no labels', () => {
    expect(() => decodeHtml('a' as never)).toThrow(
      expect.objectContaining({ code: 'ERR_NEARDUP_INVALID_TYPE' }),
    );
    expect(() => decodeHtml(bytes(), { contentType: 5 as never })).toThrow(TypeError);
    expect(() => decodeHtml(bytes(), { defaultEncoding: 'nonsense' })).toThrow(RangeError);
  });
});
