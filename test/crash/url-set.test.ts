/**
 * kill -9 of a writer at random moments: what was acknowledged is there, for either engine. Uses the built
 * package, which `npm test` makes first.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { UrlSet } from '../../lib/urls/url-set.ts';
import { engines } from '../engines.ts';

/** Kills of each kind of writer; NEARDUP_KILLS asks for more. */
const KILLS = Number(process.env.NEARDUP_KILLS ?? 14);
const LONGEST_MS = 60;

const folder = mkdtempSync(join(tmpdir(), 'neardup-crash-'));
afterAll(() => rmSync(folder, { recursive: true }));
const child = fileURLToPath(new URL('url-set-child.mjs', import.meta.url));

/** Runs the writer, kills it a while after its first acknowledgement, and gives the last count printed. */
async function killSoon(args: readonly string[], backend: string): Promise<number> {
  const env = { ...process.env, NEARDUP_BACKEND: backend };
  const writer = spawn(process.execPath, [child, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  writer.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const closed = once(writer, 'close');
  await Promise.race([once(writer.stdout, 'data'), closed]);
  await setTimeout(Math.random() * LONGEST_MS);
  writer.kill('SIGKILL');
  await closed;
  // A line may be cut off by the kill.
  return Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1));
}

test.each([
  ['os', 'addBatch'],
  ['os', 'addBatchAsync'],
  ['always', 'addBatch'],
  ['always', 'addBatchAsync'],
])('a killed writer loses nothing that it acknowledged: sync %s, %s', { timeout: 0 }, async (sync, call) => {
  const path = join(folder, `${sync}-${call}`);
  const backends = engines.map(({ backend }) => backend);
  let before = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = await killSoon([path, sync, call], backends[kill % backends.length]);
    expect(acknowledged).toBeGreaterThan(before);
    // The engine that did not write opens it.
    const set = UrlSet.open(path, {}, engines[(kill + 1) % engines.length]);
    await set.verify();
    // At most the batch that was under way is there besides.
    expect(set.size - acknowledged).toBeGreaterThanOrEqual(0);
    expect(set.size - acknowledged).toBeLessThanOrEqual(100);
    const urls = Array.from({ length: acknowledged }, (_, i) => `http://a.example/${i}`);
    expect(set.hasBatch(urls).seen.every(Boolean)).toBe(true);
    before = set.size;
    set.close();
    // Nothing that the manifest does not name is left.
    expect(readdirSync(path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  }
});
