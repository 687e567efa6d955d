/** What ends a command early, as one line for a person, and the exit codes. */
import { getSystemErrorMap } from 'node:util';

/** Exit codes of the command. */
export const EXIT = {
  ok: 0,
  /** Reading, writing or the work failed, or --strict met a line it cannot use. */
  failure: 1,
  /** The command line is wrong; nothing was read. */
  usage: 2,
  /** The reader of the output went away; what shells report for SIGPIPE. */
  brokenPipe: 141,
} as const;

/** Ends the command with a message of one line and an exit code. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The code (`ENOENT`) of an error of the operating system or of zlib; undefined for others. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code;
}

/** What an error says, in one line: `no such file or directory (ENOENT)`. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = errorCode(error);
  if (code === undefined) return printable(message);
  const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
  const known = getSystemErrorMap().get(errno);
  return known?.[0] === code ? `${known[1]} (${code})` : `${printable(message)} (${code})`;
}

/** Text that is safe on a terminal and fits a line: control characters become spaces, long text is cut. */
export function printable(text: string, limit = 160): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return (clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean).toWellFormed();
}
