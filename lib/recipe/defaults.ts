/** What is used where nothing else is asked for. docs/choosing.md has the figures behind it. */
import type { Recipe } from './recipe.ts';
import { recipes } from './recipes.ts';

/** The recipe used where none is given. */
export const DEFAULT_RECIPE: Recipe = recipes.words({ weight: 'log' });

/** The recipe of the second fingerprint, which confirms what the first one finds. */
export const DEFAULT_VERIFICATION: Recipe = recipes.shingles(3, { weight: 'set' });

/** Greatest distance in bits of near-duplicates by DEFAULT_RECIPE, when DEFAULT_VERIFICATION confirms them. */
export const DEFAULT_DISTANCE = 6;

/** Greatest distance in bits by DEFAULT_VERIFICATION. */
export const DEFAULT_VERIFY_DISTANCE = 14;

/** Texts with fewer features are too short to say that another one is near. */
export const DEFAULT_MIN_FEATURES = 4;
