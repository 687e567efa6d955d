/**
 * Every call of the file system fails, one after the other: the error reaches the caller, what was there before can
 * be read, and when the cause is gone the index goes on, and its files hold what it holds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { NeardupError } from '../../lib/errors.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { Model } from '../crash/index-model.ts';
import { engines } from '../engines.ts';
import { eachChange, make, numbersIn } from './changes.ts';
import { fastFolder } from './fast-folder.ts';
import { type Fault, Faults } from './fs-faults.ts';
import { interceptFs } from './intercepted-fs.ts';

const folder = mkdtempSync(join(fastFolder, 'neardup-faults-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What fails with "nothing changed". The others may have changed what is held; all of it or nothing. */
const UNCHANGED = new Set(['add', 'addBatch', 'remove', 'removeBatch', 'removeBefore']);

/** Runs the scenario with one fault; false when no call was left to fail. */
async function run(engine: Engine, path: string, faults: Faults): Promise<boolean> {
  const options = { create: true, times: true, checkpointBytes: 4096, sync: 'always' } as const;
  const restore = interceptFs(faults.handle);
  try {
    let model = new Model();
    let index: HammingIndex | undefined;
    const expectIs = async (held: readonly number[], candidates: readonly Model[], where: string) => {
      const found = candidates.find((candidate) => candidate.numbers().join() === held.join());
      expect(found, where).toBeDefined();
      model = found as Model;
    };
    for (const [i, change] of eachChange().entries()) {
      const where = `${faults.fault} at call ${faults.at}, change ${i} (${change.kind})`;
      const after = model.copy();
      after.apply(change);
      let error: unknown;
      try {
        index ??= await HammingIndex.open(path, options, engine);
        await make(index, change);
      } catch (thrown) {
        error = thrown;
        // A defect would be an error of another kind.
        if (!(thrown instanceof NeardupError) || thrown.code !== 'ERR_NEARDUP_IO') throw thrown;
      }
      if (index === undefined) continue;
      const held = await numbersIn(index);
      const mayBoth = !UNCHANGED.has(change.kind);
      await expectIs(held, error === undefined ? [after] : mayBoth ? [model, after] : [model], where);
    }
    if (faults.failed === 0) return false;
    faults.isOver = true;
    index ??= await HammingIndex.open(path, options, engine);
    await index.checkpoint();
    await make(index, { kind: 'add', numbers: [1] });
    model.apply({ kind: 'add', numbers: [1] });
    expect(await index.verify()).toEqual([]);
    index.close();
    // The other engine, where there is one.
    const other = engines.find((each) => each !== engine) ?? engine;
    const again = await HammingIndex.open(path, { readOnly: true }, other);
    await expectIs(
      await numbersIn(again),
      [model],
      `opened again after ${faults.fault} at call ${faults.at}`,
    );
    expect(await again.verify()).toEqual([]);
    again.close();
    return true;
  } finally {
    restore();
  }
}

/** How many calls fail one after the other where faults last, and every how many calls they begin. */
const LASTING_CALLS = 50;
const LASTING_STEP = 5;

test.each(
  engines.flatMap((engine) =>
    [
      { fault: 'EIO', lasts: false },
      { fault: 'ENOSPC', lasts: true },
      { fault: 'short', lasts: false },
    ].map((one) => ({ ...one, backend: engine.backend, engine }) as const),
  ),
)(
  '$fault at every call in turn, lasting: $lasts, $backend engine',
  { timeout: 0 },
  async ({ fault, lasts, backend, engine }) => {
    let at = 0;
    for (; ; at += lasts ? LASTING_STEP : 1) {
      const path = join(folder, `${backend}-${fault}-${at}`);
      if (!(await run(engine, path, new Faults(at, fault as Fault, lasts ? LASTING_CALLS : 1)))) break;
      rmSync(path, { recursive: true, force: true });
    }
    expect(at).toBeGreaterThan(100);
  },
);
