/** Which slots of a segment are removed: one bit each, allocated when the first one is. */
export class Removed {
  /** Slots marked. */
  count = 0;
  private bits: Uint32Array | undefined;

  constructor(private readonly slots: number) {}

  /** Allocates the bits, so that `add` cannot fail. */
  reserve(): void {
    this.bits ??= new Uint32Array(Math.ceil(this.slots / 32));
  }

  has(slot: number): boolean {
    return this.bits !== undefined && (((this.bits[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1;
  }

  /** Marks a slot; false where it was marked before. Room must be reserved. */
  add(slot: number): boolean {
    if (this.has(slot)) return false;
    (this.bits as Uint32Array)[slot >>> 5] |= 1 << (slot & 31);
    this.count++;
    return true;
  }

  copy(): Removed {
    const copy = new Removed(this.slots);
    if (this.count > 0) copy.bits = this.bits?.slice();
    copy.count = this.count;
    return copy;
  }

  get bytes(): number {
    return this.bits?.byteLength ?? 0;
  }
}
