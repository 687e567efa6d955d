/** Indexes on disk in workers; `npm run test:nodes` runs the same under other versions of Node. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('stored-index.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'neardup-workers-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
  });
  return { status, signal, stdout, stderr };
}

test('workers open, change and close indexes, and are terminated in the middle of it', { timeout: 0 }, () => {
  expect(run(join(folder, 'terminate'))).toEqual({ status: 0, signal: null, stdout: 'ended\n', stderr: '' });
});

test('the process ends with work in flight', { timeout: 0 }, () => {
  expect(run(join(folder, 'exit'), 'exit')).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
  expect(run(join(folder, 'signal'), 'SIGTERM')).toMatchObject({ signal: 'SIGTERM', stderr: '' });
});
