/** Whether an index is made as one that is asked for. */
import type { IndexColumns } from '../engine.ts';
import { makeError } from '../errors.ts';
import type { StoredOptions } from './manifest.ts';

/** Options of the index; undefined where those that are stored will do. */
export interface WantedOptions {
  readonly maxDistance: number | undefined;
  readonly memory: StoredOptions['memory'] | undefined;
  readonly columns: { readonly [column in keyof IndexColumns]: boolean | undefined };
  readonly recipe: string | undefined;
}

/** Refuses an index that was made in another way. */
export function checkStored(path: string, wanted: WantedOptions, stored: StoredOptions): void {
  const { recipe, maxDistance, columns } = wanted;
  if (recipe !== undefined && recipe !== stored.recipe) {
    const held = stored.recipe === null ? 'no recipe that was named' : `the recipe "${stored.recipe}"`;
    throw makeError(
      'ERR_NEARDUP_RECIPE_MISMATCH',
      `${path} holds fingerprints of ${held}, not of "${recipe}": they cannot be compared`,
    );
  }
  const check = (name: string, value: unknown, held: unknown) => {
    if (value === undefined || value === held) return;
    throw makeError(
      'ERR_NEARDUP_OUT_OF_RANGE',
      `options.${name} is ${value}, but ${path} was made with ${held}`,
    );
  };
  check('maxDistance', maxDistance, stored.maxDistance);
  check('times', columns.time, stored.columns.time);
  check('tags', columns.tag, stored.columns.tag);
  check('secondFingerprints', columns.second, stored.columns.second);
}
