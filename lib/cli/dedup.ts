/** `neardup dedup`: reads JSON Lines, writes the first of each family of near-duplicates. */
import { type Command, InvalidArgumentError } from 'commander';
import {
  DEFAULT_DISTANCE,
  DEFAULT_MIN_FEATURES,
  DEFAULT_RECIPE,
  DEFAULT_VERIFICATION,
  DEFAULT_VERIFY_DISTANCE,
} from '../recipe/defaults.ts';
import { parseRecipe } from '../recipe/parse.ts';
import { type DedupRun, runDedup } from './dedup-run.ts';

const DETAILS = `
FILE holds one JSON object a line. Documents are taken in order: one that has
the text of a kept one, or whose fingerprint is within the distance of a kept
one's and whose second fingerprint confirms it, is dropped. Kept lines are
written byte for byte. Files appear under their names only when they are
complete. A field may be a path: meta.id.

Lines that cannot be used are named on standard error, counted and left out.

Exit codes: 0 done; 1 failed, or a line could not be used under --strict;
2 wrong usage; 141 the reader of the output went away.

Example:
  neardup dedup pages.jsonl.gz --text body --id url \\
    --out unique.jsonl --dropped dropped.jsonl`;

/** Reads an integer from `low` to `high`. */
function integer(low: number, high: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < low || Number(text) > high) {
      throw new InvalidArgumentError(`It must be an integer from ${low} to ${high}.`);
    }
    return Number(text);
  };
}

function recipe(text: string): string {
  try {
    return parseRecipe(text).text;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function field(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a field.');
  return text;
}

/** Adds the command to the program. */
export function addDedupCommand(program: Command): void {
  program
    .command('dedup')
    .summary('remove near-duplicates from a file of JSON lines')
    .description('Removes near-duplicates from a file of JSON lines.')
    .argument('<file>', 'JSON Lines, plain or gzip; - for standard input')
    .option('--text <field>', 'field that holds the text', field, 'text')
    .option('--id <field>', 'field that holds the id (default: the line number)', field)
    .option('-o, --out <file>', 'where kept lines go; - for standard output', '-')
    .option('--dropped <file>', 'where a JSON line for each dropped document goes')
    .option('--rejected <file>', 'where lines that cannot be used go, unchanged')
    .option('--recipe <recipe>', 'how a text becomes a fingerprint', recipe, DEFAULT_RECIPE.text)
    .option(
      '--distance <bits>',
      'greatest Hamming distance of near-duplicates, 0 to 8',
      integer(0, 8),
      DEFAULT_DISTANCE,
    )
    .option(
      '--verify <recipe>',
      'how a text becomes the second fingerprint, which confirms',
      recipe,
      DEFAULT_VERIFICATION.text,
    )
    .option(
      '--verify-distance <bits>',
      'greatest distance by the second fingerprint, 0 to 64',
      integer(0, 64),
      DEFAULT_VERIFY_DISTANCE,
    )
    .option('--no-verify', 'take what the first fingerprint says')
    .option(
      '--min-features <count>',
      'documents with fewer features repeat only the very same text',
      integer(1, Number.MAX_SAFE_INTEGER),
      DEFAULT_MIN_FEATURES,
    )
    .option('--strict', 'fail at the first line that cannot be used')
    .option(
      '--json',
      'print the summary as JSON: to standard output where no lines go there, else to standard error',
    )
    .option('-q, --quiet', 'print no summary and no progress')
    .addHelpText('after', DETAILS)
    .action(async (file: string, options: Omit<DedupRun, 'file'>, command: Command) => {
      const standard = [options.out, options.dropped, options.rejected].filter((path) => path === '-');
      if (standard.length > 1) {
        command.error('error: only one of --out, --dropped and --rejected can be standard output (-)');
      }
      await runDedup({ file, ...options });
    });
}
