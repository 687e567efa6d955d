/**
 * The one error family of the package. Every error thrown on purpose is `instanceof NeardupError` and
 * carries a `code`; wrong types are also `instanceof TypeError`, values out of range also
 * `instanceof RangeError`, everything else also `instanceof Error` alone.
 */

/** Codes of the errors. */
export type NeardupErrorCode =
  /** An argument has the wrong type (TypeError). */
  | 'ERR_NEARDUP_INVALID_TYPE'
  /** An argument has the right type and a value outside its range (RangeError). */
  | 'ERR_NEARDUP_OUT_OF_RANGE'
  /** The object was closed before the call. */
  | 'ERR_NEARDUP_CLOSED'
  /** Stored data belongs to another recipe. */
  | 'ERR_NEARDUP_RECIPE_MISMATCH'
  /** An allocation was refused; what was stored before is still there. */
  | 'ERR_NEARDUP_OUT_OF_MEMORY'
  /** The platform, build or option does not offer what was asked for. */
  | 'ERR_NEARDUP_UNSUPPORTED'
  /** Input data (a line of a file) cannot be read as what it should be. */
  | 'ERR_NEARDUP_BAD_INPUT'
  /** A stored file is not what was written; the message names file and section. */
  | 'ERR_NEARDUP_CORRUPT'
  /** A directory is open for writing elsewhere. */
  | 'ERR_NEARDUP_LOCKED'
  /** The file system refused; `cause` is its error, and the message says what is held and what to do. */
  | 'ERR_NEARDUP_IO'
  /** A call that would change what was opened read-only. */
  | 'ERR_NEARDUP_READ_ONLY';

const BRAND = Symbol.for('neardup.error');

/** `error instanceof NeardupError` holds for every error that the package throws on purpose. */
export class NeardupError extends Error {
  /** What went wrong, stable across versions. */
  readonly code: NeardupErrorCode;

  constructor(code: NeardupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NeardupError';
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class that extends this one has instances of its own.
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that instanceof names
    if (this !== NeardupError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return value instanceof Error && BRAND in value;
  }
}

class NeardupTypeError extends TypeError {
  readonly code = 'ERR_NEARDUP_INVALID_TYPE';

  constructor(message: string) {
    super(message);
    this.name = 'NeardupError';
    Object.defineProperty(this, BRAND, { value: true });
  }
}

class NeardupRangeError extends RangeError {
  readonly code = 'ERR_NEARDUP_OUT_OF_RANGE';

  constructor(message: string) {
    super(message);
    this.name = 'NeardupError';
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Makes the error of a code, of the class that fits it; with a cause only where the code is no argument's. */
export function makeError(code: NeardupErrorCode, message: string, options?: ErrorOptions): NeardupError {
  if (code === 'ERR_NEARDUP_INVALID_TYPE') return new NeardupTypeError(message);
  if (code === 'ERR_NEARDUP_OUT_OF_RANGE') return new NeardupRangeError(message);
  return new NeardupError(code, message, options);
}
