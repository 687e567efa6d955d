/** The result of `neardup plan` as a table of at most 80 columns. */
import type { MachineCosts } from '../engine.ts';
import type { PlanOption } from '../index/planner.ts';
import { count } from './progress.ts';
import { bytesText, nanosecondsText, numberText } from './units.ts';

/** What was asked for, and what came out. */
export interface PlanResult {
  readonly count: number;
  readonly maxDistance: number;
  /** Bytes; undefined: no bound. */
  readonly memory: number | undefined;
  /** What this machine takes, where it was measured. */
  readonly costs: MachineCosts | undefined;
  readonly options: readonly PlanOption[];
}

const BLOCKS_WIDTH = 25;
/** Bytes for an entry: the fewest that HammingIndex can be told, and the most that it uses. */
const LEAST_INDEX_BYTES = 8;
const MOST_INDEX_BYTES = 64;

/** The options worth comparing: no other one is both faster and smaller; and the published ones, and a scan. */
export function notable(options: readonly PlanOption[]): PlanOption[] {
  return options.filter(
    (option) =>
      option.chosen ||
      option.published ||
      option.tables === 0 ||
      !options.some((other) => other.nanoseconds < option.nanoseconds && other.bytes < option.bytes),
  );
}

function row(mark: string, [tables = '', key = '', ...rest]: readonly string[], blocks: string): string {
  const [bytes = '', memory = '', probes = '', candidates = '', query = ''] = rest;
  const left = `${mark} ${tables.padStart(6)}${key.padStart(4)}${bytes.padStart(6)}${memory.padStart(9)}`;
  const cut = blocks.length > BLOCKS_WIDTH ? `${blocks.slice(0, BLOCKS_WIDTH - 1)}…` : blocks;
  return `${left}${probes.padStart(7)}${candidates.padStart(11)}${query.padStart(8)}  ${cut}`;
}

function optionRow(option: PlanOption): string {
  const { tables, keyBits, bytesPerFingerprint, bytes, probes, candidates, nanoseconds } = option;
  const isScan = tables === 0;
  const blocks = option.name.replace(/^\d+ tables?: /, '');
  return row(
    option.chosen ? '*' : option.fits ? ' ' : '!',
    [
      isScan ? '-' : String(tables),
      isScan ? '-' : String(keyBits),
      numberText(bytesPerFingerprint),
      bytesText(bytes),
      isScan ? '-' : numberText(probes),
      numberText(candidates),
      nanosecondsText(nanoseconds),
    ],
    option.published ? `${blocks} (published)` : blocks,
  );
}

/** What HammingIndex is to be told, so that it plans for this memory. */
function indexOptions({ memory, count: fingerprints, maxDistance }: PlanResult): string | undefined {
  if (memory === undefined || memory < LEAST_INDEX_BYTES * fingerprints) return undefined;
  const bytes = Math.floor((10 * memory) / fingerprints) / 10;
  const option = bytes >= MOST_INDEX_BYTES ? "'fast'" : String(bytes);
  return `  new HammingIndex({ maxDistance: ${maxDistance}, memory: ${option} })`;
}

function choiceText({ memory, options }: PlanResult): string {
  if (memory === undefined) return '* the choice: the fastest';
  return options.some(({ fits }) => fits)
    ? `* the choice: the fastest that fits in ${bytesText(memory)}`
    : `* nothing fits in ${bytesText(memory)}: this is the smallest`;
}

function costsText(costs: MachineCosts | undefined): string[] {
  if (costs === undefined) return ['Times by constants of a Zen 3 server.'];
  const { memoryLine, cachedLine, probe, compare } = costs;
  return [
    `Measured: a line of memory ${nanosecondsText(memoryLine)}, of cache ${nanosecondsText(cachedLine)},`,
    `a probe ${nanosecondsText(probe)}, a comparison in a scan ${nanosecondsText(compare)}.`,
  ];
}

/** The table with a heading and a legend. */
export function planLines(result: PlanResult, shown: readonly PlanOption[]): string[] {
  const within = result.memory === undefined ? '' : `, in ${bytesText(result.memory)}`;
  const bits = `${result.maxDistance} ${result.maxDistance === 1 ? 'bit' : 'bits'}`;
  return [
    `${count(result.count)} ${result.count === 1 ? 'fingerprint' : 'fingerprints'}, exact within ${bits}${within}`,
    '',
    row(' ', ['tables', 'key', 'B/fp', 'memory', 'probes', 'candidates', 'query'], 'blocks'),
    ...shown.map(optionRow),
    '',
    choiceText(result),
    ...(result.options.some(({ fits }) => fits) ? [indexOptions(result) ?? []].flat() : []),
    ...(shown.some(({ fits }) => !fits) ? ['! does not fit'] : []),
    ...costsText(result.costs),
  ];
}
