/** The addon's choice of kernels, in processes of their own: the choice holds for a whole process. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { loadAddon } from '../../lib/native/loader.ts';
import { expectedKernels } from './processor.ts';

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

const expected = expectedKernels();

describe.skipIf(path === undefined || expected === undefined)('kernels', () => {
  const [best, ...others] = expected as string[];

  test('the best set that the processor has flags for is taken', () => {
    expect(choose(null)).toEqual([{ kernel: best }]);
  });

  test.each(['scalar', 'avx2', 'avx512', 'neon'])(
    '%s runs where the processor has it, or is refused',
    (name) => {
      const [result] = choose(name);
      if (expected?.includes(name)) {
        expect(result).toEqual({ kernel: name });
      } else {
        expect(result?.code).toBe('ERR_NEARDUP_UNSUPPORTED');
        expect(result?.message).toBe(
          `the kernel "${name}" does not run on this processor; available: ${expected?.join(', ')}`,
        );
      }
    },
  );

  test('the first choice is for the process; a refusal is none', () => {
    const results = choose('sse9', 'scalar', null, best as string);
    expect(results[0]?.code).toBe('ERR_NEARDUP_UNSUPPORTED');
    expect(results.slice(1)).toEqual(new Array(3).fill({ kernel: 'scalar' }));
  });

  test.skipIf(others.length === 0)('a thread that asks for another one is told what it has', () => {
    const script = `
      import { Worker } from 'node:worker_threads';
      import { backendInfo } from './dist/index.mjs';
      const ask = (NEARDUP_BACKEND) => new Promise((resolve, reject) => {
        const text = "import { parentPort } from 'node:worker_threads';" +
          "import { backendInfo } from '" + process.cwd() + "/dist/index.mjs';" +
          "parentPort.postMessage(backendInfo());";
        new Worker(text, { eval: true, env: { NEARDUP_BACKEND } }).once('message', resolve).once('error', reject);
      });
      const main = backendInfo();
      console.log(JSON.stringify([main, await ask('scalar'), await ask('${best}'), await ask('js'), backendInfo()]));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, NEARDUP_BACKEND: best },
    });
    expect(stderr).toBe('');
    const [main, other, same, js, after] = JSON.parse(stdout);
    const asked = { backend: 'native', kernel: best, reason: `NEARDUP_BACKEND=${best} asks for it` };
    expect([main, same, after]).toMatchObject([asked, asked, asked]);
    expect(other).toMatchObject({
      backend: 'native',
      kernel: best,
      reason:
        `the native addon loaded, with the kernel ${best} in place of scalar: ` +
        'another thread of this process chose before, and the choice is for all',
    });
    expect(js).toMatchObject({ backend: 'js', kernel: 'js' });
  });
});
