/**
 * Tokens of folded text as one run of UTF-8 bytes, with `gap` bytes between two of them (one space between
 * words, nothing between the code points of `chars`). A shingle of consecutive tokens is thus one slice of
 * bytes. Holds the tokens not yet used and the last few before them. The twin of native/core/text/token_buffer.
 */
const SPACE = 0x20;
const KEPT = 1 << 20;

export class TokenBuffer {
  /** Tokens that are complete. Bytes after the last one belong to the token being written. */
  count = 0;
  bytes = new Uint8Array(1024);
  view = new DataView(this.bytes.buffer);
  private used = 0;
  private ends = new Uint32Array(256);

  constructor(private readonly gap: number) {}

  /** Where token i begins; i may be `count`, the token being written. */
  start(i: number): number {
    return i === 0 ? 0 : this.ends[i - 1] + this.gap;
  }

  end(i: number): number {
    return this.ends[i];
  }

  /** Bytes written of the token not yet complete. */
  get openSize(): number {
    return this.used - this.start(this.count);
  }

  appendByte(byte: number): void {
    if (this.used === this.bytes.length) this.grow();
    this.bytes[this.used++] = byte;
  }

  /** Appends the UTF-8 of a scalar value. */
  append(codePoint: number): void {
    if (this.bytes.length - this.used < 4) this.grow();
    const bytes = this.bytes;
    if (codePoint < 0x80) {
      bytes[this.used++] = codePoint;
      return;
    }
    if (codePoint < 0x800) {
      bytes[this.used++] = 0xc0 | (codePoint >> 6);
    } else {
      if (codePoint < 0x10000) {
        bytes[this.used++] = 0xe0 | (codePoint >> 12);
      } else {
        bytes[this.used++] = 0xf0 | (codePoint >> 18);
        bytes[this.used++] = 0x80 | ((codePoint >> 12) & 0x3f);
      }
      bytes[this.used++] = 0x80 | ((codePoint >> 6) & 0x3f);
    }
    bytes[this.used++] = 0x80 | (codePoint & 0x3f);
  }

  /** Completes the open token. */
  close(): void {
    if (this.count === this.ends.length) this.growEnds();
    this.ends[this.count++] = this.used;
    if (this.gap > 0) this.appendByte(SPACE);
  }

  /** Forgets the open token. */
  drop(): void {
    this.used = this.start(this.count);
  }

  /** Forgets all complete tokens but the last `keep`. */
  keep(keep: number): void {
    const from = this.count - keep;
    const start = this.start(from);
    this.bytes.copyWithin(0, start, this.used);
    this.used -= start;
    for (let i = 0; i < keep; i++) this.ends[i] = this.ends[from + i] - start;
    this.count = keep;
  }

  /** Forgets everything, and gives back the memory of an unusually long text. */
  clear(): void {
    this.used = 0;
    this.count = 0;
    if (this.bytes.length > KEPT) this.setBytes(new Uint8Array(1024));
    if (this.ends.length > KEPT) this.ends = new Uint32Array(256);
  }

  private grow(): void {
    const larger = new Uint8Array(2 * this.bytes.length);
    larger.set(this.bytes);
    this.setBytes(larger);
  }

  private growEnds(): void {
    const larger = new Uint32Array(2 * this.ends.length);
    larger.set(this.ends);
    this.ends = larger;
  }

  private setBytes(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }
}
