/** The addon's choice of kernels, in processes of their own: the choice holds for a whole process. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { loadAddon } from '../../lib/native/loader.ts';

const { path } = loadAddon();

/** Loads the addon in a fresh process and reports what each of the kernels asked for in turn gives. */
function choose(...kernels: (string | null)[]): { kernel?: string; code?: string; message?: string }[] {
  const script = `
    const { createRequire } = require('node:module');
    const addon = createRequire(process.cwd() + '/')('./${path}');
    const makeError = (code, message) => Object.assign(new Error(message), { code });
    const results = ${JSON.stringify(kernels)}.map((kernel) => {
      try { return { kernel: addon.createEngine(makeError, kernel ?? undefined).kernel }; }
      catch (error) { return { code: error.code, message: error.message }; }
    });
    console.log(JSON.stringify(results));`;
  const run = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout);
}

describe.skipIf(path === undefined)('kernels', () => {
  test('the best available set is taken, and scalar can be forced', () => {
    const [best, scalar] = choose(null, 'scalar');
    const expected = process.arch === 'arm64' ? ['neon'] : ['avx512', 'avx2', 'scalar'];
    expect(expected).toContain(best?.kernel);
    expect(scalar).toEqual({ kernel: 'scalar' });
  });

  test('a set that the processor lacks is refused, with those it has', () => {
    const [best, other] = choose(null, process.arch === 'arm64' ? 'avx2' : 'neon');
    expect(other?.code).toBe('ERR_NEARDUP_UNSUPPORTED');
    expect(other?.message).toMatch(/does not run on this processor/);
    expect(other?.message).toContain(best?.kernel);
    expect(other?.message).toContain('scalar');
  });

  test('a refusal leaves the choice as it was', () => {
    expect(choose('scalar', 'sse9', null)[2]).toEqual({ kernel: 'scalar' });
  });
});
