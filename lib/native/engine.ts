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

/** A check of a segment under way. */
interface SegmentCheck {
  /** Goes on by some milliseconds; whether it is done. Throws what is wrong, after which there are no more steps. */
  step(): boolean;
  /** Gives the file back, at any time. */
  close(): void;
}

/** What createEngine gives. */
interface AddonEngine extends Omit<NativeEngine, 'backend' | 'checkSegment'> {
  checkSegment(...args: Parameters<SegmentChecker['checkSegment']>): SegmentCheck;
}

/** What the addon exports: an Engine once it is told which kernel to use and how to make errors. */
interface Addon {
  /** `kernel` undefined: the best that this processor has. Throws where it lacks the one asked for. */
  createEngine(
    makeError: (code: NeardupErrorCode, message: string) => Error,
    kernel: string | undefined,
  ): AddonEngine;
}

/** Wraps the loaded addon. */
export function createNativeEngine(addon: unknown, kernel: string | undefined): NativeEngine {
  const engine = (addon as Addon).createEngine(makeError, kernel);
  return {
    backend: 'native',
    ...engine,
    *checkSegment(file, columns) {
      const check = engine.checkSegment(file, columns);
      try {
        while (!check.step()) yield;
      } finally {
        check.close();
      }
    },
  };
}
