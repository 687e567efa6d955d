/** Which designs an index can have, what each costs, and which one is taken: for people who size a machine. */
import { currentEngine } from '../backend.ts';
import type { Engine, MachineCosts, PlannedDesign } from '../engine.ts';
import { checkInteger, checkNamedOptions, outOfRange, wrongType } from '../validate.ts';
import { checkFlag, DEFAULT_PLANNED, MAX_PLANNED } from './options.ts';

/** Largest number of fingerprints that can be planned for. */
export const MAX_COUNT = 2 ** 40;
/** Most bits of an id: ids are safe integers. */
const MAX_ID_BITS = 53;

/** What to plan for. */
export interface PlanOptions {
  /** How many distinct fingerprints: an integer from 1 to 2^40. */
  readonly count: number;
  /** The largest distance, in bits, at which searches are exact: 0 to 16; 3 when not given. */
  readonly maxDistance?: number | undefined;
  /** Bytes that there are for everything: a number from 1 to 2^53 - 1; no bound when not given. */
  readonly memory?: number | undefined;
  /** Bits of the greatest id: 1 to 53; those of `count - 1` when not given. */
  readonly idBits?: number | undefined;
  /**
   * Predicts times from what this machine takes for the steps of a query, measured once for the process in about 0.3 s,
   * in which the thread waits. The TypeScript engine does not measure. When not given, from constants of a Zen 3 server.
   */
  readonly measure?: boolean | undefined;
}

/** A design, what is predicted for it, and whether it is the one to take. */
export interface PlanOption extends PlannedDesign {
  /** `bytes` / count: of a fingerprint with an id. */
  readonly bytesPerFingerprint: number;
  /** True for exactly one option: the fastest that fits; where none fits, the smallest, whose `fits` is false. */
  readonly chosen: boolean;
}

const measured = new WeakMap<Engine, MachineCosts>();

/** What this machine takes for the steps of a query: measured the first time, undefined where the engine cannot. */
export function machineCosts(): MachineCosts | undefined {
  const engine = currentEngine();
  const costs = measured.get(engine) ?? engine.measureCosts();
  if (costs !== undefined) measured.set(engine, costs);
  return costs;
}

function checkMemory(value: unknown): number {
  if (typeof value !== 'number') wrongType('options.memory', 'a number of bytes', value);
  if (!(value >= 1 && value <= Number.MAX_SAFE_INTEGER)) {
    outOfRange('options.memory', `a number of bytes from 1 to ${Number.MAX_SAFE_INTEGER}`, value);
  }
  return value;
}

/**
 * The designs that are exact for a distance, for evenly spread fingerprints with an id each: the fastest, the smallest,
 * a scan and, for distance 3, the published ones. Those that fit the memory come first; the fastest first. Predictions
 * are for the native engine, one thread, queries in batches of a thousand.
 * Throws a NeardupError for options of a wrong type or out of range.
 */
export function plan(options: PlanOptions): PlanOption[] {
  const { count, maxDistance, memory, idBits, measure } = checkNamedOptions('options', options, [
    'count',
    'maxDistance',
    'memory',
    'idBits',
    'measure',
  ]);
  const checkedCount = checkInteger('options.count', count, 1, MAX_COUNT);
  const request = {
    count: checkedCount,
    maxDistance:
      maxDistance === undefined
        ? DEFAULT_PLANNED
        : checkInteger('options.maxDistance', maxDistance, 0, MAX_PLANNED),
    idBits:
      idBits === undefined
        ? Math.max(1, Math.ceil(Math.log2(checkedCount)))
        : checkInteger('options.idBits', idBits, 1, MAX_ID_BITS),
    ...(memory !== undefined && { memory: checkMemory(memory) }),
  };
  const costs = checkFlag('options.measure', measure) ? machineCosts() : undefined;
  const designs = currentEngine().listPlans({ ...request, ...(costs && { costs }) });
  const [first] = designs as [PlannedDesign];
  const chosen = first.fits
    ? first
    : designs.reduce((least, design) => (design.bytes < least.bytes ? design : least));
  return designs.map((design) => ({
    ...design,
    bytesPerFingerprint: design.bytes / checkedCount,
    chosen: design === chosen,
  }));
}
