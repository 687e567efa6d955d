/**
 * Lists the designs that are exact for k, predicts for each its memory and the time of a query in the native engine,
 * and ranks the ones that fit the memory by time: as the native engine does, whose tables these are. This engine's own
 * segments are planned by plan.ts.
 *
 * The designs split the 64 bits into blocks with radii r_i, sum of (r_i + 1) = k + 1: k errors leave a block with at
 * most r_i. A block is looked up by its bits with r_i flips, or is itself split into s parts, of which s - r_i are
 * exact: C(s, r_i) tables with radius 0. The published multi-block tables are the case of one block with radius k; two
 * levels of k + 1 exact blocks are listed too.
 */
import type { MachineCosts, PlannedDesign, PlanRequest } from '../../engine.ts';
import {
  type Design,
  type DesignTable,
  keyBits,
  listDesigns,
  numberings,
  publishedDesigns,
} from './designs.ts';
import { DEFAULT_COSTS } from './machine-costs.ts';
import { modelTable, type TableModel } from './table-model.ts';

interface Request extends PlanRequest {
  readonly costs: MachineCosts;
}

const idBytes = (count: number, idBits: number) => (count * (idBits + 1)) / 8;

/** The chance that 32 unrelated bits differ in at most k: how often a lane is near by accident. */
function accidentChance(k: number): number {
  let sum = 0;
  let choices = 1;
  for (let bits = 0; bits <= k && bits <= 32; bits++) {
    sum += choices;
    choices = (choices * (32 - bits)) / (bits + 1);
  }
  return sum / 2 ** 32;
}

/** Nanoseconds of a query in one table; `line` is what reading a line takes. */
function tableTime(costs: MachineCosts, model: TableModel, line: number, k: number): number {
  const run = costs.run + line + model.runItems * (costs.compare + line / 16); // 16 lanes of a line.
  return (
    costs.table +
    model.probes * (line + costs.probe + model.continued * run) +
    model.candidates * accidentChance(k) * costs.suspect
  );
}

/** Compares in single precision: what differs by rounding alone is equal, so both engines rank alike. */
const compare = (a: number, b: number) => {
  const [x, y] = [Math.fround(a), Math.fround(b)];
  return x < y ? -1 : x > y ? 1 : 0;
};
const less = (a: number, b: number) => compare(a, b) < 0;

const fits = (request: Request, bytes: number) =>
  request.memory === undefined || !less(request.memory, bytes);

/** Numbers the buckets of tables for the fastest query, at one load. Tables of the same shape are alike. */
class Numberer {
  readonly #request: Request;
  readonly #load: number;
  /** By key bits, radius, and whether it is the primary table. */
  readonly #known: TableModel[] = [];

  constructor(request: Request, load: number) {
    this.#request = request;
    this.#load = load;
  }

  /** What the table will look like. */
  get(table: DesignTable, primary: boolean): TableModel {
    const shape = (keyBits(table.key) * 64 + table.radius) * 2 + Number(primary);
    this.#known[shape] ??= this.#choose(table, primary);
    return this.#known[shape];
  }

