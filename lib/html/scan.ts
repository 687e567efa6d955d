/**
 * Reads HTML once, from left to right, in linear time: the tags go to the tree builder, text to the handler.
 * The tokenizer is htmlparser2's, at five times the speed of parse5, whose tree is the same as far as it
 * matters here (the tests compare them). htmlparser2's own parser takes quadratic time on unmatched end tags.
 */
import { Tokenizer } from 'htmlparser2';
import { NO_ATTRIBUTES, type ScanHandler, TreeBuilder } from './tree-builder.ts';

/**
 * Scans a document. `wanted` names the attributes to keep; the values of others are not even copied.
 * `noscript`: read what is inside noscript as elements, as a browser without scripts does.
 */
export function scan(
  html: string,
  wanted: ReadonlySet<string>,
  noscript: boolean,
  handler: ScanHandler,
): void {
  const builder = new TreeBuilder(handler, noscript);
  let name = '';
  let attributes: Record<string, string> | undefined;
  let attribute: string | undefined;
  let value = '';
  // NUL in content is dropped, as the standard says.
  const hasNul = html.includes('\0');
  const textBetween = (start: number, end: number) =>
    hasNul ? html.slice(start, end).replaceAll('\0', '') : html.slice(start, end);
  const startTag = (selfClosing: boolean) => {
    builder.startTag(name, attributes ?? NO_ATTRIBUTES, selfClosing);
    attributes = undefined;
  };
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase();
        attributes = undefined;
      },
      onattribname(start, end) {
        attribute = undefined;
        value = '';
        if (end - start > 32) return;
        const key = html.slice(start, end).toLowerCase();
        if (wanted.has(key) && attributes?.[key] === undefined) attribute = key;
      },
      onattribdata(start, end) {
        if (attribute !== undefined) value += html.slice(start, end);
      },
      onattribentity(codePoint) {
        if (attribute !== undefined) value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        if (attribute === undefined) return;
        attributes ??= {};
        attributes[attribute] = value;
      },
      onopentagend: () => startTag(false),
      onselfclosingtag: () => startTag(true),
      onclosetag: (start, end) => builder.endTag(html.slice(start, end).toLowerCase()),
      ontext: (start, end) => handler.text(textBetween(start, end)),
      ontextentity: (codePoint) => handler.text(String.fromCodePoint(codePoint)),
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  builder.end();
}
