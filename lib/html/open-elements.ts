/**
 * The stack of open elements of one document. Every question (is there an open `li` in scope?) takes
 * constant time whatever the depth, so that hostile nesting costs no more than its own length: a name
 * knows its innermost open element, each entry the one of the same name below it and the nearest scope
 * bound and special element. An entry takes 24 bytes. Nothing recurses. Positions count from 0 (outermost);
 * -1 is "none".
 */
import { SCOPE, SPECIAL } from './tags.ts';

const FIRST_CAPACITY = 256;

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** An element name of one document. */
export class ElementName {
  readonly name: string;
  /** Position of the innermost open element of this name. Written by OpenElements. */
  last = -1;
  readonly special: boolean;
  readonly scope: boolean;
  /** Special, and not address, div or p: ends the search for an open list item. */
  readonly container: boolean;

  constructor(name: string) {
    this.name = name;
    this.special = SPECIAL.has(name);
    this.scope = SCOPE.has(name);
    this.container = this.special && name !== 'div' && name !== 'p' && name !== 'address';
  }
}

export class OpenElements {
  readonly #names = new Map<string, ElementName>();
  readonly #stack: ElementName[] = [];
  #below = new Int32Array(FIRST_CAPACITY);
  #scope = new Int32Array(FIRST_CAPACITY);
  #special = new Int32Array(FIRST_CAPACITY);
  #container = new Int32Array(FIRST_CAPACITY);

  /** The one object of a name in this document. */
  name(name: string): ElementName {
    let known = this.#names.get(name);
    if (known === undefined) {
      known = new ElementName(name);
      this.#names.set(name, known);
    }
    return known;
  }

  /** How many elements are open. */
  get depth(): number {
    return this.#stack.length;
  }

  /** The name of an open element, the innermost by default; '' when there is none. */
  nameAt(position = this.#stack.length - 1): string {
    return position < 0 ? '' : this.#stack[position]!.name;
  }

  /** Position of the innermost element that bounds a scope. */
  get scope(): number {
    return this.#stack.length === 0 ? -1 : this.#scope[this.#stack.length - 1]!;
  }

  /** Position of the innermost special element. */
  get special(): number {
    return this.#stack.length === 0 ? -1 : this.#special[this.#stack.length - 1]!;
  }

  /** Position of the innermost container. */
  get container(): number {
    return this.#stack.length === 0 ? -1 : this.#container[this.#stack.length - 1]!;
  }

  /** `foreign`: an element of svg or math, to which the rules of special elements and scopes do not apply. */
  push(name: ElementName, foreign: boolean): void {
    const at = this.#stack.length;
    if (at === this.#below.length) this.#grow();
    this.#below[at] = name.last;
    this.#scope[at] = !foreign && name.scope ? at : this.scope;
    this.#special[at] = !foreign && name.special ? at : this.special;
    this.#container[at] = !foreign && name.container ? at : this.container;
    this.#stack.push(name);
    name.last = at;
  }

  /** Takes the innermost element off; returns its name. At least one must be open. */
  pop(): string {
    const name = this.#stack.pop()!;
    name.last = this.#below[this.#stack.length]!;
    return name.name;
  }

  /** The innermost open element of a name is not found by that name any more. It stays open. */
  forget(name: ElementName): void {
    const at = name.last;
    name.last = this.#below[at]!;
    this.#stack[at] = new ElementName(name.name);
  }

  #grow(): void {
    this.#below = grown(this.#below);
    this.#scope = grown(this.#scope);
    this.#special = grown(this.#special);
    this.#container = grown(this.#container);
  }
}