  #choose(table: DesignTable, primary: boolean): TableModel {
    const { count, costs, maxDistance } = this.#request;
    let best: TableModel | undefined;
    let bestTime = Number.POSITIVE_INFINITY;
    for (const shape of numberings(table, primary, this.#load, count)) {
      const model = modelTable(shape, primary, this.#load, count);
      // Memory breaks ties.
      const time = tableTime(costs, model, costs.memoryLine, maxDistance) + (2 * model.bytes) / (count + 1);
      if (!less(time, bestTime)) continue;
      bestTime = time;
      best = model;
    }
    return best as TableModel;
  }
}

/** What a design takes at the numberer's load. */
function predict(request: Request, { tables }: Design, numberer: Numberer) {
  const { maxDistance, costs } = request;
  const models = tables.map((table, t) => numberer.get(table, t === 0));
  let bytes = idBytes(request.count, request.idBits);
  for (const model of models) bytes += model.bytes;
  const cached = Math.min(1, costs.cacheBytes / Math.max(1, bytes));
  const line = costs.memoryLine - (costs.memoryLine - costs.cachedLine) * cached;
  let probes = 0;
  let nanoseconds = 0;
  for (const model of models) {
    probes += model.probes;
    nanoseconds += tableTime(costs, model, line, maxDistance);
  }
  return { bytes, probes, nanoseconds, fits: fits(request, bytes) };
}

/** A numberer for each load that is tried. */
function loads(request: Request): Numberer[] {
  const tried: Numberer[] = [];
  for (let percent = 40; percent <= 95; percent += 5) tried.push(new Numberer(request, percent / 100));
  return tried;
}

/** A design at the fastest load within the memory; where none fits, at the smallest. */
function tune(request: Request, design: Design, tried: readonly Numberer[]): PlannedDesign {
  type Prediction = ReturnType<typeof predict>;
  const isBetter = (a: Prediction, b: Prediction) => {
    if (a.fits !== b.fits) return a.fits;
    return a.fits ? less(a.nanoseconds, b.nanoseconds) : less(a.bytes, b.bytes);
  };
  const best = tried
    .map((numberer) => predict(request, design, numberer))
    .reduce((best, prediction) => (isBetter(prediction, best) ? prediction : best));
  const keys = design.tables.map(({ key }) => key);
  const shortest = Math.min(...keys.map(keyBits));
  return {
    name: design.name,
    published: false,
    tables: keys.length,
    keyBits: shortest,
    radii: design.tables.map(({ radius }) => radius),
    keys,
    candidates: request.count / 2 ** shortest,
    ...best,
  };
}

/** Leaves out the designs that are neither among the fastest nor among the smallest. */
function keepPromising(request: Request, designs: readonly Design[]): Design[] {
  const fastest = 24;
  const smallest = 8;
  const numberer = new Numberer(request, 0.75);
  const ratings = designs.map((design, i) => {
    const { nanoseconds, bytes } = predict(request, design, numberer);
    return { nanoseconds, bytes, i };
  });
  ratings.sort((a, b) => compare(a.bytes, b.bytes));
  const kept = new Set(ratings.slice(0, smallest).map(({ i }) => i));
  // The fastest overall, and the fastest of the others that fit.
  ratings.sort((a, b) => compare(a.nanoseconds, b.nanoseconds));
  const fitting = ratings.slice(fastest).filter(({ bytes }) => fits(request, bytes));
  for (const { i } of [...ratings.slice(0, fastest), ...fitting.slice(0, fastest)]) kept.add(i);
  return designs.filter((_, i) => kept.has(i));
}

function scan(request: Request): PlannedDesign {
  const { count, idBits, costs } = request;
  const bytes = count * 8 + idBytes(count, idBits);
  return {
    name: 'scan',
    published: false,
    tables: 0,
    keyBits: 0,
    radii: [],
    keys: [],
    bytes,
    probes: 0,
    candidates: count,
    nanoseconds: count * costs.compare,
    fits: fits(request, bytes),
  };
}

/** Those that fit first, by time. */
function rank(options: PlannedDesign[]): PlannedDesign[] {
  return options.sort((a, b) => Number(b.fits) - Number(a.fits) || compare(a.nanoseconds, b.nanoseconds));
}

/** The bits of a key as hex digits, whatever the order of its ranges; with the radius. */
function tableName(option: PlannedDesign, t: number): string {
  let mask = 0n;
  for (const { low, width } of option.keys[t] ?? []) mask |= ((1n << BigInt(width)) - 1n) << BigInt(low);
  return `${mask.toString(16)}/${option.radii[t]}`;
}

/**
 * The fastest and the smallest designs and a scan and, for distance 3, the published designs; each set of keys once,
 * those that fit first, by predicted time. Some 100 ms for distance 16, less for smaller ones.
 */
export function listPlans(asked: PlanRequest): PlannedDesign[] {
  const request = { ...asked, costs: asked.costs ?? DEFAULT_COSTS };
  const tried = loads(request);
  const published = request.maxDistance === 3 ? publishedDesigns() : [];
  const promising = keepPromising(request, listDesigns(request.maxDistance, request.count));
  const options = new Map<string, PlannedDesign>();
  const add = (option: PlannedDesign) => {
    const tables = option.radii.map((_, t) => tableName(option, t)).join(' ');
    if (!options.has(tables)) options.set(tables, option);
  };
  // First, so that they keep their names.
  for (const design of published) add({ ...tune(request, design, tried), published: true });
  const listed = rank([...promising.map((design) => tune(request, design, tried)), scan(request)]);
  for (const option of listed) add(option);
  return rank([...options.values()]);
}
