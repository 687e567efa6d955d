/** The `neardup` command: its subcommands, and how errors become messages and exit codes. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { NeardupError } from '../errors.ts';
import { addCheckCommands } from './check.ts';
import { addDedupCommand } from './dedup.ts';
import { EXIT, errorCode, Failure, printable } from './failure.ts';
import { addIndexCommand } from './index-command.ts';
import { addInfoCommand } from './info.ts';
import { BrokenPipe } from './output.ts';
import { addPlanCommand } from './plan.ts';
import { removeUnfinished } from './unfinished.ts';
import { addUrlsCommand } from './urls.ts';

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function createProgram(): Command {
  const program = new Command('neardup')
    .description('Near-duplicate detection: 64-bit SimHash fingerprints and exact search within k bits.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'neardup: ')),
    })
    .showHelpAfterError('Run it with --help to see how it is used.')
    .exitOverride();
  addDedupCommand(program);
  addPlanCommand(program);
  addIndexCommand(program);
  addCheckCommands(program);
  addUrlsCommand(program);
  addInfoCommand(program);
  return program;
}

/** Prints why a command ended early, in one line, and says the exit code. */
function explain(error: unknown): number {
  if (error instanceof BrokenPipe) return EXIT.brokenPipe;
  // commander has printed its message; help and version come this way too, with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof Failure) {
    process.stderr.write(`neardup: ${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof NeardupError) {
    process.stderr.write(`neardup: ${printable(error.message, 1000)} (${error.code})\n`);
    return EXIT.failure;
  }
  // A defect of this program: the stack is what a report of it needs.
  process.stderr.write(`neardup: unexpected: ${error instanceof Error ? error.stack : String(error)}\n`);
  return EXIT.failure;
}

/** Leaves no half-written file behind, and dies of the signal, as a shell expects. */
function cleanUpOnSignals(): void {
  process.on('exit', removeUnfinished);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      removeUnfinished();
      process.kill(process.pid, signal);
    });
  }
}

/** Runs the command line `args` and gives the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on('error', (error) => {
    // Other errors reach the one who writes; a pipe may also break under help or a version.
    if (errorCode(error) === 'EPIPE') process.exit(EXIT.brokenPipe);
  });
  process.stderr.on('error', () => {});
  cleanUpOnSignals();
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return explain(error);
  }
}
