/**
 * Finds and loads the compiled addon: the only file that knows `.node`. In a checkout that is the one
 * `npm run build:native` made; in the installed package, the prebuilt one of this platform.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The addon, or undefined with what was tried and why it failed. */
export interface LoadResult {
  readonly addon: unknown;
  readonly path: string | undefined;
  /** One line for each place tried without success: `place: reason`. */
  readonly failures: readonly string[];
}

/** Where the name of the ELF interpreter stands: in the first bytes of the running node. */
const HEAD_BYTES = 8192;

/** True where the C library is musl: read from the ELF interpreter that the running node names. */
function usesMusl(): boolean {
  try {
    const file = openSync(process.execPath, 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.subarray(0, readSync(file, head)).includes('ld-musl');
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** `platform-arch`, with musl named, as the folders below prebuilds/. */
export function platformName(): string {
  const libc = process.platform === 'linux' && usesMusl() ? 'musl' : '';
  return `${process.platform}${libc}-${process.arch}`;
}

// Literal paths, so that bundlers can follow them.
function loadPrebuilt(platform: string): unknown {
  switch (platform) {
    case 'linux-x64':
      return require('../../prebuilds/linux-x64/neardup.node');
    default:
      throw new Error(`no prebuilt addon for ${platform}`);
  }
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] as string;
}

/** Tries the checkout's build, then the prebuilt addon. Never throws. */
export function loadAddon(): LoadResult {
  const platform = platformName();
  const places: [string, () => unknown][] = [
    ['build/Release/neardup.node', () => require('../../build/Release/neardup.node')],
    [`prebuilds/${platform}/neardup.node`, () => loadPrebuilt(platform)],
  ];
  const failures: string[] = [];
  for (const [path, load] of places) {
    try {
      return { addon: load(), path, failures };
    } catch (error) {
      failures.push(`${path}: ${reason(error)}`);
    }
  }
  return { addon: undefined, path: undefined, failures };
}
