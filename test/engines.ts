/** The engines that can run here; the native one when its addon loads. */
import type { Engine } from '../lib/engine.ts';
import { createNativeEngine } from '../lib/native/engine.ts';
import { loadAddon } from '../lib/native/loader.ts';
import { tsEngine } from '../lib/ts/engine.ts';

const { addon } = loadAddon();

export const nativeEngine: Engine | undefined =
  addon === undefined ? undefined : createNativeEngine(addon, undefined);

export const engines: readonly Engine[] = nativeEngine === undefined ? [tsEngine] : [nativeEngine, tsEngine];
