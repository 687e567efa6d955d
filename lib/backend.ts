/**
 * Chooses the engine, once, on first use. `NEARDUP_BACKEND` forces one: `native` (an error where the
 * addon cannot load), `js`, or the addon with one kernel: `scalar`, `avx2`, `avx512`, `neon`. Each thread has its
 * engine; the kernel is that of the first thread of the process that chose one, and all kernels give the same
 * results.
 */
import type { Backend, Engine } from './engine.ts';
import { makeError } from './errors.ts';
import { createNativeEngine } from './native/engine.ts';
import { loadAddon } from './native/loader.ts';
import { tsEngine } from './ts/engine.ts';

/** Which engine is in use, and why. */
export interface BackendInfo {
  readonly backend: Backend;
  /** The instruction set of the hot loops: `scalar`, `avx2`, `avx512`, `neon`, or `js`. */
  readonly kernel: string;
  /** One sentence. */
  readonly reason: string;
  /** Where the addon was loaded from, relative to the package. */
  readonly path?: string;
}

interface Choice {
  readonly engine: Engine;
  readonly info: BackendInfo;
}

const KERNELS = ['scalar', 'avx2', 'avx512', 'neon'];
let choice: Choice | undefined;

function jsChoice(reason: string): Choice {
  return { engine: tsEngine, info: { backend: 'js', kernel: 'js', reason } };
}

function choose(): Choice {
  const forced = process.env.NEARDUP_BACKEND ?? '';
  if (forced === 'js') return jsChoice('NEARDUP_BACKEND=js asks for it');
  if (forced !== '' && forced !== 'native' && !KERNELS.includes(forced)) {
    throw makeError(
      'ERR_NEARDUP_UNSUPPORTED',
      `NEARDUP_BACKEND is "${forced}"; use native, js, ${KERNELS.join(', ')}, or leave it unset`,
    );
  }
  const { addon, path, failures } = loadAddon();
  if (addon === undefined) {
    // Rather what is there and broken than what is missing.
    const failure = failures.find((tried) => !tried.includes('Cannot find module')) ?? failures.at(-1);
    const why = `the native addon did not load (${failure})`;
    if (forced === '') return jsChoice(`${why}; results are the same, about ten times slower`);
    throw makeError(
      'ERR_NEARDUP_UNSUPPORTED',
      `NEARDUP_BACKEND=${forced}, but ${why}; unset NEARDUP_BACKEND to use the TypeScript engine`,
    );
  }
  const engine = createNativeEngine(addon, KERNELS.includes(forced) ? forced : undefined);
  const { kernel, preferredKernel } = engine;
  const why = forced === '' ? 'the native addon loaded' : `NEARDUP_BACKEND=${forced} asks for it`;
  const reason =
    kernel === preferredKernel
      ? why
      : `the native addon loaded, with the kernel ${kernel} in place of ${preferredKernel}: ` +
        'another thread of this process chose before, and the choice is for all';
  return { engine, info: { backend: 'native', kernel, reason, path: path as string } };
}

/** The engine in use. Throws when NEARDUP_BACKEND asks for what is not there. */
export function currentEngine(): Engine {
  choice ??= choose();
  return choice.engine;
}

/** Which engine is in use (`native` or `js`), with which kernel, and why. */
export function backendInfo(): BackendInfo {
  choice ??= choose();
  return choice.info;
}
