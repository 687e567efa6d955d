/**
 * The tree construction of the HTML standard, as far as it decides which element a text belongs to: implied
 * start and end tags, unmatched end tags, tables, list items, `svg` and `math` that HTML breaks out of. Tags
 * in, balanced open and close calls out. Every tag takes constant time, apart from the elements that it
 * closes; nothing recurses. Not done: the moving of text out of tables and of misnested inline elements,
 * which changes where text stands and not what it says.
 */
import { type ElementName, OpenElements } from './open-elements.ts';
import {
  ENDS_FOREIGN,
  ENDS_PARAGRAPH,
  FOREIGN,
  FORMATTING,
  HEADING,
  HTML_INSIDE_FOREIGN,
  IMPLIED_END,
  RAW_TEXT,
  RAW_TEXT_WITH_SCRIPTS,
  SPECIAL,
  TABLE_PART,
  VOID,
} from './tags.ts';

/** The attributes that are kept, decoded; the first of a name counts. */
export type Attributes = Readonly<Record<string, string>>;

/** Of a start tag without any. */
export const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** What a scan reports. Void elements are opened and closed at once. */
export interface ScanHandler {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** A piece of text, entities decoded, white space as written. */
  text(piece: string): void;
  /** A link ends here, even where its element stays open because of misnesting. */
  endLink?(): void;
}

/** `html`, `head` and `body` hold everything and mean nothing here. */
const NOT_REPORTED = new Set(['html', 'head', 'body']);

/** The elements whose innermost open one the rules ask for. */
const FOLLOWED = [
  'a',
  'button',
  'caption',
  'form',
  'math',
  'nobr',
  'ol',
  'p',
  'svg',
  'table',
  'tbody',
  'td',
  'template',
  'tfoot',
  'th',
  'thead',
  'tr',
  'ul',
] as const;

function namesOf<Name extends string>(open: OpenElements, names: readonly Name[]): Record<Name, ElementName> {
  return Object.fromEntries(names.map((name) => [name, open.name(name)])) as Record<Name, ElementName>;
}

/** Makes balanced calls of tags. `noscript`: see scan. */
export class TreeBuilder {
  readonly #open = new OpenElements();
  readonly #at = namesOf(this.#open, FOLLOWED);
  readonly #headings = [...HEADING].map((name) => this.#open.name(name));
  readonly #insideForeign = [...HTML_INSIDE_FOREIGN].map((name) => this.#open.name(name));
  readonly #handler: ScanHandler;
  /** Between the tags of a form; forms do not nest. */
  #inForm = false;

  /** The open element whose content is text whatever it looks like, or ''. */
  #raw = '';
  readonly #rawText: ReadonlySet<string>;

  constructor(handler: ScanHandler, noscript: boolean) {
    this.#handler = handler;
    this.#rawText = noscript ? RAW_TEXT : RAW_TEXT_WITH_SCRIPTS;
  }

  /** Closes elements until `position` itself is closed. */
  #closeFrom(position: number): void {
    while (this.#open.depth > position) this.#handler.close(this.#open.pop());
  }

