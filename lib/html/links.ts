/** The links of a page, for a crawler: where it leads, resolved as a browser would. Linear time. */
import { documentBase } from '../urls/normalize.ts';
import { checkOptions, isInstance, outOfRange, wrongType } from '../validate.ts';
import type { DecodeOptions } from './decode.ts';
import { type ExtractOptions, pageText } from './extract.ts';
import { scan } from './scan.ts';
import type { Attributes } from './tree-builder.ts';

const WANTED = new Set(['href']);

/** Longer hrefs are passed over: no server takes them. */
const LONGEST_HREF = 65_536;

function resolve(href: string, base?: string): URL | undefined {
  try {
    return new URL(href, base);
  } catch {
    return undefined;
  }
}

/**
 * The distinct http and https URLs that the `a` and `area` elements of a page name, in document order,
 * resolved against the first `<base href>` and `baseUrl` (the address of the page; after redirects, the
 * last). Fragments are kept. What is no URL, or leads elsewhere (mailto, javascript, data), is passed over.
 */
export function extractLinks(
  html: string | Uint8Array,
  baseUrl: string | URL,
  options?: Pick<ExtractOptions, 'maxBytes'> & DecodeOptions,
): string[] {
  if (typeof baseUrl !== 'string' && !isInstance(baseUrl, URL))
    wrongType('baseUrl', 'a string or a URL', baseUrl);
  const address = resolve(String(baseUrl));
  if (address === undefined) outOfRange('baseUrl', 'an absolute URL', baseUrl);
  let base: string | undefined;
  const hrefs: string[] = [];
  scan(pageText(html, checkOptions('options', options)).html, WANTED, true, {
    open(name: string, { href }: Attributes) {
      if (href === undefined || href.length > LONGEST_HREF) return;
      if (name === 'base') base ??= href;
      else if (name === 'a' || name === 'area') hrefs.push(href);
    },
    close() {},
    text() {},
  });
  const from = documentBase(address, base);
  const links = new Set<string>();
  for (const href of hrefs) {
    const url = resolve(href, from);
    if (url?.protocol === 'http:' || url?.protocol === 'https:') links.add(url.href);
  }
  return [...links];
}
