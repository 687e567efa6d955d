/** Reads integers of 1 to 57 bits each that are packed without gaps, one after the other. */
import type { PayloadWindow } from './payload-window.ts';

/** Bytes that `count` items of `width` bits take. */
export function packedBytes(count: number, width: number): number {
  return (Math.floor(count / 8) + 1) * width + 16;
}

export class PackedReader {
  /** The item that was read last: 32 bits, and those above them. */
  low = 0;
  high = 0;
  /** The next item. */
  private index = 0;
  /** Where it stands in the window, and where that ends, in bits. */
  private bit = 0;
  private end = 0;
  private readonly lowMask: number;
  private readonly highMask: number;

  constructor(
    private readonly window: PayloadWindow,
    private readonly width: number,
  ) {
    this.lowMask = width < 32 ? 2 ** width - 1 : 0xffff_ffff;
    this.highMask = width < 32 ? 0 : 2 ** (width - 32) - 1;
  }

  /** The next item read is item `index`. */
  seek(index: number): void {
    if (index === this.index) return;
    this.index = index;
    this.end = 0;
  }

  /** Reads the next item, which must be within the section. */
  next(): void {
    if (this.bit + this.width > this.end) this.refill();
    const { lanes } = this.window;
    const at = this.bit >>> 5;
    const shift = this.bit & 31;
    const first = lanes[at] as number;
    const second = lanes[at + 1] as number;
    if (shift === 0) {
      this.low = (first & this.lowMask) >>> 0;
      this.high = second & this.highMask;
    } else {
      this.low = (((first >>> shift) | (second << (32 - shift))) & this.lowMask) >>> 0;
      this.high = ((second >>> shift) | ((lanes[at + 2] as number) << (32 - shift))) & this.highMask;
    }
    this.bit += this.width;
    this.index++;
  }

  /** The item as a number; over 2^53 - 1 it is not exact. */
  get value(): number {
    return this.high * 2 ** 32 + this.low;
  }

  private refill(): void {
    const start = this.index * this.width;
    const rest = start % 8;
    this.end = 0;
    const at = this.window.find((start - rest) / 8, Math.ceil((rest + this.width) / 8));
    this.bit = 8 * at + rest;
    this.end = 8 * this.window.filled;
  }
}
