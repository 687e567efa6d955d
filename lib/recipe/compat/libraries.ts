/** The compat recipes by name. */
import { outOfRange, wrongType } from '../../validate.ts';
import type { CompatRecipe } from './features.ts';
import { goSimhash } from './go-simhash.ts';
import { pythonSimhash } from './python-simhash.ts';
import { simhashPy } from './simhash-py.ts';

/** Libraries whose fingerprints can be reproduced. */
export type CompatName = 'python-simhash' | 'simhash-py' | 'go-simhash';

const LIBRARIES: Readonly<Record<CompatName, CompatRecipe>> = {
  'python-simhash': pythonSimhash,
  'simhash-py': simhashPy,
  'go-simhash': goSimhash,
};

/** The way of a library, or an error that lists them. */
export function checkCompatName(value: unknown): CompatRecipe {
  const names = `one of ${Object.keys(LIBRARIES).join(', ')}`;
  if (typeof value !== 'string') wrongType('name', names, value);
  if (!Object.hasOwn(LIBRARIES, value)) outOfRange('name', names, value);
  return LIBRARIES[value as CompatName];
}