  #closeIfAbove(name: ElementName, bound: number): void {
    if (name.last > bound) this.#closeFrom(name.last);
  }

  /** Position of the `svg` or `math` that content here belongs to; -1 where content is HTML. */
  #foreign(): number {
    const foreign = Math.max(this.#at.svg.last, this.#at.math.last);
    if (foreign < 0) return -1;
    for (const name of this.#insideForeign) if (name.last > foreign) return -1;
    return foreign;
  }

  /** Position of the innermost element of those that can hold a table inside a table. */
  #cell(): number {
    return Math.max(this.#at.td.last, this.#at.th.last, this.#at.caption.last, this.#at.template.last);
  }

  #leaveForeign(): void {
    for (let at = this.#foreign(); at >= 0; at = this.#foreign()) this.#closeFrom(at);
  }

  startTag(name: string, attributes: Attributes, selfClosing: boolean): void {
    if (this.#raw !== '') return;
    if (ENDS_FOREIGN.has(name)) this.#leaveForeign();
    if (this.#foreign() >= 0) this.#add(name, attributes, selfClosing, true);
    else if (this.#makeRoom(name))
      this.#add(name, attributes, VOID.has(name) || (selfClosing && FOREIGN.has(name)), false);
  }

  #add(name: string, attributes: Attributes, empty: boolean, foreign: boolean): void {
    this.#handler.open(name, attributes);
    if (empty) this.#handler.close(name);
    else this.#open.push(this.#open.name(name), foreign);
  }

  /** Closes what cannot hold an HTML element of this name. False where the start tag means nothing. */
  #makeRoom(name: string): boolean {
    if (NOT_REPORTED.has(name)) return false;
    if (TABLE_PART.has(name)) {
      if (this.#at.table.last <= this.#at.template.last) return false;
      this.#closeForTablePart(name);
      return true;
    }
    if (name === 'form') {
      if (this.#inForm) return false;
      this.#inForm = true;
      // Between the cells of a table a form holds nothing.
      if (this.#cell() < this.#at.table.last) return false;
    }
    if (this.#rawText.has(name)) this.#raw = name;
    this.#closeImplied(name);
    return true;
  }

  #closeImplied(name: string): void {
    const open = this.#open;
    if (name === 'li') {
      if (open.nameAt(open.container) === 'li') this.#closeFrom(open.container);
    } else if (name === 'dd' || name === 'dt') {
      const item = open.nameAt(open.container);
      if (item === 'dd' || item === 'dt') this.#closeFrom(open.container);
    } else if (name === 'a') {
      this.#endLink();
    } else if (name === 'option' || name === 'optgroup') {
      if (open.nameAt() === 'option') this.#closeFrom(open.depth - 1);
      if (name === 'optgroup' && open.nameAt() === 'optgroup') this.#closeFrom(open.depth - 1);
    } else if (name === 'button') {
      this.#closeIfAbove(this.#at.button, open.scope);
    } else if (name === 'nobr') {
      this.#closeIfAbove(this.#at.nobr, open.special);
    } else if (name === 'table') {
      this.#closeIfAbove(this.#at.table, this.#cell());
    }
    if (ENDS_PARAGRAPH.has(name)) {
      this.#closeIfAbove(this.#at.p, Math.max(open.scope, this.#at.button.last));
      if (HEADING.has(name) && HEADING.has(open.nameAt())) this.#closeFrom(open.depth - 1);
    }
  }

  /** Closes the open cell or caption, then everything up to where a part of this kind belongs. */
  #closeForTablePart(name: string): void {
    const table = this.#at.table.last;
    if (this.#cell() > table) this.#closeFrom(this.#cell());
    let context = table;
    if (name === 'tr' || name === 'td' || name === 'th') {
      context = Math.max(context, this.#at.tbody.last, this.#at.thead.last, this.#at.tfoot.last);
    }
    if (name === 'td' || name === 'th') context = Math.max(context, this.#at.tr.last);
    this.#closeFrom(context + 1);
    // The parts that the author left out.
    if ((name === 'td' || name === 'th') && this.#at.tr.last <= table)
      this.startTag('tr', NO_ATTRIBUTES, false);
    if (name === 'tr' && context === table) this.startTag('tbody', NO_ATTRIBUTES, false);
  }

  #endLink(): void {
    this.#handler.endLink?.();
    this.#endFormatting(this.#at.a);
  }

  /** Beyond a special element, such as a `div`, the element stays open here; `svg` and `math` within do not. */
  #endFormatting(name: ElementName): void {
    const { special, scope } = this.#open;
    let bound = scope;
    for (const { last } of this.#insideForeign) bound = Math.max(bound, last);
    if (name.last <= bound) return;
    if (name.last > special) {
      this.#closeFrom(name.last);
    } else {
      this.#open.forget(name);
      this.#leaveForeign();
    }
  }

  endTag(name: string): void {
    if (this.#raw !== '') {
      if (name !== this.#raw) return;
      this.#raw = '';
    }
    const foreign = this.#foreign();
    const { last } = this.#open.name(name);
    if (foreign >= 0 && last >= foreign) this.#closeFrom(last);
    else if (name === 'a') this.#endLink();
    else if (HEADING.has(name)) this.#endHeading();
    else if (name === 'p' || name === 'br') this.#endParagraph(name);
    else if (name === 'form') this.#endForm();
    else if (FORMATTING.has(name)) this.#endFormatting(this.#open.name(name));
    else if (last >= 0) this.#endOpen(name, last);
  }

  /** The end tag of any heading ends the heading that is open. */
  #endHeading(): void {
    let heading = -1;
    for (const { last } of this.#headings) heading = Math.max(heading, last);
    if (heading > this.#open.scope) this.#closeFrom(heading);
  }

  /** `</p>` without a paragraph makes an empty one; `</br>` is read as `<br>`. */
  #endParagraph(name: string): void {
    const open = this.#open;
    this.#leaveForeign();
    const paragraph = name === 'p' ? this.#at.p.last : -1;
    if (paragraph > Math.max(open.scope, this.#at.button.last)) {
      this.#closeFrom(paragraph);
    } else {
      this.#handler.open(name, NO_ATTRIBUTES);
      this.#handler.close(name);
    }
  }

  /** A form's end tag ends the form, and not what is open inside. */
  #endForm(): void {
    if (!this.#inForm || this.#at.form.last < this.#open.scope) return;
    this.#inForm = false;
    while (IMPLIED_END.has(this.#open.nameAt())) this.#closeFrom(this.#open.depth - 1);
    if (this.#open.nameAt() === 'form') this.#closeFrom(this.#open.depth - 1);
  }

  /** Ends an element that is open at `position`, unless the end tag does not reach that far. */
  #endOpen(name: string, position: number): void {
    const open = this.#open;
    let bound = open.scope - 1;
    if (name === 'template') bound = -1;
    else if (name === 'table') bound = this.#at.template.last;
    else if (TABLE_PART.has(name)) bound = Math.max(this.#at.table.last, this.#at.template.last);
    else if (name === 'li') bound = Math.max(open.scope, this.#at.ul.last, this.#at.ol.last);
    else if (!SPECIAL.has(name)) bound = open.special;
    if (position > bound) this.#closeFrom(position);
  }

  end(): void {
    this.#closeFrom(0);
  }
}
