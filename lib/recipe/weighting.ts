/** Weights by the number of occurrences. */
import type { FeatureOptions } from '../engine.ts';
import { outOfRange, wrongType } from '../validate.ts';

/** What a feature that occurs tf times weighs: `set` 1, `count` tf, `log` 1 + ln tf. */
export type Weighting = FeatureOptions['weight'];

const WEIGHTINGS: readonly Weighting[] = ['set', 'count', 'log'];

/** A weighting, or an error that names the option. */
export function checkWeighting(value: unknown, name = 'weight'): Weighting {
  if (typeof value !== 'string') wrongType(name, `one of ${WEIGHTINGS.join(', ')}`, value);
  const weighting = WEIGHTINGS.find((known) => known === value);
  return weighting ?? outOfRange(name, `one of ${WEIGHTINGS.join(', ')}`, value);
}
