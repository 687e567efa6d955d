/**
 * Reads text in chunks cut anywhere and hands its folded code points to a sink: decodes UTF-8 or UTF-16,
 * normalizes to NFC, drops Default_Ignorable code points, folds case fully. Between chunks it keeps an
 * unfinished sequence and the last normalization piece (a base and its marks). O(n). The twin of
 * native/core/text/text_reader.
 */
import { CodePoints } from './code-points.ts';
import { normalizeNfc } from './nfc.ts';
import {
  BOUNDARY,
  combiningClassOf,
  FULL_FOLD,
  flagsOf,
  foldDeltaOf,
  fullFold,
  IGNORABLE,
  NFC_CHECK,
  REPLACEMENT,
  recordOf,
} from './unicode.ts';
import { type Decoder, DecoderUtf8, DecoderUtf16 } from './utf.ts';

/** Takes the code points of a text. */
export interface CodePointSink {
  /** A folded code point, with its class (WORD, SPACELESS or neither) in the flags. */
  codePoint(folded: number, flags: number): void;
}

const asciiFlags = Uint8Array.from({ length: 128 }, (_, unit) => flagsOf(recordOf(unit)));
const asciiFolds = Uint8Array.from({ length: 128 }, (_, unit) => unit + foldDeltaOf(recordOf(unit)));

export class TextReader<Sink extends CodePointSink> {
  private readonly utf8 = new DecoderUtf8();
  private readonly utf16 = new DecoderUtf16();
  private piece = new CodePoints();
  private spare = new CodePoints();
  private mustNormalize = false;
  private lastClass = 0;

  constructor(private readonly sink: Sink) {}

  /** Reads a chunk: a string as UTF-16, bytes as UTF-8. */
  read(chunk: string | Uint8Array): void {
    if (chunk.length === 0) return;
    if (typeof chunk === 'string') {
      this.endSequence(this.utf8);
      this.readUtf16(chunk);
    } else {
      this.endSequence(this.utf16);
      this.readUtf8(chunk);
    }
  }

  /** Ends the text; the reader is then ready for another. */
  finish(): void {
    this.endSequence(this.utf8);
    this.endSequence(this.utf16);
    this.flushPiece();
  }

  /** Forgets a text that was not finished. */
  clear(): void {
    this.utf8.clear();
    this.utf16.clear();
    this.piece.clear();
    this.spare.clear();
    this.mustNormalize = false;
  }

  // The two loops are alike but for how a unit is read; kept apart so that each is compiled for one type.
  private readUtf16(text: string): void {
    const { sink, utf16 } = this;
    const last = text.length - 1;
    for (let i = 0; i <= last; ) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80 && !utf16.pending) {
        // The last ASCII unit before anything that could be a mark begins a piece of its own.
        if (i < last && text.charCodeAt(i + 1) < 0x80) {
          if (this.piece.length > 0) this.flushPiece();
          sink.codePoint(asciiFolds[unit], asciiFlags[unit]);
        } else {
          this.push(unit);
        }
        i++;
      } else if (utf16.take(unit)) {
        i++;
        if (!utf16.pending) this.push(utf16.codePoint);
      } else {
        this.push(REPLACEMENT);
      }
    }
  }

  private readUtf8(text: Uint8Array): void {
    const { sink, utf8 } = this;
    const last = text.length - 1;
    for (let i = 0; i <= last; ) {
      const unit = text[i];
      if (unit < 0x80 && !utf8.pending) {
        if (i < last && text[i + 1] < 0x80) {
          if (this.piece.length > 0) this.flushPiece();
          sink.codePoint(asciiFolds[unit], asciiFlags[unit]);
        } else {
          this.push(unit);
        }
        i++;
      } else if (utf8.take(unit)) {
        i++;
        if (!utf8.pending) this.push(utf8.codePoint);
      } else {
        this.push(REPLACEMENT);
      }
    }
  }

  private endSequence(decoder: Decoder): void {
    if (decoder.pending) this.push(REPLACEMENT);
    decoder.clear();
  }

  private push(codePoint: number): void {
    const record = recordOf(codePoint);
    const flags = flagsOf(record);
    const combiningClass = combiningClassOf(record);
    if (flags & BOUNDARY) {
      this.flushPiece();
    } else {
      // Yes to the quick check and marks in order: the piece is normalized as it stands.
      if (flags & NFC_CHECK) this.mustNormalize = true;
      if (combiningClass !== 0 && this.lastClass > combiningClass) this.mustNormalize = true;
    }
    this.lastClass = combiningClass;
    this.piece.push(codePoint);
  }

  private flushPiece(): void {
    if (this.mustNormalize) {
      normalizeNfc(this.piece, this.spare);
      [this.piece, this.spare] = [this.spare, this.piece];
      this.mustNormalize = false;
    }
    const { piece } = this;
    for (let i = 0; i < piece.length; i++) this.emit(piece.at(i));
    piece.clear();
  }

  private emit(codePoint: number): void {
    const record = recordOf(codePoint);
    const flags = flagsOf(record);
    if (flags & IGNORABLE) return;
    if (flags & FULL_FOLD) {
      for (const folded of fullFold(codePoint)) this.sink.codePoint(folded, flags);
    } else {
      this.sink.codePoint(codePoint + foldDeltaOf(record), flags);
    }
  }
}
