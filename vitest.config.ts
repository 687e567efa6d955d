import { configDefaults, defineConfig } from 'vitest/config';

// test/parity compares both engines whatever the backend is: the run on the native engine is enough.
const again = process.env.NEARDUP_BACKEND === 'js' && process.env.CI === 'true';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(again ? ['test/parity/**'] : [])],
    testTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
