/**
 * The tree construction of the HTML standard, as far as it decides which element a text belongs to: implied
 * start and end tags, unmatched end tags, tables, list items, `svg` and `math` that HTML breaks out of. Tags
 * in, balanced open and close calls out. Every tag takes constant time, apart from the elements that it
 * closes; nothing recurses. Not done: the moving of text out of tables and of misnested inline elements,
 * which changes where text stands and not what it says.
 */
import { OpenElements } from './open-elements.ts';
import {
  ENDS_FOREIGN,
  ENDS_PARAGRAPH,
  FOREIGN,
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

/** Makes balanced calls of tags. `noscript`: see scan. */
export class TreeBuilder {
  readonly #open = new OpenElements();
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

  #closeIfAbove(name: string, bound: number): void {
    const position = this.#open.last(name);
    if (position > bound) this.#closeFrom(position);
  }

  /** Position of the `svg` or `math` that content here belongs to; -1 where content is HTML. */
  #foreign(): number {
    const foreign = Math.max(this.#open.last('svg'), this.#open.last('math'));
    if (foreign < 0) return -1;
    for (const name of HTML_INSIDE_FOREIGN) if (this.#open.last(name) > foreign) return -1;
    return foreign;
  }

  /** Position of the innermost element of those that can hold a table inside a table. */
  #cell(): number {
    const open = this.#open;
    return Math.max(open.last('td'), open.last('th'), open.last('caption'), open.last('template'));
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
    else this.#open.push(name, foreign);
  }

  /** Closes what cannot hold an HTML element of this name. False where the start tag means nothing. */
  #makeRoom(name: string): boolean {
    const open = this.#open;
    if (NOT_REPORTED.has(name)) return false;
    if (TABLE_PART.has(name)) {
      if (open.last('table') <= open.last('template')) return false;
      this.#closeForTablePart(name);
      return true;
    }
    if (name === 'form') {
      if (this.#inForm) return false;
      this.#inForm = true;
      // Between the cells of a table a form holds nothing.
      if (this.#cell() < open.last('table')) return false;
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
      if (open.current === 'option') this.#closeFrom(open.depth - 1);
      if (name === 'optgroup' && open.current === 'optgroup') this.#closeFrom(open.depth - 1);
    } else if (name === 'button' || name === 'nobr') {
      this.#closeIfAbove(name, name === 'button' ? open.scope : open.special);
    } else if (name === 'table') {
      this.#closeIfAbove('table', this.#cell());
    }
    if (ENDS_PARAGRAPH.has(name)) {
      this.#closeIfAbove('p', Math.max(open.scope, open.last('button')));
      if (HEADING.has(name) && HEADING.has(open.current)) this.#closeFrom(open.depth - 1);
    }
  }

  /** Closes the open cell or caption, then everything up to where a part of this kind belongs. */
  #closeForTablePart(name: string): void {
    const open = this.#open;
    const table = open.last('table');
    if (this.#cell() > table) this.#closeFrom(this.#cell());
    let context = table;
    if (name === 'tr' || name === 'td' || name === 'th') {
      context = Math.max(context, open.last('tbody'), open.last('thead'), open.last('tfoot'));
    }
    if (name === 'td' || name === 'th') context = Math.max(context, open.last('tr'));
    this.#closeFrom(context + 1);
    // The parts that the author left out.
    if ((name === 'td' || name === 'th') && open.last('tr') <= table)
      this.startTag('tr', NO_ATTRIBUTES, false);
    if (name === 'tr' && context === table) this.startTag('tbody', NO_ATTRIBUTES, false);
  }

  #endLink(): void {
    this.#handler.endLink?.();
    this.#closeIfAbove('a', this.#open.special);
  }

  endTag(name: string): void {
    if (this.#raw !== '') {
      if (name !== this.#raw) return;
      this.#raw = '';
    }
    const foreign = this.#foreign();
    if (foreign >= 0 && this.#open.last(name) >= foreign) this.#closeFrom(this.#open.last(name));
    else if (name === 'a') this.#endLink();
    else if (HEADING.has(name)) this.#endHeading();
    else if (name === 'p' || name === 'br') this.#endParagraph(name);
    else if (name === 'form') this.#endForm();
    else if (this.#open.last(name) >= 0) this.#endOpen(name, this.#open.last(name));
  }

  /** The end tag of any heading ends the heading that is open. */
  #endHeading(): void {
    let heading = -1;
    for (const level of HEADING) heading = Math.max(heading, this.#open.last(level));
    if (heading > this.#open.scope) this.#closeFrom(heading);
  }

  /** `</p>` without a paragraph makes an empty one; `</br>` is read as `<br>`. */
  #endParagraph(name: string): void {
    const open = this.#open;
    this.#leaveForeign();
    const paragraph = name === 'p' ? open.last('p') : -1;
    if (paragraph > Math.max(open.scope, open.last('button'))) {
      this.#closeFrom(paragraph);
    } else {
      this.#handler.open(name, NO_ATTRIBUTES);
      this.#handler.close(name);
    }
  }

  /** A form's end tag ends the form, and not what is open inside. */
  #endForm(): void {
    if (!this.#inForm || this.#open.last('form') < this.#open.scope) return;
    this.#inForm = false;
    while (IMPLIED_END.has(this.#open.current)) this.#closeFrom(this.#open.depth - 1);
    if (this.#open.current === 'form') this.#closeFrom(this.#open.depth - 1);
  }

  /** Ends an element that is open at `position`, unless the end tag does not reach that far. */
  #endOpen(name: string, position: number): void {
    const open = this.#open;
    let bound = open.scope - 1;
    if (name === 'template') bound = -1;
    else if (name === 'table') bound = open.last('template');
    else if (TABLE_PART.has(name)) bound = Math.max(open.last('table'), open.last('template'));
    else if (name === 'li') bound = Math.max(open.scope, open.last('ul'), open.last('ol'));
    else if (!SPECIAL.has(name)) bound = open.special;
    if (position > bound) this.#closeFrom(position);
  }

  end(): void {
    this.#closeFrom(0);
  }
}
