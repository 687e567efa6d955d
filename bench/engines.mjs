// Both engines of the built package, side by side.
import { createNativeEngine } from '../dist/native/engine.mjs';
import { loadAddon } from '../dist/native/loader.mjs';
import { tsEngine } from '../dist/ts/engine.mjs';

const { addon, failures } = loadAddon();
if (addon === undefined) {
  console.error(`The benchmark compares the engines and needs the addon: ${failures.join('; ')}`);
  process.exit(1);
}

export const nativeEngine = createNativeEngine(addon, undefined);
export { tsEngine };
