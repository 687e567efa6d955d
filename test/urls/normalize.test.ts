import { describe, expect, test } from 'vitest';
import { documentBase, MAX_URL_LENGTH, normalizeUrl, tryNormalizeUrl } from '../../lib/urls/normalize.ts';
import { type UrlPolicyOptions, urlPolicy } from '../../lib/urls/policy.ts';

describe('safe', () => {
  test.each([
    ['HTTP://User:Pw@Example.COM.:80/a/./b/../c?q=1#frag', 'http://example.com/a/c?q=1'],
    ['https://example.com:443', 'https://example.com/'],
    ['http://example.com/%7Euser/%e9%2f%2F', 'http://example.com/~user/%E9%2F%2F'],
    ['http://example.com/Case?Q=Case', 'http://example.com/Case?Q=Case'],
    ['http://example.com/?b=2&a=1&&utm_source=x', 'http://example.com/?b=2&a=1&&utm_source=x'],
    ['http://example.com/?1423', 'http://example.com/?1423'],
    ['http://example.com/?', 'http://example.com/?'],
    ['http://example.com/?a=%20+b', 'http://example.com/?a=%20+b'],
    ['http://example.com/#!page', 'http://example.com/'],
    ['http://www.example.com/index.html', 'http://www.example.com/index.html'],
    ['http://bücher.example/ä', 'http://xn--bcher-kva.example/%C3%A4'],
    ['http://example.com/a%2520b', 'http://example.com/a%2520b'],
    ['foo:/.//bar', 'foo:/.//bar'],
    ['http://example.com/a/.b/../c', 'http://example.com/a/c'],
    ['http://example.com/C:/.b/../../c', 'http://example.com/c'],
    ['file:///C:/.b/../../c', 'file:///C:/c'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
  ])('%s -> %s', (url, key) => {
    expect(normalizeUrl(url)).toBe(key);
    expect(normalizeUrl(new URL(url), 'safe')).toBe(key);
  });
});

describe('crawl', () => {
  test.each([
    ['http://a.example/?b=2&a=1&b=1', 'http://a.example/?a=1&b=2&b=1'],
    ['http://a.example/?&x=&=&y', 'http://a.example/?x=&y'],
    ['http://a.example/?', 'http://a.example/'],
    ['http://a.example/?utm_source=x&UTM_Medium=y&id=3&fbclid=z', 'http://a.example/?id=3'],
    ['http://a.example/?utm_source=x', 'http://a.example/'],
    ['http://a.example/?si=1&campid=2', 'http://a.example/?campid=2&si=1'],
    ['http://www.youtube.com/watch?v=1&si=2', 'http://www.youtube.com/watch?v=1'],
    ['http://ebay.com/?campid=2', 'http://ebay.com/'],
    ['http://notebay.com/?campid=2', 'http://notebay.com/?campid=2'],
    ['http://a.example/x;jsessionid=AB12?PHPSESSID=9&a=1', 'http://a.example/x?a=1'],
    ['http://a.example/(S(abc123))/page.aspx', 'http://a.example/page.aspx'],
    ['http://a.example/?sid=0123456789abcdef0123456789ABCDEF', 'http://a.example/'],
    ['http://a.example/?sid=17', 'http://a.example/?sid=17'],
    ['http://www.a.example/index.html/', 'http://www.a.example/index.html/'],
    ['ftp://a.example/?b&a&utm_source=x', 'ftp://a.example/?b&a&utm_source=x'],
  ])('%s -> %s', (url, key) => {
    expect(normalizeUrl(url, 'crawl')).toBe(key);
  });
});

describe('aggressive', () => {
  test.each([
    ['http://www.a.example/dir/INDEX.html?a=&b=1', 'http://a.example/dir?b=1'],
    ['http://www.www.a.example/', 'http://a.example/'],
    ['http://www.com/', 'http://www.com/'],
    // What would remain is an IPv4 address, and another one.
    ['http://www.0x7f.1../', 'http://www.0x7f.1../'],
    ['http://www.www.1../', 'http://www.1../'],
    ['http://www.a.1../', 'http://a.1../'],
    ['http://a.example//', 'http://a.example/'],
    ['http://a.example/default.aspx', 'http://a.example/'],
    ['http://a.example/a/index.html/index.php/', 'http://a.example/a'],
    ['http://a.example/?flag', 'http://a.example/?flag'],
  ])('%s -> %s', (url, key) => {
    expect(normalizeUrl(url, 'aggressive')).toBe(key);
  });
});

describe('options', () => {
  test.each<[UrlPolicyOptions, string, string]>([
    [{ fragment: 'hashbang' }, 'http://a/#!x y', 'http://a/#!x%20y'],
    [{ fragment: 'hashbang' }, 'http://a/#x', 'http://a/'],
    [{ fragment: 'keep' }, 'http://a/#x#y', 'http://a/#x%23y'],
    [
      { extends: 'crawl', keepParameters: ['utm_source'] },
      'http://a/?utm_source=1&utm_term=2',
      'http://a/?utm_source=1',
    ],
    [
      { extends: 'crawl', keepParameters: ['*@shop.example'] },
      'http://x.shop.example/?utm_source=1',
      'http://x.shop.example/?utm_source=1',
    ],
    [
      { dropParameters: ['ref', 'mc_*', 'src@news.example'] },
      'http://a/?REF=1&mc_a=2&src=3',
      'http://a/?src=3',
    ],
    [{ dropParameters: ['src@news.example'] }, 'http://a.news.example/?src=3&b', 'http://a.news.example/?b'],
    [{ extends: 'crawl', sortQuery: false }, 'http://a/?b&a', 'http://a/?b&a'],
    [{ indexFiles: ['home.html'] }, 'http://a/x/home.html', 'http://a/x/'],
  ])('%j: %s -> %s', (options, url, key) => {
    expect(normalizeUrl(url, options)).toBe(key);
    // The canonical text makes the same policy.
    const { text } = urlPolicy(options);
    expect(urlPolicy(text).text).toBe(text);
    expect(normalizeUrl(url, text)).toBe(key);
  });

  test('a policy has one text, whatever the way to say it', () => {
    expect(urlPolicy().text).toBe('safe/1');
    expect(urlPolicy('crawl').text).toBe('crawl/1');
    expect(urlPolicy({ extends: 'crawl', sortQuery: true }).text).toBe('crawl/1');
    expect(urlPolicy({ sortQuery: true, dropParameters: ['b', 'A', 'b'] }).text).toBe(
      'safe/1?dropParameters=a&dropParameters=b&sortQuery=true',
    );
    expect(urlPolicy('aggressive/1').text).toBe('aggressive/1');
    expect(urlPolicy({ extends: 'aggressive', stripWww: false }).text).toBe(
      urlPolicy(urlPolicy({ extends: 'aggressive', stripWww: false }).text).text,
    );
  });

  test.each([
    ['strict', 'ERR_NEARDUP_OUT_OF_RANGE'],
    ['safe/2', 'ERR_NEARDUP_UNSUPPORTED'],
    ['safe/1?nonsense=true', 'ERR_NEARDUP_OUT_OF_RANGE'],
    ['safe/1?sortQuery=maybe', 'ERR_NEARDUP_INVALID_TYPE'],
    [{ extends: 'mild' }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ sortQuery: 1 }, 'ERR_NEARDUP_INVALID_TYPE'],
    [{ fragment: 'some' }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ base: 'http://a/' }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [{ dropParameters: 'x' }, 'ERR_NEARDUP_INVALID_TYPE'],
    [{ dropParameters: ['@host'] }, 'ERR_NEARDUP_OUT_OF_RANGE'],
    [null, 'ERR_NEARDUP_INVALID_TYPE'],
    [7, 'ERR_NEARDUP_INVALID_TYPE'],
  ])('policy %j is refused', (policy, code) => {
    expect(() => urlPolicy(policy as never)).toThrow(expect.objectContaining({ code }));
  });
});

