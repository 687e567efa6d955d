/**
 * kill -9 of a writer at random moments: what was acknowledged is there, for either engine. Uses the built
 * package, which `npm test` makes first.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { UrlSet } from '../../lib/urls/url-set.ts';
import { engines } from '../engines.ts';
import { killSoon } from './kill.ts';

/** Kills of each kind of writer; NEARDUP_KILLS asks for more. */
const KILLS = Number(process.env.NEARDUP_KILLS ?? 14);
const LONGEST_MS = 60;

const folder = mkdtempSync(join(tmpdir(), 'neardup-crash-'));
afterAll(() => rmSync(folder, { recursive: true }));
const child = fileURLToPath(new URL('url-set-child.mjs', import.meta.url));

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
    const acknowledged = await killSoon(
      child,
      [path, sync, call],
      backends[kill % backends.length],
      LONGEST_MS,
    );
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
