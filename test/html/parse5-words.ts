/** The oracle of the extraction tests: what parse5, which builds the standard's tree, says is visible. */
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { NOT_SHOWN } from '../../lib/html/tags.ts';

type Node = DefaultTreeAdapterMap['node'];

function isHidden(node: Node): boolean {
  if (!('tagName' in node)) return false;
  if (NOT_SHOWN.has(node.tagName) || node.tagName === 'noscript' || node.tagName === 'title') return true;
  return node.attrs.some(
    ({ name, value }) => name === 'hidden' || (name === 'style' && /display:\s*none/.test(value)),
  );
}

/** The visible text nodes of a page in the order of the standard's tree. */
export function visibleTexts(html: string): string[] {
  const texts: string[] = [];
  const stack: Node[] = [parse(html)];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isHidden(node)) continue;
    if (node.nodeName === '#text' && 'value' in node) texts.push(node.value);
    if ('childNodes' in node) stack.push(...[...node.childNodes].reverse());
  }
  return texts;
}

/** The visible words in the order of the tree. */
export function visibleWords(html: string): string[] {
  return visibleTexts(html).join(' ').split(/\s+/).filter(Boolean);
}