describe('bases', () => {
  test('relative URLs are resolved', () => {
    expect(normalizeUrl('../c?d', 'safe', 'http://A.example/a/b/')).toBe('http://a.example/a/c?d');
    expect(normalizeUrl('//b.example', undefined, new URL('https://a.example'))).toBe('https://b.example/');
    expect(tryNormalizeUrl('x', 'safe', 'not a base')).toBeUndefined();
  });

  test("a document's base is its <base>, itself relative to the document", () => {
    expect(documentBase('http://a.example/x/y')).toBe('http://a.example/x/y');
    expect(documentBase('http://a.example/x/y', '../z/')).toBe('http://a.example/z/');
    expect(documentBase('http://a.example/x/y', 'https://b.example/')).toBe('https://b.example/');
    expect(documentBase('http://a.example/x/y', 'http://[')).toBe('http://a.example/x/y');
    expect(documentBase('http://a.example/x/y', 'javascript:void 0')).toBe('http://a.example/x/y');
    expect(normalizeUrl('k', 'safe', documentBase('http://a.example/x', '/base/'))).toBe(
      'http://a.example/base/k',
    );
    expect(() => documentBase('x')).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_BAD_INPUT' }));
  });
});

describe('bad input', () => {
  test.each(['', ' ', 'x', '//host/', 'http://', 'http://[', 'http://a b/', 'http://a:99999/', '\ud800'])(
    '%j is refused',
    (url) => {
      expect(tryNormalizeUrl(url)).toBeUndefined();
      expect(() => normalizeUrl(url)).toThrow(
        expect.objectContaining({
          code: 'ERR_NEARDUP_BAD_INPUT',
          message: expect.stringContaining('not a URL'),
        }),
      );
    },
  );

  test.each([undefined, null, 5, {}, [], Symbol('x'), 1n])('what is no string is a type error', (url) => {
    for (const call of [() => normalizeUrl(url as never), () => tryNormalizeUrl(url as never)]) {
      expect(call).toThrow(expect.objectContaining({ code: 'ERR_NEARDUP_INVALID_TYPE' }));
    }
    if (url !== undefined) expect(() => normalizeUrl('x', 'safe', url as never)).toThrow(TypeError);
  });

  test('huge URLs end in bounded work', () => {
    const parameters = Array.from({ length: 1_000_000 }, (_, i) => `p${i % 1000}=${i}`).join('&');
    const key = normalizeUrl(`http://a/?${parameters}&utm_source=x`, 'aggressive');
    expect(key).toHaveLength('http://a/?'.length + parameters.length);
    const index = `http://a${'/index.html'.repeat(500_000)}`;
    expect(normalizeUrl(index, 'aggressive')).toBe('http://a/');
    const session = `http://a/${'..;jsessionid=1/'.repeat(300_000)}`;
    expect(normalizeUrl(session, 'crawl')).toBe('http://a/');
    const escapes = `http://a/${'%41%zz'.repeat(1_000_000)}`;
    expect(normalizeUrl(escapes)).toHaveLength('http://a/'.length + 6_000_000);
    expect(tryNormalizeUrl(`http://a/${'x'.repeat(MAX_URL_LENGTH)}`)).toBeUndefined();
  });
});
