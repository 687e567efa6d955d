/**
 * From the bytes of a page to text, as browsers do: a byte order mark, then the charset of the
 * Content-Type header, then what `<meta>` says in the first 1024 bytes, then UTF-8 where the bytes
 * are valid UTF-8, then windows-1252.
 *
 * The sniffing is html-encoding-sniffer's and the decoding @exodus/bytes's, both kept with jsdom and
 * checked against the Encoding standard's tests. Node's own TextDecoder is used for UTF-8 alone: it
 * decodes windows-1252 as Latin-1 (curly quotes become control characters), lacks three encodings and
 * differs from the standard in eight more, and follows the ICU that Node was built with.
 */
import { types } from 'node:util';
import { TextDecoder as StandardDecoder } from '@exodus/bytes/encoding.js';
import { labelToName } from '@exodus/bytes/encoding-lite.js';
import htmlEncodingSniffer from 'html-encoding-sniffer';
import { checkOptions, outOfRange, wrongType } from '../validate.ts';

/** How bytes become text. Strings are not touched by these. */
export interface DecodeOptions {
  /** The Content-Type header (`text/html; charset=iso-8859-2`) of the response. */
  readonly contentType?: string;
  /** The encoding where nothing else says one: a label of the Encoding standard. Default: UTF-8 where the bytes are valid UTF-8, else windows-1252. */
  readonly defaultEncoding?: string;
}

/** Text, and the encoding it was read in (a name of the Encoding standard). */
export interface DecodedHtml {
  readonly html: string;
  readonly encoding: string;
}

const CHARSET = /;\s{0,16}charset\s{0,16}=\s{0,16}(?:"([^"]{1,64})"|([^\s;"]{1,64}))/i;

function charsetOf(contentType: string): string | undefined {
  const match = CHARSET.exec(contentType.slice(0, 1024));
  return match === null ? undefined : (match[1] ?? match[2]);
}

function decodeAs(bytes: Uint8Array, encoding: string): DecodedHtml {
  // A page in the "replacement" encoding (such as HZ, refused for safety) has one replacement character.
  if (encoding === 'replacement') return { html: bytes.length === 0 ? '' : '\ufffd', encoding };
  const html =
    encoding === 'UTF-8' ? new TextDecoder().decode(bytes) : new StandardDecoder(encoding).decode(bytes);
  return { html, encoding };
}

function decodeUndeclared(bytes: Uint8Array): DecodedHtml {
  try {
    return { html: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    return decodeAs(bytes, 'windows-1252');
  }
}

/** Decodes a page. Bytes that mean nothing in the encoding become U+FFFD; no bytes throw. */
export function decodeHtml(bytes: Uint8Array, options?: DecodeOptions): DecodedHtml {
  if (!types.isUint8Array(bytes)) wrongType('bytes', 'a Uint8Array', bytes);
  const { contentType, defaultEncoding } = checkOptions('options', options);
  if (contentType !== undefined && typeof contentType !== 'string') {
    wrongType('contentType', 'a string', contentType);
  }
  if (defaultEncoding !== undefined && typeof defaultEncoding !== 'string') {
    wrongType('defaultEncoding', 'a string', defaultEncoding);
  }
  const fallback = defaultEncoding === undefined ? null : labelToName(defaultEncoding);
  if (fallback === null && defaultEncoding !== undefined)
    outOfRange('defaultEncoding', 'a label of the Encoding standard', defaultEncoding);
  const charset = contentType === undefined ? undefined : charsetOf(contentType);
  const encoding = htmlEncodingSniffer(bytes, {
    ...(charset === undefined ? {} : { transportLayerEncodingLabel: charset }),
    defaultEncoding: fallback,
  });
  return encoding === null ? decodeUndeclared(bytes) : decodeAs(bytes, encoding);
}
