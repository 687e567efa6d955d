/**
 * One fingerprint of a whole page in which its parts count differently: title and headings more than prose,
 * boilerplate little. The text of each role is a document of its own to the recipe (no n-gram spans two
 * roles); its votes are multiplied by the weight of the role and added.
 */
import { createFingerprinter, type Fingerprinter } from '../fingerprint/fingerprinter.ts';
import type { Recipe } from '../recipe/recipe.ts';
import { recipes } from '../recipe/recipes.ts';
import { checkOptions, outOfRange, wrongType } from '../validate.ts';
import type { Role } from './blocks.ts';
import type { DecodeOptions } from './decode.ts';
import { checkVisible, type ExtractOptions, extractPage } from './extract.ts';

/** How much the features of each role weigh. */
export type HtmlWeights = Readonly<Record<Role, number>>;

/** The weights where none are given. */
export const DEFAULT_HTML_WEIGHTS: HtmlWeights = Object.freeze({
  title: 3,
  heading: 2,
  body: 1,
  links: 0.5,
  boilerplate: 0.125,
});

/** Shingles, as pages of one site share words more than sentences. */
const DEFAULT_HTML_RECIPE = recipes.shingles(3);

/** How a page becomes a fingerprint. */
export interface HtmlFingerprinterOptions
  extends Pick<ExtractOptions, 'maxBytes' | 'noscript' | 'attributes'> {
  /** Weights of some or all roles, each 0 to 1000, taken in steps of 1/64; the others keep their defaults. */
  readonly weights?: Partial<HtmlWeights>;
  /** How the text of each role becomes features. `recipes.shingles(3)` where none is given. */
  readonly recipe?: Recipe | string;
}

/** Raised when the same page and options come to mean another fingerprint. */
const VERSION = 1;
const ROLES = Object.keys(DEFAULT_HTML_WEIGHTS) as Role[];
const HEAVIEST = 1000;
const STEPS = 64;

function checkWeights(given: Partial<HtmlWeights> | undefined): HtmlWeights {
  const weights = { ...DEFAULT_HTML_WEIGHTS, ...checkOptions('weights', given) };
  for (const [role, weight] of Object.entries(weights)) {
    if (!ROLES.includes(role as Role)) outOfRange('weights', `about ${ROLES.join(', ')}`, role);
    if (typeof weight !== 'number') wrongType(`weights.${role}`, 'a number', weight);
    if (!(weight >= 0 && weight <= HEAVIEST)) outOfRange(`weights.${role}`, `from 0 to ${HEAVIEST}`, weight);
    weights[role as Role] = Math.round(weight * STEPS) / STEPS;
  }
  return weights;
}

/** Makes fingerprints of pages by one recipe and one set of weights. Use `createHtmlFingerprinter`. */
export class HtmlFingerprinter {
  /**
   * What the fingerprints depend on, as a line of text: keep it with them. Only fingerprints of equal
   * recipes can be compared.
   */
  readonly recipe: string;
  readonly weights: HtmlWeights;
  readonly #options: HtmlFingerprinterOptions;
  readonly #fingerprinter: Fingerprinter;

  constructor(options: HtmlFingerprinterOptions) {
    checkVisible(options);
    this.#options = options;
    this.#fingerprinter = createFingerprinter(options.recipe ?? DEFAULT_HTML_RECIPE);
    this.weights = Object.freeze(checkWeights(options.weights));
    const weights = ROLES.map((role) => `${role}=${this.weights[role]}`).join(' ');
    const read = [...(options.noscript ? ['noscript'] : []), ...new Set(options.attributes)].sort();
    const also = read.length === 0 ? '' : ` read=${read.join(',')}`;
    this.recipe = `neardup-html:${VERSION} ${weights}${also}; ${this.#fingerprinter.recipe.text}`;
  }

  /** The fingerprint of a page, or undefined where no role with a weight has features. */
  fingerprint(html: string | Uint8Array, options?: DecodeOptions): bigint | undefined {
    const page = extractPage(html, {
      ...this.#options,
      ...checkOptions('options', options),
      mode: 'weighted',
    });
    const texts = new Map<Role, string[]>([['title', [page.title]]]);
    for (const { role, text } of page.blocks) {
      const lines = texts.get(role);
      if (lines === undefined) texts.set(role, [text]);
      else lines.push(text);
    }
    // In the order of the roles, so that rounding (of totals over 2^31 alone) is always the same.
    const margins = new Float64Array(64);
    let features = 0;
    for (const role of ROLES) {
      const lines = texts.get(role);
      const weight = this.weights[role];
      if (lines === undefined || weight === 0) continue;
      const vote = this.#fingerprinter.describe(lines.join('\n'));
      features += vote.features;
      for (let bit = 0; bit < 64; bit++) margins[bit]! += weight * vote.margins[bit]!;
    }
    return features === 0 ? undefined : fingerprintOf(margins);
  }
}

function fingerprintOf(margins: Float64Array): bigint {
  let fingerprint = 0n;
  for (let bit = 0; bit < 64; bit++) if (margins[bit]! > 0) fingerprint |= 1n << BigInt(bit);
  return fingerprint;
}

/** Makes an HtmlFingerprinter; keep it for many pages. */
export function createHtmlFingerprinter(options?: HtmlFingerprinterOptions): HtmlFingerprinter {
  return new HtmlFingerprinter(checkOptions('options', options));
}

/** The weighted fingerprint of one page, or undefined where it has no features. */
export function fingerprintHtml(
  html: string | Uint8Array,
  options?: HtmlFingerprinterOptions & DecodeOptions,
): bigint | undefined {
  return createHtmlFingerprinter(options).fingerprint(html, options);
}
