/**
 * From a page to its text: all that can be seen, the main text alone, or blocks by role for a weighted
 * fingerprint. Time is linear in the page for `all` and `weighted`; `main` is bounded by its limits.
 */
import { types } from 'node:util';
import { checkInteger, checkOptions, isArray, outOfRange, wrongType } from '../validate.ts';
import { type Block, readBlocks, type VisibleOptions } from './blocks.ts';
import { type DecodeOptions, decodeHtml } from './decode.ts';
import { type NoMainText, readMain } from './main-text.ts';

/** What is taken of a page. */
export type ExtractMode = 'all' | 'main' | 'weighted';

/** Options of extractPage, extractText and fingerprintHtml. */
export interface ExtractOptions extends DecodeOptions, VisibleOptions {
  /** `all` (default): the visible text. `main`: the main text where there is one, else all. `weighted`: all, with the roles of its blocks. */
  readonly mode?: ExtractMode;
  /** Longest page taken, in bytes (code units for a string); a longer one is a RangeError. Default 16 MiB, at most 512 MiB. */
  readonly maxBytes?: number;
  /** Deepest nesting (visible elements) that `main` looks into; a deeper page gives all its text. Default 256, at most 1024. `all` and `weighted` have no limit. */
  readonly maxDepth?: number;
  /** Most visible elements that `main` looks into; a larger page, or one that costs as much, gives all its text. Default 10 000, at most 200 000. */
  readonly maxElements?: number;
}

/** A page, read. */
export interface ExtractedPage {
  /** The text, one line for each block. */
  readonly text: string;
  /** The text of the first title element; '' when there is none. It is not part of `text`. */
  readonly title: string;
  /** What was taken: `all` where `main` was asked for and there was none. */
  readonly mode: ExtractMode;
  /** Why `main` gave all the text; undefined when it did not. */
  readonly fallback: NoMainText | undefined;
  /** The encoding that bytes were read in; undefined for a string. */
  readonly encoding: string | undefined;
  /** The blocks of the text, in document order. */
  readonly blocks: readonly Block[];
}

const MODES: readonly unknown[] = ['all', 'main', 'weighted'];
const MIB = 1024 * 1024;

/** Checks what says which parts of a page are text. */
export function checkVisible(options: VisibleOptions): void {
  const { noscript, attributes } = options;
  if (noscript !== undefined && typeof noscript !== 'boolean') wrongType('noscript', 'a boolean', noscript);
  if (attributes === undefined) return;
  if (!isArray(attributes)) wrongType('attributes', 'an array', attributes);
  for (const attribute of attributes) {
    if (attribute !== 'alt' && attribute !== 'title') outOfRange('attributes', "'alt' or 'title'", attribute);
  }
}

/** Checks a page's size and decodes it. */
export function pageText(
  html: unknown,
  options: Pick<ExtractOptions, 'maxBytes'> & DecodeOptions,
): { html: string; encoding: string | undefined } {
  const maxBytes = checkInteger('maxBytes', options.maxBytes ?? 16 * MIB, 0, 512 * MIB);
  if (typeof html !== 'string' && !types.isUint8Array(html)) {
    wrongType('html', 'a string or a Uint8Array', html);
  }
  if (html.length > maxBytes) outOfRange('html.length', `at most ${maxBytes} (maxBytes)`, html.length);
  return typeof html === 'string' ? { html, encoding: undefined } : decodeHtml(html, options);
}

/** Reads a page: text, title, blocks with their roles, and what was decided on the way. */
export function extractPage(html: string | Uint8Array, options?: ExtractOptions): ExtractedPage {
  const given = checkOptions('options', options);
  const mode = given.mode ?? 'all';
  if (!MODES.includes(mode)) outOfRange('mode', "'all', 'main' or 'weighted'", mode);
  const limits = {
    maxDepth: checkInteger('maxDepth', given.maxDepth ?? 256, 1, 1024),
    maxElements: checkInteger('maxElements', given.maxElements ?? 10_000, 1, 200_000),
    noscript: given.noscript ?? false,
  };
  checkVisible(given);
  const page = pageText(html, given);
  const all = readBlocks(page.html, given);
  const main = mode === 'main' ? readMain(page.html, all.title, limits) : undefined;
  const { title, blocks } = typeof main === 'object' ? main : all;
  return {
    text: blocks.map((block) => block.text).join('\n'),
    title,
    mode: typeof main === 'string' ? 'all' : mode,
    fallback: typeof main === 'string' ? main : undefined,
    encoding: page.encoding,
    blocks,
  };
}

/** The text of a page, one line for each block: `extractPage(html, options).text`. */
export function extractText(html: string | Uint8Array, options?: ExtractOptions): string {
  return extractPage(html, options).text;
}
