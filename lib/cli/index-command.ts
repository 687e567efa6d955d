/** The commands `neardup index info`, `export` and `import`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { MAX_PLANNED } from '../index/options.ts';
import { runExport, runImport, runInfo } from './index-run.ts';
import { parseBytes } from './units.ts';

const FORMATS = `
Formats: jsonl has an object a line, {"fingerprint":"00c0ffee00c0ffee","id":7},
and "time", "tag", "secondFingerprint" where the index has them. binary is 16
bytes and more for each entry, and says the recipe and the distance of the
index; docs/format.md tells how. import knows binary by its first bytes, and
reads gzip as well.`;

interface ImportFlags {
  readonly distance?: number;
  readonly memory?: 'compact' | 'fast' | number;
  readonly times?: boolean;
  readonly tags?: boolean;
  readonly secondFingerprints?: boolean;
  readonly recipe?: string;
  readonly quiet?: boolean;
}

function distanceOf(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_PLANNED) return Number(text);
  throw new InvalidArgumentError(`It must be an integer from 0 to ${MAX_PLANNED}.`);
}

function memoryOf(text: string): 'compact' | 'fast' | number {
  if (text === 'compact' || text === 'fast') return text;
  const bytes = /^\d+(\.\d+)?$/.test(text) ? Number(text) : parseBytes(text);
  if (bytes !== undefined && bytes >= 8) return bytes;
  throw new InvalidArgumentError('It must be compact, fast, or bytes for each entry, 8 or more.');
}

/** Adds `index` with its subcommands to a program. */
export function addIndexCommand(program: Command): void {
  const index = program.command('index').description('look into an index on disk, and move its entries');

  index
    .command('info')
    .description('Prints what an index holds.')
    .argument('<directory>', 'the index; it may be open for writing elsewhere')
    .option('--json', 'print it as JSON')
    .action((directory: string, { json = false }: { json?: boolean }) => runInfo(directory, { json }));

  index
    .command('export')
    .description('Writes all entries, sorted by fingerprint, then id.')
    .argument('<directory>', 'the index; it may be open for writing elsewhere')
    .option('-o, --out <file>', 'where to write; - is standard output', '-')
    .addOption(
      new Option('--format <format>', 'of the entries').choices(['binary', 'jsonl']).default('jsonl'),
    )
    .addHelpText('after', FORMATS)
    .action((directory: string, { out, format }: { out: string; format: 'binary' | 'jsonl' }) =>
      runExport(directory, out, format),
    );

  index
    .command('import')
    .description('Adds the entries of an export to an index, which is made if it is not there: all or none.')
    .argument('<file>', 'binary or JSON Lines; - is standard input')
    .argument('<directory>', 'the index')
    .option('--distance <bits>', 'greatest distance of a match, of a new index (default: 3)', distanceOf)
    .option('--memory <kind>', 'of a new index: compact, fast, or bytes for each entry', memoryOf)
    .option('--times', 'JSON Lines: entries have the field "time"')
    .option('--tags', 'JSON Lines: entries have the field "tag"')
    .option('--second-fingerprints', 'JSON Lines: entries have the field "secondFingerprint"')
    .option('--recipe <text>', 'what the fingerprints are of; refused where the index says another')
    .option('-q, --quiet', 'no summary on standard error')
    .addHelpText('after', FORMATS)
    .action((file: string, directory: string, flags: ImportFlags) =>
      runImport(file, directory, {
        distance: flags.distance,
        memory: flags.memory,
        columns: {
          time: flags.times ?? false,
          tag: flags.tags ?? false,
          second: flags.secondFingerprints ?? false,
        },
        recipe: flags.recipe,
        quiet: flags.quiet ?? false,
      }),
    );
}
