/** Bits of a value of up to 64 bits brought to other places, one table look-up for each byte. */
export class BitMoves {
  private readonly lows: Uint32Array;
  private readonly highs: Uint32Array;

  /** Bit i, for each i below 32 or 64, goes to place `to[i]` (0 to 63), or nowhere. */
  constructor(to: readonly (number | undefined)[]) {
    this.lows = new Uint32Array(32 * to.length);
    this.highs = new Uint32Array(32 * to.length);
    for (const [from, place] of to.entries()) {
      if (place === undefined) continue;
      const table = place < 32 ? this.lows : this.highs;
      const base = 256 * (from >> 3);
      for (let value = 0; value < 256; value++) {
        if ((value >> (from & 7)) & 1) table[base + value] |= 1 << (place & 31);
      }
    }
  }

  /** The low lane of what a value of 64 bits becomes. */
  low(low: number, high: number): number {
    return move64(this.lows, low, high);
  }

  /** The high lane. */
  high(low: number, high: number): number {
    return move64(this.highs, low, high);
  }

  /** The low lane of what a value of 32 bits becomes. */
  low32(value: number): number {
    return move32(this.lows, 0, value);
  }

  /** The high lane. */
  high32(value: number): number {
    return move32(this.highs, 0, value);
  }
}

function move32(table: Uint32Array, base: number, value: number): number {
  return (
    (table[base + (value & 255)] as number) |
    (table[base + 256 + ((value >>> 8) & 255)] as number) |
    (table[base + 512 + ((value >>> 16) & 255)] as number) |
    (table[base + 768 + (value >>> 24)] as number)
  );
}

function move64(table: Uint32Array, low: number, high: number): number {
  return move32(table, 0, low) | move32(table, 1024, high);
}
