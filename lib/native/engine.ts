/** The addon as an Engine. */
import type { Engine, EngineIndex, IndexOptions } from '../engine.ts';
import type { SegmentChecker, StoredIndex } from '../engine-storage.ts';
import { makeError, type NeardupErrorCode } from '../errors.ts';

/** The native engine. */
export interface NativeEngine extends Engine, SegmentChecker {
  createIndex(options: IndexOptions): EngineIndex & StoredIndex;
  /**
   * The kernel that was asked for, or the best that this processor has. `kernel` is another one where another
   * thread of the process chose first: a process has one choice.
   */
  readonly preferredKernel: string;
}

/** What the addon exports: an Engine once it is told which kernel to use and how to make errors. */
interface Addon {
  /** `kernel` undefined: the best that this processor has. Throws where it lacks the one asked for. */
  createEngine(
    makeError: (code: NeardupErrorCode, message: string) => Error,
    kernel: string | undefined,
  ): Omit<NativeEngine, 'backend'>;
}

/** Wraps the loaded addon. */
export function createNativeEngine(addon: unknown, kernel: string | undefined): NativeEngine {
  return { backend: 'native', ...(addon as Addon).createEngine(makeError, kernel) };
}
