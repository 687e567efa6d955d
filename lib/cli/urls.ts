/** The commands `neardup urls normalize` and `neardup urls unique`. */
import { type Command, InvalidArgumentError } from 'commander';
import { NeardupError } from '../errors.ts';
import { type UrlPolicy, urlPolicy } from '../urls/policy.ts';
import { runNormalize, runUnique, type UrlsRun } from './urls-run.ts';

const MEBIBYTE = 2 ** 20;

interface SharedOptions {
  readonly out: string;
  readonly policy?: UrlPolicy;
  readonly base?: string;
  readonly strict?: boolean;
  readonly quiet?: boolean;
}

interface UniqueOptions extends SharedOptions {
  readonly lines?: boolean;
  readonly keys?: boolean;
  readonly memory?: number;
  readonly temp?: string;
}

function parsePolicy(text: string): UrlPolicy {
  try {
    return urlPolicy(text);
  } catch (error) {
    if (error instanceof NeardupError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

function parseBase(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError('not a URL');
  return text;
}

function parseMebibytes(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1_048_576) {
    throw new InvalidArgumentError('give whole MiB from 1 to 1048576');
  }
  return value * MEBIBYTE;
}

function addShared(command: Command): Command {
  return command
    .argument('[files...]', 'files with one URL a line, also gzip; - is standard input', ['-'])
    .option('-o, --out <file>', 'where to write; - is standard output', '-')
    .option(
      '-p, --policy <policy>',
      'safe (the default), crawl, aggressive, or the text of a policy',
      parsePolicy,
    )
    .option('-b, --base <url>', 'what relative URLs are relative to', parseBase)
    .option('--strict', 'fail at the first line that is not a URL')
    .option('-q, --quiet', 'no summary on standard error');
}

function shared(files: readonly string[], options: SharedOptions): UrlsRun {
  return {
    files,
    out: options.out,
    policy: options.policy ?? urlPolicy(),
    base: options.base,
    strict: options.strict ?? false,
    quiet: options.quiet ?? false,
  };
}

/** Adds `urls` with its subcommands to a program. */
export function addUrlsCommand(program: Command): void {
  const urls = program.command('urls').description('normalise URLs, and sort them with each once');

  addShared(urls.command('normalize'))
    .description("print each line's URL in its normalised form; an empty line where it is not a URL")
    .action((files: string[], options: SharedOptions) => runNormalize(shared(files, options)));

  addShared(urls.command('unique'))
    .description('sort by normalised URL and print the first line of each, whatever the size of the input')
    .option('--lines', 'compare whole lines, byte for byte, instead of URLs')
    .option('--keys', 'print the normalised URLs instead of the lines')
    .option(
      '--memory <MiB>',
      'memory for lines, 256 by default; what is more goes through files',
      parseMebibytes,
    )
    .option('--temp <directory>', 'where those files are written')
    .action((files: string[], options: UniqueOptions) =>
      runUnique({
        ...shared(files, options),
        lines: options.lines ?? false,
        printKeys: options.keys ?? false,
        sort: { memory: options.memory ?? 256 * MEBIBYTE, directory: options.temp },
      }),
    );
}
