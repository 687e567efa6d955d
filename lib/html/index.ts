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
export {
  createHtmlFingerprinter,
  DEFAULT_HTML_WEIGHTS,
  fingerprintHtml,
  type HtmlFingerprinter,
  type HtmlFingerprinterOptions,
  type HtmlWeights,
} from './fingerprint.ts';
export { extractLinks } from './links.ts';
export type { NoMainText } from './main-text.ts';
