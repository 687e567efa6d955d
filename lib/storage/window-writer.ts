/**
 * Writes a file from its start on in windows of 2 MiB that begin at multiples of that: a system whose page cache has
 * huge pages then keeps the file in them, and a mapping of it is as fast to read as memory.
 */
import { writeFully } from './atomic-file.ts';

const WINDOW = 2 ** 21;

export class WindowWriter {
  readonly #file: number;
  readonly #window = Buffer.allocUnsafe(WINDOW);
  /** Where the window's bytes belong, and how many there are. */
  #position: number;
  #filled = 0;

  /** Goes on from `position` of an open file. */
  constructor(file: number, position: number) {
    this.#file = file;
    this.#position = position;
  }

  write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const room = WINDOW - ((this.#position + this.#filled) % WINDOW);
      const part = bytes.subarray(done, done + room);
      this.#window.set(part, this.#filled);
      this.#filled += part.length;
      done += part.length;
      if (part.length === room) this.flush();
    }
  }

  /** Writes what is left. */
  flush(): void {
    writeFully(this.#file, this.#window.subarray(0, this.#filled), this.#position);
    this.#position += this.#filled;
    this.#filled = 0;
  }
}
