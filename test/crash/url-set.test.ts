/** kill -9 of a writer: what was acknowledged is there. Uses the built package, which `npm test` makes first. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { UrlSet } from '../../lib/urls/url-set.ts';

const folder = mkdtempSync(join(tmpdir(), 'neardup-crash-'));
afterAll(() => rmSync(folder, { recursive: true }));
const child = fileURLToPath(new URL('url-set-child.mjs', import.meta.url));

/** Runs the writer until it has acknowledged `lines` batches, kills it, and gives the last count printed. */
async function killAfter(path: string, sync: string, lines: number): Promise<number> {
  const writer = spawn(process.execPath, [child, path, sync], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  writer.stdout.on('data', (chunk) => {
    printed += chunk;
    if (printed.split('\n').length > lines) writer.kill('SIGKILL');
  });
  await once(writer, 'close');
  return Number(printed.trimEnd().split('\n').at(-1));
}

test.each(['os', 'always'])('a killed writer loses nothing that it acknowledged, sync %s', async (sync) => {
  const path = join(folder, sync);
  let acknowledged = 0;
  for (const lines of [1, 5, 9, 14, 33]) {
    acknowledged = await killAfter(path, sync, lines);
    const set = UrlSet.open(path);
    // At most the batch that was under way is there besides.
    expect(set.size - acknowledged).toBeGreaterThanOrEqual(0);
    const urls = Array.from({ length: acknowledged }, (_, i) => `http://a.example/${i}`);
    expect(set.hasBatch(urls).seen.every(Boolean)).toBe(true);
    set.close();
  }
  expect(acknowledged).toBeGreaterThan(6000);
});
