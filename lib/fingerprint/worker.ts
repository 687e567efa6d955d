/** Who makes the fingerprints of a recipe: the engine, or code here over it. */
import { currentEngine } from '../backend.ts';
import type { Fingerprinter as EngineFingerprinter, VoteResult } from '../engine.ts';
import { makeError } from '../errors.ts';
import { nameRecipe, type Recipe } from '../recipe/recipe.ts';
import { CompatFingerprinter } from './compat-fingerprinter.ts';
import { TokenFingerprinter } from './token-fingerprinter.ts';

/** A fingerprinter whose work is done on this thread, so that it can be done in steps. */
export interface StepwiseFingerprinter extends EngineFingerprinter {
  /** As `describe`, yielding where the work may pause. Several may be under way. */
  describeInSteps(text: string | Uint8Array): Generator<void, VoteResult, undefined>;
}

/** Who makes the fingerprints of a recipe. */
export type Worker = EngineFingerprinter | StepwiseFingerprinter;

/** False for the engine's own, which know themselves how not to block. */
export function isStepwise(worker: Worker): worker is StepwiseFingerprinter {
  return worker instanceof TokenFingerprinter || worker instanceof CompatFingerprinter;
}

/** The fingerprinter of a recipe. Throws ERR_NEARDUP_UNSUPPORTED for a recipe that takes no texts. */
export function createWorker(recipe: Recipe): Worker {
  const engine = currentEngine();
  const { method } = recipe;
  if (method.by === 'engine') return engine.createFingerprinter(method.features);
  if (method.by === 'tokens') return new TokenFingerprinter(method, engine);
  if (method.by === 'compat') return new CompatFingerprinter(method.compat, engine);
  throw makeError(
    'ERR_NEARDUP_UNSUPPORTED',
    `the recipe ${nameRecipe(recipe)} takes features, not texts: use fingerprintFeatures or fingerprintHashes`,
  );
}
