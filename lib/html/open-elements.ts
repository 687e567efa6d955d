/**
 * The stack of open elements of one document. Every question (is there an open `li` in scope?) takes
 * constant time whatever the depth, so that hostile nesting costs no more than its own length: each entry
 * links to the one of the same name below it and to the nearest scope bound and special element. An
 * entry takes 20 bytes. Nothing recurses. Positions count from 0 (outermost); -1 is "none".
 */
import { SCOPE, SPECIAL } from './tags.ts';

const FIRST_CAPACITY = 256;

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

export class OpenElements {
  #depth = 0;
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];
  /** By name id: the position of the innermost open element of that name. */
  readonly #last: number[] = [];
  #nameOf = new Int32Array(FIRST_CAPACITY);
  #below = new Int32Array(FIRST_CAPACITY);
  #scope = new Int32Array(FIRST_CAPACITY);
  #special = new Int32Array(FIRST_CAPACITY);
  #container = new Int32Array(FIRST_CAPACITY);

  /** How many elements are open. */
  get depth(): number {
    return this.#depth;
  }

  /** The name of the innermost open element, or '' when none is. */
  get current(): string {
    return this.#depth === 0 ? '' : this.#names[this.#nameOf[this.#depth - 1]!]!;
  }

  nameAt(position: number): string {
    return position < 0 ? '' : this.#names[this.#nameOf[position]!]!;
  }

  /** Position of the innermost open element of a name. */
  last(name: string): number {
    const id = this.#ids.get(name);
    return id === undefined ? -1 : this.#last[id]!;
  }

  /** Position of the innermost element that bounds a scope. */
  get scope(): number {
    return this.#depth === 0 ? -1 : this.#scope[this.#depth - 1]!;
  }

  /** Position of the innermost special element. */
  get special(): number {
    return this.#depth === 0 ? -1 : this.#special[this.#depth - 1]!;
  }

  /** Position of the innermost special element other than address, div and p (what ends the search for a list item). */
  get container(): number {
    return this.#depth === 0 ? -1 : this.#container[this.#depth - 1]!;
  }

  /** `foreign`: an element of svg or math, to which the rules of special elements and scopes do not apply. */
  push(name: string, foreign: boolean): void {
    const at = this.#depth;
    if (at === this.#nameOf.length) this.#grow();
    let id = this.#ids.get(name);
    if (id === undefined) {
      id = this.#names.length;
      this.#ids.set(name, id);
      this.#names.push(name);
      this.#last.push(-1);
    }
    const special = !foreign && SPECIAL.has(name);
    const container = special && name !== 'div' && name !== 'p' && name !== 'address';
    this.#nameOf[at] = id;
    this.#below[at] = this.#last[id]!;
    this.#scope[at] = !foreign && SCOPE.has(name) ? at : this.scope;
    this.#special[at] = special ? at : this.special;
    this.#container[at] = container ? at : this.container;
    this.#last[id] = at;
    this.#depth = at + 1;
  }

  /** Takes the innermost element off; returns its name. At least one must be open. */
  pop(): string {
    const at = --this.#depth;
    const id = this.#nameOf[at]!;
    this.#last[id] = this.#below[at]!;
    return this.#names[id]!;
  }

  #grow(): void {
    this.#nameOf = grown(this.#nameOf);
    this.#below = grown(this.#below);
    this.#scope = grown(this.#scope);
    this.#special = grown(this.#special);
    this.#container = grown(this.#container);
  }
}
