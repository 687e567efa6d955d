/**
 * Reads HTML once, from left to right, and reports elements and text in balanced order, as the HTML
 * standard nests them: implied end tags, unmatched end tags, tables, list items, `svg` and `math` that HTML
 * breaks out of. Time is linear in the input and nothing recurses. `html`, `head` and `body` are not
 * reported: they hold everything and mean nothing here. Not done: the moving of content
 * out of tables and of misnested inline elements, which changes where text stands and not what it says.
 */
import { Tokenizer } from 'htmlparser2';
import { OpenElements } from './open-elements.ts';
import { ENDS_FOREIGN, ENDS_PARAGRAPH, HEADING, SPECIAL, TABLE_PART, VOID } from './tags.ts';

/** The attributes that are kept, decoded; the first of a name counts. */
export type Attributes = Readonly<Record<string, string>>;

const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** What a scan reports. Void elements are opened and closed at once. */
export interface ScanHandler {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** A piece of text, entities decoded, white space as written. */
  text(piece: string): void;
  /** A link ends here, even where its element stays open because of misnesting. */
  endLink?(): void;
}

const NOT_REPORTED = new Set(['html', 'head', 'body']);
const ROWS = ['tr', 'tbody', 'thead', 'tfoot', 'caption', 'colgroup'];

class TreeBuilder {
  readonly #open = new OpenElements();
  readonly #handler: ScanHandler;

  constructor(handler: ScanHandler) {
    this.#handler = handler;
  }

  /** Closes elements until `position` itself is closed. */
  #closeFrom(position: number): void {
    while (this.#open.depth > position) this.#handler.close(this.#open.pop());
  }

  #closeIfAbove(name: string, bound: number): void {
    const position = this.#open.last(name);
    if (position > bound) this.#closeFrom(position);
  }

  startTag(name: string, attributes: Attributes, selfClosing: boolean): void {
    const open = this.#open;
    const foreign = Math.max(open.last('svg'), open.last('math'));
    if (foreign >= 0 && ENDS_FOREIGN.has(name) && open.last('foreignobject') < foreign) {
      this.#closeFrom(foreign);
    }
    if (NOT_REPORTED.has(name)) return;
    if (TABLE_PART.has(name)) {
      if (open.last('table') < 0) return;
      this.#closeForTablePart(name);
    } else {
      this.#closeImplied(name);
    }
    if (name === 'form' && open.last('form') >= 0) return;
    this.#handler.open(name, attributes);
    const empty = VOID.has(name) || (selfClosing && foreign >= 0 && open.depth > foreign);
    if (empty) this.#handler.close(name);
    else open.push(name);
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
      const cell = Math.max(open.last('td'), open.last('th'), open.last('caption'));
      this.#closeIfAbove('table', cell);
    }
    if (ENDS_PARAGRAPH.has(name)) {
      this.#closeIfAbove('p', Math.max(open.scope, open.last('button')));
      if (HEADING.has(name) && HEADING.has(open.current)) this.#closeFrom(open.depth - 1);
    }
  }

  #closeForTablePart(name: string): void {
    const open = this.#open;
    const table = open.last('table');
    if (name === 'td' || name === 'th') {
      const cell = Math.max(open.last('td'), open.last('th'));
      if (cell > table) this.#closeFrom(cell);
      return;
    }
    let outermost = open.depth;
    for (const part of name === 'tr' ? ['tr', 'caption', 'colgroup'] : ROWS) {
      const position = open.last(part);
      if (position > table && position < outermost) outermost = position;
    }
    this.#closeFrom(outermost);
  }

  #endLink(): void {
    this.#handler.endLink?.();
    this.#closeIfAbove('a', this.#open.special);
  }

  endTag(name: string): void {
    if (name === 'a') this.#endLink();
    else if (HEADING.has(name)) this.#endHeading();
    else if (name === 'p' || name === 'br') this.#endParagraph(name);
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
    const paragraph = name === 'p' ? open.last('p') : -1;
    if (paragraph > Math.max(open.scope, open.last('button'))) {
      this.#closeFrom(paragraph);
    } else {
      this.#handler.open(name, NO_ATTRIBUTES);
      this.#handler.close(name);
    }
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

/**
 * Scans a document. `wanted` names the attributes to keep; the values of others are not even copied.
 */
export function scan(html: string, wanted: ReadonlySet<string>, handler: ScanHandler): void {
  const builder = new TreeBuilder(handler);
  let name = '';
  let attributes: Record<string, string> | undefined;
  let attribute: string | undefined;
  let value = '';
  // NUL in content is dropped, as the standard says.
  const hasNul = html.includes('\0');
  const textBetween = (start: number, end: number) =>
    hasNul ? html.slice(start, end).replaceAll('\0', '') : html.slice(start, end);
  const startTag = (selfClosing: boolean) => {
    builder.startTag(name, attributes ?? NO_ATTRIBUTES, selfClosing);
    attributes = undefined;
  };
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase();
        attributes = undefined;
      },
      onattribname(start, end) {
        attribute = undefined;
        value = '';
        if (end - start > 32) return;
        const key = html.slice(start, end).toLowerCase();
        if (wanted.has(key) && attributes?.[key] === undefined) attribute = key;
      },
      onattribdata(start, end) {
        if (attribute !== undefined) value += html.slice(start, end);
      },
      onattribentity(codePoint) {
        if (attribute !== undefined) value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        if (attribute === undefined) return;
        attributes ??= {};
        attributes[attribute] = value;
      },
      onopentagend: () => startTag(false),
      onselfclosingtag: () => startTag(true),
      onclosetag: (start, end) => builder.endTag(html.slice(start, end).toLowerCase()),
      ontext: (start, end) => handler.text(textBetween(start, end)),
      ontextentity: (codePoint) => handler.text(String.fromCodePoint(codePoint)),
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  builder.end();
}
