/** NEARDUP_BACKEND forces a kernel through the whole package, in processes of their own. Uses the built package. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { loadAddon } from '../../lib/native/loader.ts';
import { expectedKernels } from './processor.ts';

const { path } = loadAddon();

const SCRIPT = `
  import { backendInfo, createFingerprinter, hammingMany, HammingIndex } from './dist/index.mjs';
  const text = (i) => Array.from({ length: i % 300 }, (_, j) => 'word' + ((i * j) % 97)).join(' ');
  const texts = Array.from({ length: 400 }, (_, i) => text(i));
  const recipes = ['words ngrams=1..1 weight=log', 'shingles width=3 weight=count', 'chars n=5 weight=set'];
  const found = recipes.map((recipe) => {
    const maker = createFingerprinter('neardup:1 ' + recipe);
    return texts.map((text) => maker.describe(text));
  });
  const codes = BigUint64Array.from(found[0], ({ fingerprint = 0n }) => fingerprint);
  const index = new HammingIndex({ maxDistance: 3 });
  index.addBatch(codes, Array.from(codes, (_, i) => i));
  const { offsets, ids, distances } = index.queryBatch(codes);
  const results = [found, hammingMany(codes, codes[7]), offsets, ids, distances];
  const plain = (key, value) => typeof value === 'bigint' ? value.toString(16) : ArrayBuffer.isView(value) ? [...value].join() : value;
  console.log(JSON.stringify({ kernel: backendInfo().kernel, results }, plain));`;

function run(backend: string): { kernel?: string; results?: unknown; stderr: string } {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    encoding: 'utf8',
    env: { ...process.env, NEARDUP_BACKEND: backend },
    maxBuffer: 1 << 27,
  });
  return { ...(stdout === '' ? {} : JSON.parse(stdout)), stderr };
}

describe.skipIf(path === undefined)('NEARDUP_BACKEND', () => {
  const js = run('js');

  test.each(['scalar', 'avx2', 'avx512', 'neon'])(
    '%s gives what the TypeScript engine gives, or is refused',
    (kernel) => {
      const forced = run(kernel);
      const isExpected = expectedKernels()?.includes(kernel) ?? forced.kernel !== undefined;
      if (!isExpected) {
        expect(forced.stderr).toContain('ERR_NEARDUP_UNSUPPORTED');
        expect(forced.stderr).toMatch(/does not run on this processor; available: [a-z0-9, ]*scalar/);
      } else {
        expect(forced.stderr).toBe('');
        expect(forced.kernel).toBe(kernel);
        expect(forced.results).toEqual(js.results);
      }
    },
  );

  test('the TypeScript engine is what it is asked for', () => {
    expect(js.kernel).toBe('js');
    expect(js.stderr).toBe('');
  });
});
