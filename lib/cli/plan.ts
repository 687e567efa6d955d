/** `neardup plan`: the designs that an index can have, and which one to take. */
import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_PLANNED, MAX_PLANNED } from '../index/options.ts';
import { MAX_COUNT, machineCosts, plan } from '../index/planner.ts';
import { openOutput } from './output.ts';
import { notable, planLines } from './plan-table.ts';
import { parseBytes, parseCount } from './units.ts';

const DETAILS = `
Columns: tables; bits of the shortest key; bytes for each fingerprint with its
id, and in all; buckets that a query reads; fingerprints that share the
shortest key; time of a query in batches, on one thread; how the 64 bits are
cut into blocks. Shown are the designs that no other beats in both memory and
time, the published ones and a scan.

Example:
  neardup plan --count 1e9 --distance 3 --memory 20GiB`;

interface PlanFlags {
  readonly count: number;
  readonly distance: number;
  readonly memory?: number;
  readonly idBits?: number;
  readonly measure?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

function countOf(text: string): number {
  const value = parseCount(text);
  if (value === undefined || value < 1 || value > MAX_COUNT) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 2^40, such as 1e9.');
  }
  return value;
}

function bytesOf(text: string): number {
  const value = parseBytes(text);
  if (value === undefined || value < 1 || value > Number.MAX_SAFE_INTEGER) {
    throw new InvalidArgumentError('It must be a size with a unit, such as 20GiB, 512MiB or 1.5GB.');
  }
  return value;
}

function integer(low: number, high: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,3}$/.test(text) || Number(text) < low || Number(text) > high) {
      throw new InvalidArgumentError(`It must be an integer from ${low} to ${high}.`);
    }
    return Number(text);
  };
}

async function run({ count, distance: maxDistance, memory, idBits, measure, all, json }: PlanFlags) {
  const options = plan({ count, maxDistance, memory, idBits, measure });
  const costs = measure ? machineCosts() : undefined;
  const result = { count, maxDistance, memory, costs, options };
  const text = json ? JSON.stringify(result) : planLines(result, all ? options : notable(options)).join('\n');
  await (await openOutput('-')).write(`${text}\n`);
}

/** Adds the command to the program. */
export function addPlanCommand(program: Command): void {
  program
    .command('plan')
    .summary('how much memory and time an index takes')
    .description('Lists the designs that an index can have, what they take, and which one is taken.')
    .requiredOption('--count <n>', 'distinct fingerprints, such as 1e9', countOf)
    .option('--distance <bits>', 'greatest distance of a match', integer(0, MAX_PLANNED), DEFAULT_PLANNED)
    .option('--memory <size>', 'what there is, such as 20GiB or 500MB', bytesOf)
    .option('--id-bits <bits>', 'bits of the greatest id (default: those of the count)', integer(1, 53))
    .option('--measure', 'predict times by what this machine takes: 0.3 s')
    .option('--all', 'show all designs')
    .option('--json', 'print all designs as JSON')
    .addHelpText('after', DETAILS)
    .action(run);
}
