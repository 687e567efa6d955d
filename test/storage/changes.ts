/** Changes as the crash tests make them, in this process. */
import type { HammingIndex } from '../../lib/index/hamming-index.ts';
import { type Change, changes, columnsOf, entryOf } from '../crash/index-work.mjs';

const SEED = 20;
const COUNT = 40;

/** Some changes of each kind, the same each time. */
export function smallScenario(): Change[] {
  const list: Change[] = [];
  for (const change of changes(SEED)) {
    if (list.length === COUNT) return list;
    const isLarge = change.kind === 'load' && list.some(({ kind }) => kind === 'load');
    if (!isLarge) list.push({ ...change, ...(change.numbers && { numbers: change.numbers.slice(0, 200) }) });
  }
  return list;
}

/** One change of each kind, for tests that make them a thousand times. */
export function eachChange(): Change[] {
  const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
  return [
    { kind: 'add', numbers: [2] },
    { kind: 'addBatch', numbers: numbers(0, 60) },
    { kind: 'checkpoint' },
    { kind: 'addIfNewBatch', numbers: numbers(50, 30) },
    { kind: 'removeBatch', numbers: numbers(20, 10) },
    { kind: 'addBatchAsync', numbers: numbers(200, 40) },
    { kind: 'compact' },
    { kind: 'load', numbers: numbers(300, 200) },
    { kind: 'addIfNew', numbers: [1000] },
    { kind: 'remove', numbers: [2] },
    { kind: 'removeBefore', time: 210 },
    { kind: 'flush' },
    { kind: 'checkpoint' },
    { kind: 'addBatch', numbers: numbers(600, 10) },
  ];
}

/** Makes one change; when it resolves, the change is acknowledged. */
export async function make(index: HammingIndex, { kind, numbers = [], time = 0 }: Change): Promise<unknown> {
  const { fingerprints, ids, times } = columnsOf(numbers);
  switch (kind) {
    case 'checkpoint':
      return await index.checkpoint();
    case 'compact':
      return await index.compact();
    case 'flush':
      return await index.flush();
    case 'removeBefore':
      return index.removeBefore(time);
    case 'add':
      return index.add(fingerprints[0] as bigint, ids[0] as number, { time: times[0] });
    case 'addIfNew':
      return index.addIfNew(fingerprints[0] as bigint, ids[0] as number, { time: times[0] });
    case 'remove':
      return index.remove(fingerprints[0] as bigint, ids[0] as number);
    case 'removeBatch':
      return index.removeBatch(fingerprints, ids);
    case 'addBatch':
      return index.addBatch(fingerprints, ids, { times });
    case 'addBatchAsync':
      return await index.addBatchAsync(fingerprints, ids, { times });
    case 'addIfNewBatch':
      return index.addIfNewBatch(fingerprints, ids, { times });
    default:
      return await index.load([{ fingerprints, ids, times }]);
  }
}

/** Numbers of the entries held, ascending; each entry must be the one that has this number. */
export async function numbersIn(index: HammingIndex): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { fingerprints, ids } of index.entries()) {
    for (const [i, n] of ids.entries()) {
      if (fingerprints[i] !== entryOf(n).fingerprint) throw new Error(`entry ${n} has changed`);
      numbers.push(n);
    }
  }
  return numbers.sort((a, b) => a - b);
}
