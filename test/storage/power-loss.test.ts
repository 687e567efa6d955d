/**
 * A loss of power at every moment: of an index with sync `always`, each change that was acknowledged is there, from
 * what was synced alone; of the others, what was held at some moment before, nothing half done.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { Model } from '../crash/index-model.ts';
import { engines } from '../engines.ts';
import { make, numbersIn, smallScenario } from './changes.ts';
import { fastFolder } from './fast-folder.ts';
import { type DiskState, RecordedDisk, restoreDisk } from './recorded-disk.ts';

const folder = mkdtempSync(join(fastFolder, 'neardup-power-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Moments from which an index is opened again, about; spread over all there are. */
const MOMENTS = 150;

interface Moment {
  readonly state: DiskState;
  /** Changes acknowledged before it. */
  readonly acknowledged: number;
}

/** Makes the changes; gives every state in which a loss of power may leave the disk. */
async function record(
  path: string,
  sync: 'always' | 'interval' | 'never',
  engine: Engine,
): Promise<Moment[]> {
  const moments: Moment[] = [];
  const disk = new RecordedDisk(path);
  let acknowledged = -1;
  disk.onChange = () => {
    moments.push({ state: disk.certain(), acknowledged }, { state: disk.zeroed(), acknowledged });
  };
  try {
    const index = await HammingIndex.open(
      path,
      { create: true, times: true, checkpointBytes: 4096, sync },
      engine,
    );
    acknowledged = 0;
    for (const change of smallScenario()) {
      await make(index, change);
      acknowledged++;
    }
    index.close();
  } finally {
    disk.end();
  }
  return moments;
}

test.each(
  (['always', 'interval', 'never'] as const).flatMap((sync) =>
    engines.map((engine) => ({ sync, engine, backend: engine.backend })),
  ),
)('sync $sync, $backend engine', { timeout: 0 }, async ({ sync, engine, backend }) => {
  const path = join(folder, `${sync}-${backend}`);
  const moments = await record(path, sync, engine);
  const models = [new Model()];
  for (const change of smallScenario()) {
    const model = (models.at(-1) as Model).copy();
    model.apply(change);
    models.push(model);
  }
  const step = Math.max(1, Math.floor(moments.length / MOMENTS)) | 1;
  for (let i = 0; i < moments.length; i += step) {
    const { state, acknowledged } = moments[i] as Moment;
    const copy = join(folder, `${sync}-${backend}-${i}`);
    restoreDisk(state, copy);
    const where = `moment ${i} of ${moments.length}, after ${acknowledged} changes`;
    // Before the first manifest there is no index yet.
    const index = await HammingIndex.open(copy, { create: true, times: true }, engines[i % engines.length]);
    const held = (await numbersIn(index)).join();
    const first = sync === 'always' ? Math.max(0, acknowledged) : 0;
    const isOne = models
      .slice(first, Math.max(0, acknowledged) + 2)
      .some((model) => model.numbers().join() === held);
    expect(isOne, where).toBe(true);
    expect(await index.verify()).toEqual([]);
    index.close();
    rmSync(copy, { recursive: true });
  }
  expect(moments.length).toBeGreaterThan(100);
});
