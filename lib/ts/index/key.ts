/** Keys of a table: chosen bits of a fingerprint, gathered into one integer by eight table look-ups. */

/** Gathers the bits at given positions. Immutable; 8 KiB. */
export class KeyBits {
  /** Bytes of one. */
  static readonly BYTES = 8 * 256 * 4;

  /** Key width in bits, at most 30. */
  readonly width: number;
  /** The chosen bits as a mask over the fingerprint's lanes. */
  readonly lowMask: number;
  readonly highMask: number;
  /** gathered[256 * b + v]: what byte b of the fingerprint adds to the key when its value is v. */
  private readonly gathered = new Uint32Array(8 * 256);

  /** `positions[0]` (0 to 63) becomes the key's highest bit. */
  constructor(positions: readonly number[]) {
    this.width = positions.length;
    let low = 0;
    let high = 0;
    positions.forEach((position, i) => {
      if (position < 32) low |= 1 << position;
      else high |= 1 << (position - 32);
      const base = 256 * (position >> 3);
      const keyBit = 1 << (positions.length - 1 - i);
      for (let value = 0; value < 256; value++) {
        if ((value >> (position & 7)) & 1) this.gathered[base + value] |= keyBit;
      }
    });
    this.lowMask = low;
    this.highMask = high;
  }

  /** The key of a fingerprint. */
  of(low: number, high: number): number {
    const g = this.gathered;
    return (
      (g[low & 255] as number) |
      (g[256 + ((low >>> 8) & 255)] as number) |
      (g[512 + ((low >>> 16) & 255)] as number) |
      (g[768 + (low >>> 24)] as number) |
      (g[1024 + (high & 255)] as number) |
      (g[1280 + ((high >>> 8) & 255)] as number) |
      (g[1536 + ((high >>> 16) & 255)] as number) |
      (g[1792 + (high >>> 24)] as number)
    );
  }
}
