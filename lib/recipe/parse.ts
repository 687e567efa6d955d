/** Recipes from their canonical texts. */
import { makeError, NeardupError } from '../errors.ts';
import { outOfRange, wrongType } from '../validate.ts';
import type { CompatName } from './compat/libraries.ts';
import { STEMMER_LIBRARY, STOP_WORDS_LIBRARY } from './libraries.ts';
import { isRecipe, notARecipe, type Recipe } from './recipe.ts';
import { recipes } from './recipes.ts';
import type { Weighting } from './weighting.ts';

const EXAMPLE = 'the canonical text of a recipe, such as "neardup:1 shingles width=3 weight=count"';

const FORM =
  /^neardup:1 (?:(?:words ngrams=(?<min>\d+)\.\.(?<max>\d+)|shingles width=(?<width>\d+))(?: stop=(?<stop>\S+))?(?: stem=(?<stem>\S+))? weight=(?<weight>set|count|log)(?: idf=(?<idf>\S+))?|chars n=(?<n>\d+) weight=(?<charWeight>set|count|log)|features name=(?<name>\S+)|compat (?<compat>\S+))$/;

function unsupported(message: string): never {
  throw makeError('ERR_NEARDUP_UNSUPPORTED', message);
}

/** The part of `en@stopwords-iso/1.1.0` before the @, when the library is the one that this version has. */
function fromLibrary(part: string | undefined, library: string): string | undefined {
  if (part === undefined) return undefined;
  const [value, named] = part.split('@', 2) as [string, string?];
  if (named !== undefined && named !== library) {
    unsupported(`the recipe names ${named}, but this version of neardup has ${library}`);
  }
  return value;
}

function build(parts: Record<string, string | undefined>): Recipe {
  const { min, max, width, n, name, compat, idf } = parts;
  if (name !== undefined) return recipes.features(name);
  if (compat !== undefined) return recipes.compat(compat as CompatName);
  if (n !== undefined) return recipes.chars(Number(n), { weight: parts.charWeight as Weighting });
  if (idf !== undefined || parts.stop?.startsWith('own/')) {
    unsupported(
      `the recipe names ${idf === undefined ? 'a list of stop words' : 'document frequencies'} by a hash only: ` +
        'make it with `recipes` from the same data, and compare the texts',
    );
  }
  const stopWords = fromLibrary(parts.stop, STOP_WORDS_LIBRARY);
  const stem = fromLibrary(parts.stem, STEMMER_LIBRARY);
  const options = {
    weight: parts.weight as Weighting,
    ...(stopWords === undefined ? {} : { stopWords }),
    ...(stem === undefined ? {} : { stem }),
  };
  if (width !== undefined) return recipes.shingles(Number(width), options);
  return recipes.words({ ngrams: [Number(min), Number(max)], ...options });
}

/**
 * The recipe of a canonical text. Throws ERR_NEARDUP_OUT_OF_RANGE where the text is not one, and
 * ERR_NEARDUP_UNSUPPORTED where it names what the text alone does not hold: your own stop words or document
 * frequencies, or a library in another version.
 */
export function parseRecipe(text: string): Recipe {
  if (typeof text !== 'string') wrongType('recipe', 'a string', text);
  const parts = FORM.exec(text)?.groups;
  const recipe = parts && build(parts);
  // The same recipe in other words (n=03) is not canonical.
  if (recipe?.text !== text) outOfRange('recipe', EXAMPLE, text);
  return recipe;
}

/** The canonical text of a recipe, to compare it: also of one that cannot be made from its text alone. */
export function checkRecipeText(value: unknown): string {
  if (isRecipe(value)) return value.text;
  if (typeof value !== 'string') return notARecipe(value);
  try {
    return parseRecipe(value).text;
  } catch (error) {
    if (error instanceof NeardupError && error.code === 'ERR_NEARDUP_UNSUPPORTED') return value;
    throw error;
  }
}

/** A recipe given as such or as its canonical text. */
export function checkRecipe(value: unknown): Recipe {
  if (typeof value === 'string') return parseRecipe(value);
  return isRecipe(value) ? value : notARecipe(value);
}
