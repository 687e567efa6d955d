/** The commands `neardup verify` and `neardup repair`: whether an index on disk is what was written, and if not. */
import type { Command } from 'commander';
import type { IndexProblem } from '../storage/problem.ts';
import { repairIndex } from '../storage/repair.ts';
import { verifyIndex } from '../storage/verify.ts';
import { Failure } from './failure.ts';
import { openOutput } from './output.ts';
import { count } from './progress.ts';

const VERIFY_DETAILS = `
Reads every file once. The index may be open for writing elsewhere.

Exit codes: 0 all is what was written; 1 something is not, or cannot be read.`;

const REPAIR_DETAILS = `
Keeps what is whole, and of damaged files what can be told to be right; says
what was dropped. Nothing changes before the new files are complete; an index
that is whole stays as it is. It must not be open elsewhere.

Exit codes: 0 the index is usable; 1 it could not be repaired.`;

function line({ file, section, message }: IndexProblem): string {
  return `${file}: ${section}: ${message}`;
}

async function print(lines: readonly string[]): Promise<void> {
  await (await openOutput('-')).write(`${lines.join('\n')}\n`);
}

async function runVerify(directory: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const problems = await verifyIndex(directory);
  if (json) await print([JSON.stringify({ problems })]);
  else await print(problems.length === 0 ? [`${directory}: all is what was written`] : problems.map(line));
  if (problems.length === 0) return;
  const files = new Set(problems.map(({ file }) => file)).size;
  const damaged = files === 1 ? '1 file is' : `${count(files)} files are`;
  throw new Failure(`${directory}: ${damaged} damaged; neardup repair keeps what is whole`);
}

async function runRepair(directory: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const { entries, dropped } = await repairIndex(directory);
  if (json) return await print([JSON.stringify({ entries, dropped })]);
  const held = `${directory} holds ${count(entries)} entries`;
  if (dropped.length === 0) return await print([`${held}; all is what was written, nothing was changed`]);
  await print([...dropped.map(line), `${held} now; what is named above was dropped or made anew`]);
}

/** Adds both commands to a program. */
export function addCheckCommands(program: Command): void {
  program
    .command('verify')
    .summary('check every byte of an index on disk')
    .description('Checks every byte of an index on disk.')
    .argument('<directory>', 'the index')
    .option('--json', 'print the problems as JSON')
    .addHelpText('after', VERIFY_DETAILS)
    .action(runVerify);
  program
    .command('repair')
    .summary('make a damaged index on disk usable again')
    .description('Makes a damaged index on disk usable again.')
    .argument('<directory>', 'the index')
    .option('--json', 'print what was dropped as JSON')
    .addHelpText('after', REPAIR_DETAILS)
    .action(runRepair);
}
