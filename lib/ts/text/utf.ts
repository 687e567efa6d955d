/**
 * Decoding of UTF-8 and UTF-16, one unit at a time, as the Encoding Standard's TextDecoder does it: each
 * maximal invalid subpart of UTF-8 and each lone surrogate is one U+FFFD. The twin of native/core/text/utf.
 */
import { REPLACEMENT } from './unicode.ts';

/** What both decoders have. */
export interface Decoder {
  /** True inside a sequence: the code point needs more units. */
  readonly pending: boolean;
  /** The code point that the last accepted unit completed. */
  readonly codePoint: number;
  /** False: the unit does not continue the sequence, which is one U+FFFD; offer the unit again. */
  take(unit: number): boolean;
  /** Forgets a sequence begun. */
  clear(): void;
}

export class DecoderUtf8 implements Decoder {
  pending = false;
  codePoint = 0;
  private needed = 0;
  // The next byte's range: excludes overlong forms, surrogates and values over U+10FFFF.
  private low = 0x80;
  private high = 0xbf;

  take(unit: number): boolean {
    if (!this.pending) {
      this.begin(unit);
      return true;
    }
    if (unit < this.low || unit > this.high) {
      this.clear();
      return false;
    }
    this.codePoint = (this.codePoint << 6) | (unit & 0x3f);
    this.low = 0x80;
    this.high = 0xbf;
    this.needed--;
    this.pending = this.needed > 0;
    return true;
  }

  clear(): void {
    this.pending = false;
    this.low = 0x80;
    this.high = 0xbf;
  }

  private begin(lead: number): void {
    if (lead < 0x80) {
      this.codePoint = lead;
    } else if (lead < 0xc2 || lead > 0xf4) {
      this.codePoint = REPLACEMENT;
    } else {
      this.needed = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      this.codePoint = lead & (0x3f >> this.needed);
      if (lead === 0xe0) this.low = 0xa0;
      else if (lead === 0xed) this.high = 0x9f;
      else if (lead === 0xf0) this.low = 0x90;
      else if (lead === 0xf4) this.high = 0x8f;
      this.pending = true;
    }
  }
}

export class DecoderUtf16 implements Decoder {
  pending = false;
  codePoint = 0;

  take(unit: number): boolean {
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (this.pending) {
      this.pending = false;
      if (!isLow) return false;
      this.codePoint += unit - 0xdc00;
    } else if (unit >= 0xd800 && unit <= 0xdbff) {
      this.codePoint = 0x10000 + ((unit - 0xd800) << 10);
      this.pending = true;
    } else {
      this.codePoint = isLow ? REPLACEMENT : unit;
    }
    return true;
  }

  clear(): void {
    this.pending = false;
  }
}
