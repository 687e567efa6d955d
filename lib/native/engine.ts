/** The addon as an Engine. */
import type { Engine } from '../engine.ts';
import { makeError, type NeardupErrorCode } from '../errors.ts';

/** What the addon exports: an Engine once it is told which kernel to use and how to make errors. */
interface Addon {
  /** `kernel` undefined: the best that this processor has. Throws where it lacks the one asked for. */
  createEngine(
    makeError: (code: NeardupErrorCode, message: string) => Error,
    kernel: string | undefined,
  ): Omit<Engine, 'backend'>;
}

/** Wraps the loaded addon. */
export function createNativeEngine(addon: unknown, kernel: string | undefined): Engine {
  return { backend: 'native', ...(addon as Addon).createEngine(makeError, kernel) };
}
