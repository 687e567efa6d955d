/**
 * The visible text of a document as blocks: runs of text between line breaks, each with its role. One
 * scan, linear time; memory is the text itself.
 */
import { BOILERPLATE, elementBits, HIDDEN, IN_HEADING, ROLE_ATTRIBUTES } from './roles.ts';
import { scan } from './scan.ts';
import { BLOCK, CELL } from './tags.ts';
import type { Attributes, ScanHandler } from './tree-builder.ts';

/** What a block of text is to its page. */
export type Role = 'title' | 'heading' | 'body' | 'links' | 'boilerplate';

/** One block: white space collapsed, never empty. */
export interface Block {
  readonly role: Role;
  readonly text: string;
}

/** What is read as text. */
export interface VisibleOptions {
  /** Read what is inside `noscript`. Default false: a browser that runs scripts does not show it. */
  readonly noscript?: boolean;
  /** Attributes that are read as text where their element stands. Default none. */
  readonly attributes?: readonly ('alt' | 'title')[];
}

/** Text of which more than this share stands in links is navigation, not prose. */
const LINK_DENSITY = 0.5;

/** White space that is not one plain space already. */
const SPACES = / \s+|[^\S ]\s*/g;

export function collapse(text: string): string {
  return text.replace(SPACES, ' ').trim();
}

class BlockReader implements ScanHandler {
  readonly blocks: Block[] = [];
  title = '';
  readonly #noscript: boolean;
  readonly #attributes: readonly string[];
  #bits = new Uint8Array(256);
  #depth = 0;
  #text = '';
  /** Characters of the block, and those in links, without the white space around pieces. */
  #length = 0;
  #linkLength = 0;
  /** Depth of the open link, 0 when there is none. */
  #link = 0;
  /** Depth of the open title element, 0 when there is none. */
  #inTitle = 0;
  #titleSeen = false;

  constructor(options: VisibleOptions) {
    this.#noscript = options.noscript ?? false;
    this.#attributes = options.attributes ?? [];
  }

  open(name: string, attributes: Attributes): void {
    const inherited = this.#bits[this.#depth]!;
    const bits = elementBits(name, attributes, inherited, this.#noscript);
    if (BLOCK.has(name) || ((bits ^ inherited) & BOILERPLATE) !== 0) this.endBlock();
    else if (CELL.has(name)) this.#text += ' ';
    this.#depth++;
    if (this.#depth === this.#bits.length) {
      const larger = new Uint8Array(this.#depth * 2);
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[this.#depth] = bits;
    if (name === 'title') this.#inTitle = this.#depth;
    else if (name === 'a' && attributes.href !== undefined) this.#link = this.#depth;
    for (const attribute of this.#attributes) {
      const value = attributes[attribute];
      if (value !== undefined) this.text(` ${value} `);
    }
  }

  close(name: string): void {
    const turns = this.#bits[this.#depth]! ^ this.#bits[this.#depth - 1]!;
    if (BLOCK.has(name) || (turns & BOILERPLATE) !== 0) this.endBlock();
    if (this.#depth === this.#inTitle) {
      this.#inTitle = 0;
      this.#titleSeen = this.title !== '';
    }
    if (this.#depth === this.#link) this.#link = 0;
    this.#depth--;
  }

  endLink(): void {
    this.#link = 0;
  }

  text(piece: string): void {
    if ((this.#bits[this.#depth]! & HIDDEN) !== 0) return;
    if (this.#inTitle !== 0) {
      if (!this.#titleSeen) this.title += piece;
      return;
    }
    this.#text += piece;
    const length = piece.trim().length;
    this.#length += length;
    if (this.#link !== 0) this.#linkLength += length;
  }

  endBlock(): void {
    if (this.#text === '') return;
    const text = collapse(this.#text);
    if (text !== '') this.blocks.push({ role: this.#role(), text });
    this.#text = '';
    this.#length = 0;
    this.#linkLength = 0;
  }

  /** The role of the block that ends: the bits are still those of the element that holds it. */
  #role(): Role {
    const bits = this.#bits[this.#depth]!;
    if ((bits & BOILERPLATE) !== 0) return 'boilerplate';
    if ((bits & IN_HEADING) !== 0) return 'heading';
    return this.#linkLength > this.#length * LINK_DENSITY ? 'links' : 'body';
  }
}

/** The visible text of a page in document order, and the text of its first title element. */
export interface VisibleText {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** Reads the visible text of a document. */
export function readBlocks(html: string, options: VisibleOptions = {}): VisibleText {
  const reader = new BlockReader(options);
  scan(html, new Set([...ROLE_ATTRIBUTES, ...(options.attributes ?? [])]), options.noscript ?? false, reader);
  reader.endBlock();
  return { title: collapse(reader.title), blocks: reader.blocks };
}
