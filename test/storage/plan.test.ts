/** The manifest tells the plan of each segment: the one that its file has, and one that serves the distance. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { checkedJson } from '../../lib/storage/checked-json.ts';
import { repairIndex } from '../../lib/storage/repair.ts';
import { verifyIndex } from '../../lib/storage/verify.ts';
import type { StoredPlan } from '../../lib/ts/storage/stored-plan.ts';
import { engines } from '../engines.ts';
import { Random } from '../index/collections.ts';
import { randomKeys } from '../random.ts';
import { fastFolder } from './fast-folder.ts';

const folder = mkdtempSync(join(fastFolder, 'neardup-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

function manifestOf(path: string) {
  const [line = ''] = readFileSync(join(path, 'MANIFEST'), 'utf8').split('\n');
  return JSON.parse(line);
}

function ones(value: bigint): number {
  return value.toString(2).replaceAll('0', '').length;
}

/** Whether fingerprints that differ in these bits are found: some table's key has no more of them than its radius. */
function finds({ keys, radii }: StoredPlan, difference: bigint): boolean {
  return keys.some((ranges, table) => {
    const mask = ranges.reduce(
      (sum, { low, width }) => sum | (((1n << BigInt(width)) - 1n) << BigInt(low)),
      0n,
    );
    return ones(difference & mask) <= (radii[table] as number);
  });
}

describe.each(engines)('the $backend engine', (engine) => {
  test.each([0, 3, 6])('for distance %i', async (maxDistance) => {
    const path = join(folder, `${engine.backend}-${maxDistance}`);
    const index = await HammingIndex.open(path, { maxDistance }, engine);
    const count = 50_000;
    await index.load([
      { fingerprints: randomKeys(count, 1), ids: Float64Array.from({ length: count }, (_, i) => i) },
    ]);
    index.close();
    const manifest = manifestOf(path);
    const [{ plan }] = manifest.segments as [{ plan: StoredPlan | null }];
    if (engine.backend === 'js') {
      expect(plan).toBe(null);
      return;
    }
    expect(plan?.maxDistance).toBe(maxDistance);
    const random = new Random(maxDistance);
    for (let round = 0; round < 10_000; round++) {
      let difference = 0n;
      for (let i = 0; i < maxDistance; i++) difference |= 1n << BigInt(random.below(64));
      if (!finds(plan as StoredPlan, difference)) expect.fail(`${difference} is not found`);
    }
    for (const each of engines) expect(await verifyIndex(path, each)).toEqual([]);
    const { kind, version, ...rest } = manifest;
    const [segment, ...others] = rest.segments;
    const radii = segment.plan.radii.map((radius: number) => radius + 1);
    const segments = [{ ...segment, plan: { ...segment.plan, radii } }, ...others];
    writeFileSync(join(path, 'MANIFEST'), checkedJson({ kind, version }, { ...rest, segments }, engine));
    for (const each of engines) {
      const [problem] = await verifyIndex(path, each);
      expect(problem).toMatchObject({
        file: join(path, segment.name),
        message: 'its plan is not the one that the manifest tells',
      });
    }
    expect(await repairIndex(path, engine)).toMatchObject({ entries: count, dropped: [{}] });
    expect(await verifyIndex(path, engine)).toEqual([]);
  });
});
