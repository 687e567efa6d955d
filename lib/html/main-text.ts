/**
 * The main text of a page by Mozilla's Readability over linkedom. Both are loaded on first use (0.3 s):
 * the rest of the package does without them.
 */
import { createRequire } from 'node:module';
import { readBlocks, type VisibleText } from './blocks.ts';
import { type DomDocument, type DomLimits, type Exceeded, fillDocument } from './dom.ts';

const require = createRequire(import.meta.url);

/** Why a page has no main text. */
export type NoMainText = Exceeded | 'no main text' | 'readability failed';

const EMPTY = '<!doctype html><html><head><title></title></head><body></body></html>';

/** The blocks of the main text, or why there is none. Never throws for what a page holds. */
export function readMain(html: string, title: string, limits: DomLimits): VisibleText | NoMainText {
  const { parseHTML } = require('linkedom') as typeof import('linkedom');
  const { Readability } = require('@mozilla/readability') as typeof import('@mozilla/readability');
  const document = parseHTML(EMPTY).document as DomDocument;
  document.title = title;
  const exceeded = fillDocument(document, html, limits);
  if (exceeded !== undefined) return exceeded;
  let content: string | null | undefined;
  try {
    content = new Readability(document as never, { disableJSONLD: true }).parse()?.content;
  } catch {
    // A page that neither library foresaw has the text that can be seen.
    return 'readability failed';
  }
  if (!content) return 'no main text';
  const { blocks } = readBlocks(content);
  return blocks.length === 0 ? 'no main text' : { title, blocks };
}
