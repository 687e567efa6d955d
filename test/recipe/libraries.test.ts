/** The libraries of recipes: loaded only when asked for, from both builds, and refused in another version. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fingerprint, recipes, toHex } from '../../lib/index.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const OPEN = {
  ESM: `import { createRequire } from 'node:module';
        import * as neardup from '${dist}/index.mjs';
        const require = createRequire(import.meta.url);`,
  CommonJS: `const neardup = require('${dist}/index.cjs');`,
};

function run(format: keyof typeof OPEN, program: string): unknown {
  const type = format === 'ESM' ? '--input-type=module' : '--input-type=commonjs';
  const output = execFileSync(process.execPath, [type, '-e', `${OPEN[format]}\n${program}`], {
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

describe.each(['ESM', 'CommonJS'] as const)('the %s build', (format) => {
  it('loads no list of stop words and no stemmer until one is asked for', () => {
    const program = `
      const { recipes, fingerprint, toHex } = neardup;
      const loaded = () => Object.keys(require.cache).filter((file) => /stopwords-iso\\.json|snowball-stemmers\\.js/.test(file)).length;
      fingerprint('some text');
      const counts = [loaded()];
      recipes.words({ stopWords: 'de' });
      counts.push(loaded());
      const recipe = recipes.words({ stopWords: 'de', stem: 'german' });
      counts.push(loaded());
      console.log(JSON.stringify([counts, toHex(fingerprint('Die Katzen und die Hunde', recipe))]));`;
    const recipe = recipes.words({ stopWords: 'de', stem: 'german' });
    const expected = toHex(fingerprint('Die Katzen und die Hunde', recipe) as bigint);
    expect(run(format, program)).toEqual([[0, 1, 2], expected]);
  });

  it('refuses another version of a library, or none', () => {
    const program = `
      const Module = require('node:module');
      const load = Module._load;
      Module._load = function (name, ...rest) {
        if (name === 'stopwords-iso/package.json') return { version: '9.0.0' };
        if (name === 'snowball-stemmers/package.json') throw new Error('gone');
        return load.call(this, name, ...rest);
      };
      const tries = [{ stopWords: 'en' }, { stem: 'english' }].map((options) => {
        try {
          return neardup.recipes.words(options).text;
        } catch (error) {
          return [error.code, error.message];
        }
      });
      console.log(JSON.stringify(tries));`;
    expect(run(format, program)).toEqual([
      [
        'ERR_NEARDUP_UNSUPPORTED',
        'the recipe needs stopwords-iso 1.1.0, but stopwords-iso 9.0.0 is installed, which may give other fingerprints',
      ],
      [
        'ERR_NEARDUP_UNSUPPORTED',
        'the recipe needs the package snowball-stemmers 0.6.0, which does not load: run npm install snowball-stemmers@0.6.0 (gone)',
      ],
    ]);
  });
});
