/** `neardup info`: which engine runs, and why. */
import type { Command } from 'commander';
import { backendInfo } from '../backend.ts';
import { DEFAULT_RECIPE, DEFAULT_VERIFICATION } from '../recipe/defaults.ts';
import { openOutput } from './output.ts';

/** Adds the command to the program. */
export function addInfoCommand(program: Command): void {
  program
    .command('info')
    .summary('show which engine is in use, and why')
    .description('Shows which engine is in use, and why.')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const { backend, kernel, reason, path } = backendInfo();
      const facts = {
        version: program.version(),
        backend,
        kernel,
        reason,
        ...(path === undefined ? {} : { addon: path }),
        recipe: DEFAULT_RECIPE.text,
        verify: DEFAULT_VERIFICATION.text,
        node: process.version,
        platform: `${process.platform}-${process.arch}`,
      };
      const rows = Object.entries(facts).map(([name, value]) => `${name.padEnd(9)} ${value}\n`);
      await (await openOutput('-')).write(options.json ? `${JSON.stringify(facts)}\n` : rows.join(''));
    });
}
