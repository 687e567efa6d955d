/** The public exports of `neardup/html`. */
export type { Block, Role, VisibleOptions } from './blocks.ts';
export { type DecodedHtml, type DecodeOptions, decodeHtml } from './decode.ts';
export {
  type ExtractedPage,
  type ExtractMode,
  type ExtractOptions,
  extractPage,
  extractText,
} from './extract.ts';
export { extractLinks } from './links.ts';
export type { NoMainText } from './main-text.ts';
