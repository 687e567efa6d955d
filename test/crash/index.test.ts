/**
 * kill -9 of a process that changes an index, at random moments: the other engine finds what was acknowledged, all of
 * it, and at most the one change besides that was under way. Uses the built package, which `npm test` makes first.
 * `npm run crash -- 5000` kills more often.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { engines } from '../engines.ts';
import { Model } from './index-model.ts';
import { changes, entryOf } from './index-work.mjs';
import { killSoon } from './kill.ts';

const KILLS = Number(process.env.NEARDUP_KILLS ?? 216);
const SYNCS = ['always', 'interval', 'never'] as const;
const LONGEST_MS = 120;
/** Directories are begun anew after so many kills, so that small ones are met as well. */
const KILLS_OF_ONE = 24;

const folder = mkdtempSync(join(tmpdir(), 'neardup-crash-'));
afterAll(() => rmSync(folder, { recursive: true }));
const child = fileURLToPath(new URL('index-child.mjs', import.meta.url));

/** Numbers of the entries held, ascending; each entry must be the one that has this number. */
async function numbersIn(index: HammingIndex): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { fingerprints, ids, times } of index.entries()) {
    for (const [i, n] of ids.entries()) {
      const { fingerprint, time } = entryOf(n);
      if (fingerprints[i] !== fingerprint || times?.[i] !== time) throw new Error(`entry ${n} has changed`);
      numbers.push(n);
    }
  }
  return numbers.sort((a, b) => a - b);
}

/** What the model must be now that a process was killed; undefined where the index holds something else. */
function modelOf(
  numbers: readonly number[],
  before: Model,
  seed: number,
  acknowledged: number,
): Model | undefined {
  const isHeld = (model: Model) => {
    const wanted = model.numbers();
    return wanted.length === numbers.length && wanted.every((n, i) => n === numbers[i]);
  };
  const sequence = changes(seed);
  for (let i = 0; i < acknowledged; i++) before.apply(sequence.next().value);
  if (isHeld(before)) return before;
  before.apply(sequence.next().value);
  return isHeld(before) ? before : undefined;
}

test.each(SYNCS)(
  'a killed writer loses nothing and leaves nothing half done: sync %s',
  { timeout: 0 },
  async (sync) => {
    const kills = Math.ceil(KILLS / SYNCS.length);
    let path = '';
    let model = new Model();
    for (let kill = 0; kill < kills; kill++) {
      if (kill % KILLS_OF_ONE === 0) {
        path = join(folder, `${sync}-${kill}`);
        model = new Model();
      }
      const seed = Math.floor(Math.random() * 2 ** 32);
      const writer = engines[kill % engines.length] as Engine;
      const reader = engines[(kill + 1) % engines.length] as Engine;
      const acknowledged = await killSoon(child, [path, sync, String(seed)], writer.backend, LONGEST_MS);
      const where = `kill ${kill} of ${path}, written by ${writer.backend}, seed ${seed}, ${acknowledged} changes`;
      const index = await HammingIndex.open(path, {}, reader);
      const found = modelOf(await numbersIn(index), model, seed, acknowledged);
      expect(found, where).toBeDefined();
      model = found as Model;
      expect(await index.verify()).toEqual([]);
      index.close();
      expect(readdirSync(path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    }
  },
);
