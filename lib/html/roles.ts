/**
 * What an element says of the text inside: not shown, boilerplate, a heading, content that may have a
 * header of its own. Decided from the element's name, role, id and class alone, in constant time.
 */

import { HEADING, NOT_SHOWN } from './tags.ts';
import type { Attributes } from './tree-builder.ts';

/** Bits that an element adds to what its parent passed on. */
export const HIDDEN = 1;
export const BOILERPLATE = 2;
export const IN_HEADING = 4;
/** Inside main, article, section: a header or footer here belongs to the content. */
export const IN_CONTENT = 8;

/** The attributes that the decisions need. */
export const ROLE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'hidden',
  'style',
  'open',
  'role',
  'id',
  'class',
  'href',
]);

const BOILERPLATE_ELEMENT = new Set(['nav', 'aside', 'menu', 'button', 'select', 'search', 'dialog']);
const BOILERPLATE_ROLE = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'alertdialog',
  'menu',
  'menubar',
  'toolbar',
]);
const CONTENT_ELEMENT = new Set(['main', 'article', 'section']);

/** Ids and classes that are one of these words. */
const BOILERPLATE_NAME = new Set(
  (
    'nav navbar navigation main-menu menubar nav-menu footer site-footer page-footer global-footer ' +
    'site-header global-header masthead sidebar breadcrumb breadcrumbs skip-link skip-to-content pagination'
  ).split(' '),
);
/** Ids and classes of cookie and consent notices: by their vendors' names, or by what they are. */
const CONSENT_VENDOR =
  /^(?:onetrust|optanon|cybotcookiebot|cookiebot|didomi|qc-cmp|usercentrics|truste|osano)/i;
const CONSENT_NOTICE =
  /^(?:js-|eu-|site-)?(?:cookies?|consent|gdpr)(?:-?law)?[-_]?(?:consent|banner|notice|bar|popup|modal|dialog|message|overlay|info|prompt|wall)/i;

const NOT_DISPLAYED = /(?:^|[;\s])(?:display\s{0,4}:\s{0,4}none|visibility\s{0,4}:\s{0,4}hidden)/i;
const LONGEST_LOOKED_AT = 512;

function namesBoilerplate(names: string | undefined): boolean {
  if (names === undefined) return false;
  for (const name of names.slice(0, LONGEST_LOOKED_AT).split(/\s+/, 32)) {
    if (BOILERPLATE_NAME.has(name.toLowerCase())) return true;
    if (CONSENT_VENDOR.test(name) || CONSENT_NOTICE.test(name)) return true;
  }
  return false;
}

function isHidden(name: string, attributes: Attributes, noscript: boolean): boolean {
  if (NOT_SHOWN.has(name) || (name === 'noscript' && !noscript)) return true;
  if (attributes.hidden !== undefined) return true;
  if (name === 'dialog' && attributes.open === undefined) return true;
  const { style } = attributes;
  return style !== undefined && NOT_DISPLAYED.test(style.slice(0, LONGEST_LOOKED_AT));
}

function isBoilerplate(name: string, attributes: Attributes, inherited: number): boolean {
  if (BOILERPLATE_ELEMENT.has(name)) return true;
  if ((name === 'header' || name === 'footer') && (inherited & IN_CONTENT) === 0) return true;
  const { role } = attributes;
  if (role !== undefined && BOILERPLATE_ROLE.has(role.trim().toLowerCase())) return true;
  if (HEADING.has(name)) return false;
  return namesBoilerplate(attributes.id) || namesBoilerplate(attributes.class);
}

/** The bits of an element inside a parent with the bits `inherited`. */
export function elementBits(
  name: string,
  attributes: Attributes,
  inherited: number,
  noscript: boolean,
): number {
  if ((inherited & HIDDEN) !== 0 || isHidden(name, attributes, noscript)) return inherited | HIDDEN;
  let bits = inherited;
  if (HEADING.has(name)) bits |= IN_HEADING;
  if ((bits & BOILERPLATE) === 0 && isBoilerplate(name, attributes, inherited)) bits |= BOILERPLATE;
  if (CONTENT_ELEMENT.has(name)) bits |= IN_CONTENT;
  return bits;
}
