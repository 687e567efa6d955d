/**
 * Chooses the engine, once, on first use. `NEARDUP_BACKEND` forces one: `native` (an error where the
 * addon cannot load), `js`, or the addon with one kernel: `scalar`, `avx2`, `avx512`, `neon`.
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
    const tried = failures.join('; ');
    if (forced === '') return jsChoice(`the native addon did not load (${tried})`);
    throw makeError(
      'ERR_NEARDUP_UNSUPPORTED',
      `NEARDUP_BACKEND=${forced}, but the native addon did not load (${tried}). ` +
        'Build it with `npm run build:native`, or unset NEARDUP_BACKEND to use the TypeScript engine',
    );
  }
  const engine = createNativeEngine(addon, KERNELS.includes(forced) ? forced : undefined);
  const reason = forced === '' ? 'the native addon loaded' : `NEARDUP_BACKEND=${forced} asks for it`;
  return { engine, info: { backend: 'native', kernel: engine.kernel, reason, path: path as string } };
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
