/** `neardup dedup` writes the same bytes on both engines. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAddon } from '../../lib/native/loader.ts';
import { Folder } from '../cli/run.ts';
import { dataFile } from '../data.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = [
  ['the demo', `${root}examples/data/policies-demo.jsonl`],
  ['licences', dataFile('licences')],
  ['policies', dataFile('policies')],
] as const;

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder[Symbol.dispose]());

describe.skipIf(loadAddon().addon === undefined)('both engines', () => {
  for (const [name, file] of files) {
    it.skipIf(file === undefined)(`dedup ${name} alike, where its data is there`, async () => {
      for (const backend of ['native', 'js']) {
        const args = [
          'dedup',
          file as string,
          '--id',
          'id',
          '--out',
          `${backend}.out`,
          '--dropped',
          `${backend}.dropped`,
        ];
        const { code, stdout } = await folder.run([...args, '--json'], '', { NEARDUP_BACKEND: backend });
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ backend, rejected: 0 });
      }
      expect(folder.read('js.out') === folder.read('native.out')).toBe(true);
      expect(folder.read('js.dropped')).toBe(folder.read('native.dropped'));
      expect(folder.lines('js.dropped').length).toBeGreaterThan(10);
    });
  }
});
