/** Work on the JavaScript thread gives turns to the event loop, which are counted here: no clock is read. */
import { describe, expect, it } from 'vitest';
import { startBatch } from '../../lib/fingerprint/batch-job.ts';
import { createWorker } from '../../lib/fingerprint/worker.ts';
import {
  createFingerprinter,
  documentFrequency,
  fingerprints,
  type Recipe,
  recipes,
} from '../../lib/index.ts';
import { tsEngine } from '../../lib/ts/engine.ts';
import { randomKeys } from '../random.ts';

/** How many turns of the event loop began while `work` was under way. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const turn = (): void => {
    if (done) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  done = true;
  return turns;
}

const words = tsEngine.createFingerprinter({ unit: 'words', min: 1, max: 1, weight: 'log' });
const vocabulary = Array.from(randomKeys(50_000, 1), (key) => (key >> 34n).toString(36));
const long = Array.from({ length: 280_000 }, (_, i) => vocabulary[(i * i) % 49_999]).join(' ');

/** Recipes of which this thread does a part, with what they call. */
const OURS: [string, Recipe][] = [
  ['stems', recipes.words({ stem: 'english' })],
  [
    'document frequencies',
    recipes.words({ weight: documentFrequency({ documents: 9, frequencies: { a: 3 } }) }),
  ],
  ['python-simhash', recipes.compat('python-simhash')],
  ['simhash-py', recipes.compat('simhash-py')],
  ['go-simhash', recipes.compat('go-simhash')],
];

describe('slices', () => {
  it('end among many empty texts', async () => {
    const texts = new Array<string>(100_000).fill('');
    const turns = await turnsDuring(tsEngine.fingerprintBatchAsync([words], texts).result);
    expect(turns).toBeGreaterThan(2);
  });

  it('end inside a text of 2 MB, on the TypeScript engine', async () => {
    const { result } = tsEngine.fingerprintBatchAsync([words], [long]);
    expect(await turnsDuring(result)).toBeGreaterThan(2);
    expect(await result).toEqual([words.fingerprintBatch([long])]);
  });

  it.each(OURS)('end inside a text of 2 MB, by %s', async (_, recipe) => {
    const result = fingerprints([long], { recipe });
    expect(await turnsDuring(result)).toBeGreaterThan(2);
    expect(await result).toEqual(createFingerprinter(recipe).fingerprintBatch([long]));
  });

  it.each(OURS)('are the last after an abort inside a text, by %s', async (_, recipe) => {
    const controller = new AbortController();
    const result = fingerprints([long], { recipe, signal: controller.signal });
    setImmediate(() => setImmediate(() => controller.abort('enough')));
    await expect(result).rejects.toBe('enough');
    const worker = createWorker(recipe);
    const job = startBatch(tsEngine, [worker], [long]);
    setImmediate(() => setImmediate(() => job.cancel()));
    expect(await job.result).toBeUndefined();
  });

  it('of two jobs are not of the same turn', async () => {
    const jobs = [1, 2].map(() => tsEngine.fingerprintBatchAsync([words], [long.slice(0, 1 << 20)]));
    const [first, second] = jobs.map(({ result }) => result);
    let isFirstDone = false;
    first?.then(() => {
      isFirstDone = true;
    });
    await second;
    expect(isFirstDone).toBe(true);
  });
});
