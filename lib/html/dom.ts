/**
 * A linkedom document with the visible elements of a page, built from the same scan as the text, for
 * Mozilla's Readability. Never deeper or larger than asked for: linkedom's own parser takes quadratic
 * time on unmatched tags, and Readability's time grows with depth times size.
 */
import { elementBits, HIDDEN, ROLE_ATTRIBUTES } from './roles.ts';
import { scan } from './scan.ts';
import { VOID } from './tags.ts';
import type { Attributes, ScanHandler } from './tree-builder.ts';

/** As much of the DOM as is used here. */
interface DomElement {
  appendChild(child: unknown): unknown;
  setAttribute(name: string, value: string): void;
}

/** A document with a title element and a body. */
export interface DomDocument {
  title: string;
  readonly body: DomElement;
  createElement(name: string): DomElement;
  createTextNode(text: string): unknown;
}

/** Bounds of a document. */
export interface DomLimits {
  readonly maxDepth: number;
  readonly maxElements: number;
  readonly noscript: boolean;
}

/** The limit that a page goes beyond. */
export type Exceeded = 'depth' | 'elements' | 'cost';

/** The attributes that Readability scores by. */
const SCORED = ['class', 'id', 'role', 'rel', 'itemprop', 'href', 'src', 'alt', 'aria-hidden', 'summary'];
const WANTED = new Set([...SCORED, ...ROLE_ATTRIBUTES]);
const LONGEST_ATTRIBUTE = 1024;
/**
 * What linkedom and Readability spend on a page: on each element for itself (it is made anew for each of
 * Readability's attempts), on its attributes and their length, and for its depth and that of each 64
 * characters of text, as both are read again at every level above. A page may cost what `maxElements`
 * elements of ELEMENT_BUDGET cost.
 */
const ELEMENT_COST = 10;
const ATTRIBUTE_COST = 5;
const CHARACTERS_PER_ELEMENT = 64;
const ELEMENT_BUDGET = 40;
/** Void elements that matter to Readability: the others have no text and no score. */
const KEPT_VOID = new Set(['br', 'hr', 'img']);

class DomBuilder implements ScanHandler {
  exceeded: Exceeded | undefined;
  readonly document: DomDocument;
  readonly #limits: DomLimits;
  readonly #path: (DomElement | undefined)[];
  readonly #bits: number[] = [0];
  #text = '';
  #elements = 0;
  #cost = 0;

  constructor(document: DomDocument, limits: DomLimits) {
    this.document = document;
    this.#path = [document.body];
    this.#limits = limits;
  }

  open(name: string, attributes: Attributes): void {
    if (this.exceeded !== undefined) return;
    this.#flush();
    const bits = elementBits(name, attributes, this.#bits.at(-1)!, this.#limits.noscript);
    this.#bits.push(bits);
    if ((bits & HIDDEN) !== 0 || name === 'title' || (VOID.has(name) && !KEPT_VOID.has(name))) {
      this.#path.push(undefined);
      return;
    }
    this.#spend(ELEMENT_COST + this.#path.length);
    if (++this.#elements > this.#limits.maxElements) this.exceeded = 'elements';
    else if (this.#path.length > this.#limits.maxDepth) this.exceeded = 'depth';
    else this.#path.push(this.#append(name, attributes));
  }

  #append(name: string, attributes: Attributes): DomElement {
    // A name that is not one of HTML's could be one that the DOM refuses.
    const element = this.document.createElement(/^[a-z][a-z0-9]*$/.test(name) ? name : 'span');
    for (const attribute of SCORED) {
      const value = attributes[attribute];
      if (value === undefined) continue;
      this.#spend(ATTRIBUTE_COST + value.length / CHARACTERS_PER_ELEMENT);
      element.setAttribute(attribute, value.slice(0, LONGEST_ATTRIBUTE));
    }
    this.#path.at(-1)!.appendChild(element);
    return element;
  }

  close(): void {
    if (this.exceeded !== undefined) return;
    this.#flush();
    this.#path.pop();
    this.#bits.pop();
  }

  text(piece: string): void {
    if (this.exceeded === undefined && this.#path.at(-1) !== undefined) this.#text += piece;
  }

  #spend(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limits.maxElements * ELEMENT_BUDGET) this.exceeded = 'cost';
  }

  #flush(): void {
    if (this.#text === '') return;
    this.#spend((this.#text.length / CHARACTERS_PER_ELEMENT) * this.#path.length);
    this.#path.at(-1)!.appendChild(this.document.createTextNode(this.#text));
    this.#text = '';
  }
}

/** Fills an empty document from a page. When it returns a limit, the document is incomplete. */
export function fillDocument(document: DomDocument, html: string, limits: DomLimits): Exceeded | undefined {
  const builder = new DomBuilder(document, limits);
  scan(html, WANTED, limits.noscript, builder);
  return builder.exceeded;
}
