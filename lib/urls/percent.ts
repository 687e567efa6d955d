/**
 * Percent-encoding brought to one form (RFC 3986, sections 2 and 6.2.2): escapes of unreserved characters
 * are decoded, hex digits upper-cased, `%` without two hex digits becomes `%25`, and a character that may
 * not stand in the component is escaped. Reserved characters keep the form they have: `%2F` is not `/`.
 * The table is our own, so that a key does not change with the URL parser of a Node version.
 */

const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
const SUB_DELIMITERS = "!$&'()*+,;=";
const HEX = '0123456789ABCDEF';
const PERCENT = 0x25;

/** Space for the output of one chunk; six bytes is the most that one step writes. */
const CHUNK = 65536;
const STEP = 6;

/** The characters that may stand in a component, as 128 flags. */
export type Allowed = Uint8Array;

function flags(characters: string): Allowed {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

const unreserved = flags(UNRESERVED);

/** A registered name or opaque host. */
export const HOST: Allowed = flags(UNRESERVED + SUB_DELIMITERS);
/** A path, with its slashes. Brackets are reserved, so they too keep the form they have. */
export const PATH: Allowed = flags(`${UNRESERVED}${SUB_DELIMITERS}:@/[]`);
/** A query or fragment. */
export const QUERY: Allowed = flags(`${UNRESERVED}${SUB_DELIMITERS}:@/?[]`);

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** The byte that the escape at `at` (a `%`) stands for, or -1 where no two hex digits follow. */
function escapedByte(text: string, at: number): number {
  if (at + 2 >= text.length) return -1;
  const high = hexValue(text.charCodeAt(at + 1));
  const low = hexValue(text.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function firstToChange(text: string, allowed: Allowed): number {
  for (let i = 0; i < text.length; i++) if (allowed[text.charCodeAt(i)] !== 1) return i;
  return -1;
}

/**
 * The one form of a component. `text` comes from the URL parser, so every character of it is ASCII.
 * Linear in the length; the result is its own one form.
 */
export function normalizeEscapes(text: string, allowed: Allowed): string {
  const first = firstToChange(text, allowed);
  if (first < 0) return text;
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, 3 * (text.length - first)) + STEP);
  let out = text.slice(0, first);
  let length = 0;
  const writeEscape = (byte: number) => {
    buffer[length++] = PERCENT;
    buffer[length++] = HEX.charCodeAt(byte >> 4);
    buffer[length++] = HEX.charCodeAt(byte & 15);
  };
  for (let i = first; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === PERCENT) {
      const byte = escapedByte(text, i);
      if (byte < 0) {
        writeEscape(PERCENT);
      } else {
        if (unreserved[byte] === 1) buffer[length++] = byte;
        else writeEscape(byte);
        i += 2;
      }
    } else if (allowed[code] === 1) {
      buffer[length++] = code;
    } else {
      writeEscape(code);
    }
    if (length >= buffer.length - STEP) {
      out += buffer.toString('latin1', 0, length);
      length = 0;
    }
  }
  return out + buffer.toString('latin1', 0, length);
}
