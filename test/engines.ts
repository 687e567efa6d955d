/** The engines that can run here; the native one when its addon loads. */
import type { Engine, IndexColumns, SegmentPayload } from '../lib/engine.ts';
import { createNativeEngine } from '../lib/native/engine.ts';
import { loadAddon } from '../lib/native/loader.ts';
import { tsEngine } from '../lib/ts/engine.ts';

const { addon, failures } = loadAddon();
if (addon === undefined && process.env.NEARDUP_BACKEND === 'native') {
  throw new Error(`NEARDUP_BACKEND=native, but the addon did not load: ${failures.join('; ')}`);
}

export const nativeEngine: Engine | undefined =
  addon === undefined ? undefined : createNativeEngine(addon, undefined);

export const engines: readonly Engine[] = nativeEngine === undefined ? [tsEngine] : [nativeEngine, tsEngine];

/** All steps of a check of a segment at once; how many there were. */
export function checkWhole(engine: Engine, file: SegmentPayload, columns: IndexColumns): number {
  let steps = 0;
  for (const _ of engine.checkSegment(file, columns)) steps++;
  return steps;
}
