/** Lines that cannot be used: each is counted, the first few are named on standard error. */

/** So many are named; a file that is wrong throughout would say the same thing a million times. */
const SHOWN = 10;

/** Counts and reports lines that cannot be used. */
export class Rejects {
  readonly #name: string;
  readonly #say: (message: string) => void;
  count = 0;

  /** `name`: of the input; `say` prints one line. */
  constructor(name: string, say: (message: string) => void) {
    this.#name = name;
    this.#say = say;
  }

  add(line: number, reason: string): void {
    this.count++;
    if (this.count <= SHOWN) this.#say(`${this.#name}:${line}: ${reason}`);
    if (this.count === SHOWN + 1) this.#say('further lines that cannot be used are counted, not shown');
  }
}
