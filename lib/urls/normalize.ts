/**
 * URL normalisation: one text for all spellings of a URL that a policy holds for the same. The result is
 * a key for comparing; the original is what to fetch. Stands on the WHATWG URL parser; f(f(x)) = f(x).
 */
import { makeError } from '../errors.ts';
import { show, wrongType } from '../validate.ts';
import { normalizePath, withoutDotSegments } from './path.ts';
import { HOST, normalizeEscapes, PATH, QUERY } from './percent.ts';
import { type UrlPolicy, type UrlPolicyOptions, urlPolicy } from './policy.ts';
import { normalizeQuery } from './query.ts';

/** Longest URL taken, in UTF-16 code units. */
export const MAX_URL_LENGTH = 2 ** 27;

const SPECIAL = ['http:', 'https:', 'ws:', 'wss:', 'ftp:', 'file:'];

const { get: hrefOf } = Object.getOwnPropertyDescriptor(URL.prototype, 'href') as { get: () => string };

/** The text of a string or of a URL, which is told by its own accessor: a prototype alone makes none. */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return hrefOf.call(value);
  } catch {
    wrongType(name, 'a string or a URL', value);
  }
}

function parse(url: string | URL, base: string | URL | undefined): URL | undefined {
  const [text, baseText] = [textOf('url', url), base === undefined ? undefined : textOf('base', base)];
  if (text.length > MAX_URL_LENGTH) return undefined;
  try {
    return new URL(text, baseText);
  } catch {
    return undefined;
  }
}

/** Without dots at the end, where what remains is a host. */
function withoutEndDots(protocol: string, host: string): string {
  let end = host.length;
  while (end > 0 && host[end - 1] === '.') end--;
  if (end === host.length || end === 0) return host;
  try {
    return new URL(`${protocol}//${host.slice(0, end)}/`).hostname;
  } catch {
    return host;
  }
}

/** Without leading `www.` labels, while what remains is a host of two labels that is in its normal form. */
function withoutWww(protocol: string, host: string): string {
  let rest = host;
  while (rest.startsWith('www.') && rest.indexOf('.', 4) > 4) {
    const next = rest.slice(4);
    // The dots of www.0x7f.1.. stayed because www.0x7f.1 is no host; 0x7f.1 would be an address.
    if (withoutEndDots(protocol, next) !== next) break;
    rest = next;
  }
  return rest;
}

function normalizeHost(url: URL, policy: UrlPolicy): string {
  const { protocol, hostname } = url;
  if (SPECIAL.includes(protocol)) {
    const host = withoutEndDots(protocol, hostname);
    return policy.settings.stripWww && protocol.startsWith('http') ? withoutWww(protocol, host) : host;
  }
  if (hostname.startsWith('[')) return hostname;
  // Lower-cased before and after: an escape may stand for a capital letter.
  const host = normalizeEscapes(hostname, HOST).replace(/[A-Z]+|%../g, (run) =>
    run.startsWith('%') ? run : run.toLowerCase(),
  );
  return withoutEndDots(protocol, host);
}

/** The query without its `?`, undefined where there is none (`http://a/?` has an empty one). */
function queryOf(url: URL): string | undefined {
  if (url.search !== '') return url.search.slice(1);
  const hash = url.href.indexOf('#');
  const end = hash < 0 ? url.href.length : hash;
  return url.href[end - 1] === '?' ? '' : undefined;
}

function fragmentOf(url: URL, policy: UrlPolicy): string {
  const { fragment } = policy.settings;
  if (fragment === 'drop' || url.hash === '') return '';
  if (fragment === 'hashbang' && !url.hash.startsWith('#!')) return '';
  return `#${normalizeEscapes(url.hash.slice(1), QUERY)}`;
}

function keyOf(url: URL, policy: UrlPolicy): string {
  const { protocol, href, pathname } = url;
  const web = protocol === 'http:' || protocol === 'https:';
  const hasAuthority = href.startsWith('//', protocol.length);
  const host = hasAuthority ? normalizeHost(url, policy) : '';
  const port = url.port === '' ? '' : `:${url.port}`;

  let path = normalizeEscapes(pathname, PATH);
  if (path.startsWith('/')) path = withoutDotSegments(path, protocol === 'file:');
  let query = queryOf(url);
  if (query !== undefined) query = normalizeEscapes(query, QUERY);
  if (web) {
    path = normalizePath(path, policy.settings);
    query = normalizeQuery(query, host, policy);
  }
  // A path that starts with // would be read as a host where there is none.
  const authority = hasAuthority ? `//${host}${port}` : path.startsWith('//') ? '/.' : '';
  return `${protocol}${authority}${path}${query === undefined ? '' : `?${query}`}${fragmentOf(url, policy)}`;
}

/**
 * The key of a URL under a policy, or undefined where it is not a URL (a relative one without a base, one
 * of over MAX_URL_LENGTH code units). See normalizeUrl.
 */
export function tryNormalizeUrl(
  url: string | URL,
  policy?: string | UrlPolicyOptions | UrlPolicy,
  base?: string | URL,
): string | undefined {
  const rules = urlPolicy(policy);
  const parsed = parse(url, base);
  if (parsed === undefined) return undefined;
  try {
    return keyOf(parsed, rules);
  } catch (error) {
    // The key would be longer than the longest string.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The key of a URL: two URLs that the policy holds for the same have the same key.
 *
 * `safe` (the default) does what no server can tell apart or is never sent: scheme and host in lower case,
 * default port, user name and password, dots at the end of the host, dot segments and fragment dropped,
 * escapes in one form. `crawl` also sorts the query and drops empty parameters, tracking parameters and
 * session ids. `aggressive` also drops empty values, index files, `www.` and slashes at the end.
 *
 * @param url a URL, or a relative one where `base` is given
 * @param policy a name, a policy's text, options, or (fastest for options) a policy made by urlPolicy
 * @param base what relative URLs are relative to; of a document, see documentBase
 * @throws NeardupError ERR_NEARDUP_BAD_INPUT where it is not a URL
 */
export function normalizeUrl(
  url: string | URL,
  policy?: string | UrlPolicyOptions | UrlPolicy,
  base?: string | URL,
): string {
  const key = tryNormalizeUrl(url, policy, base);
  if (key !== undefined) return key;
  const against = base === undefined ? '' : ` (base ${show(String(base))})`;
  throw makeError('ERR_NEARDUP_BAD_INPUT', `not a URL: ${show(String(url))}${against}`);
}

/**
 * The URL that the links of a document are relative to: its `<base href>` where it has one that is a URL,
 * itself relative to the document's own URL; else the document's own URL.
 */
export function documentBase(documentUrl: string | URL, baseHref?: string): string {
  const document = parse(documentUrl, undefined);
  if (document === undefined) {
    throw makeError('ERR_NEARDUP_BAD_INPUT', `not a URL: ${show(String(documentUrl))}`);
  }
  if (baseHref === undefined) return document.href;
  const base = parse(baseHref, document);
  // HTML takes no base of these schemes.
  if (base === undefined || base.protocol === 'data:' || base.protocol === 'javascript:')
    return document.href;
  return base.href;
}
