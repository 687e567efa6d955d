import { defineConfig } from 'tsdown';

// Unbundled: dist mirrors lib, so that paths relative to a module (the addon's) hold in both.
export default defineConfig({
  entry: ['lib/index.ts', 'lib/html/index.ts', 'lib/cli/main.ts'],
  format: ['esm', 'cjs'],
  outDir: 'dist',
  platform: 'node',
  target: 'node20',
  unbundle: true,
  dts: true,
  shims: true,
  clean: true,
  sourcemap: false,
});
