/**
 * What the HTML standard says of element names, as far as text extraction needs it: which elements are
 * void, which are "special" (end tags of other elements do not reach through them), which bound a scope,
 * which start tags end an open paragraph, which stand for a line of their own, which are never shown.
 */

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** No content and no end tag. */
export const VOID = set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/** The standard's "special" category: unmatched inline end tags stop at these. */
export const SPECIAL = set(
  'address applet area article aside base basefont bgsound blockquote br button caption center col ' +
    'colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 ' +
    'h4 h5 h6 header hgroup hr iframe img input keygen li link listing main marquee menu meta nav noembed ' +
    'noframes noscript object ol p param plaintext pre script search section select source style summary ' +
    'table tbody td template textarea tfoot th thead title tr track ul wbr xmp',
);

/** Bounds of the default scope: an end tag outside does not close what is inside. */
export const SCOPE = set('applet caption marquee object table td template th');

/** Start tags that end an open paragraph. */
export const ENDS_PARAGRAPH = set(
  'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer ' +
    'form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section ' +
    'summary table ul xmp',
);

/** Elements whose content is not HTML. */
export const FOREIGN = set('svg math');

/** Elements of those whose content is HTML again. */
export const HTML_INSIDE_FOREIGN = set('foreignobject desc annotation-xml mi mo mn ms mtext');

/** Start tags that end an open `<svg>` or `<math>`: HTML content cannot stand inside those. */
export const ENDS_FOREIGN = set(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing ' +
    'menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
);

/** Elements whose end tags may be left out, table parts aside. */
export const IMPLIED_END = set('dd dt li optgroup option p rb rp rt rtc');

/** Parts of a table; their start tags mean nothing outside one. */
export const TABLE_PART = set('caption col colgroup tbody td tfoot th thead tr');

/** Text before and after one of these is on different lines. */
export const BLOCK = set(
  'address article aside blockquote br button caption center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ' +
    'ol optgroup option p plaintext pre search section select summary table tbody textarea tfoot thead tr ul xmp',
);

/** A space, not a line break, stands around these. */
export const CELL = set('td th');

/** Contents that a browser with scripts does not show, or that are no text. */
export const NOT_SHOWN = set(
  'applet audio canvas datalist embed iframe noembed noframes object rp script style svg template video',
);

/** `h1` to `h6`. */
export const HEADING = set('h1 h2 h3 h4 h5 h6');

/** Elements whose content is text up to their end tag, beyond those that the tokenizer knows. */
export const RAW_TEXT = set('iframe noembed noframes');

/** The same in a browser that runs scripts. */
export const RAW_TEXT_WITH_SCRIPTS = set('iframe noembed noframes noscript');

/** Inline elements whose end tags reach beyond blocks. */
export const FORMATTING = set('b big code em font i nobr s small strike strong tt u');
