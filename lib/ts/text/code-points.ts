/** A growing list of code points in a typed array: a list of any length can be refused, never ends the process. */
const SMALLEST = 64;
const KEPT = 1 << 16;

export class CodePoints {
  length = 0;
  private values = new Uint32Array(SMALLEST);

  static of(values: Iterable<number>): CodePoints {
    const list = new CodePoints();
    for (const value of values) list.push(value);
    return list;
  }

  /** Entry i < length. */
  at(i: number): number {
    return this.values[i];
  }

  set(i: number, codePoint: number): void {
    this.values[i] = codePoint;
  }

  push(codePoint: number): void {
    if (this.length === this.values.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = codePoint;
  }

  /** The entries from `first` to `last` - 1, in a copy. */
  slice(first: number, last: number): Uint32Array {
    return this.values.slice(first, last);
  }

  /** Forgets all, and gives back the memory of an unusually long list. */
  clear(): void {
    this.length = 0;
    if (this.values.length > KEPT) this.values = new Uint32Array(SMALLEST);
  }
}
