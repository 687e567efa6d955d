/** The work of `neardup urls`: lines in, unique or normalised lines out, in bounded memory. */

import { tryNormalizeUrl } from '../urls/normalize.ts';
import type { UrlPolicy } from '../urls/policy.ts';
import { type SortUniqueOptions, UniqueSorter } from '../urls/sort-unique.ts';
import { Failure, reasonOf } from './failure.ts';
import { openInput } from './input.ts';
import { LineSplitter } from './lines.ts';
import { type Output, openOutput, sameFile } from './output.ts';

/** Longest line taken, in bytes: bounds the memory. */
const MAX_LINE = 2 ** 25;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** What both commands take. Paths: `-` is standard input or output. */
export interface UrlsRun {
  readonly files: readonly string[];
  readonly out: string;
  readonly policy: UrlPolicy;
  readonly base: string | undefined;
  /** Fail at the first line that is no URL. */
  readonly strict: boolean;
  readonly quiet: boolean;
}

/** What `unique` takes besides. */
export interface UniqueRun extends UrlsRun {
  /** Compare lines as they are, not as URLs. */
  readonly lines: boolean;
  /** Print keys instead of the first line of each. */
  readonly printKeys: boolean;
  readonly sort: SortUniqueOptions;
}

/** Counts of a run, for the summary. */
class Tally {
  lines = 0;
  invalid = 0;
  #firstInvalid = '';

  /** Counts a line that is no URL; under `strict` ends the run. */
  addInvalid(where: string, strict: boolean): void {
    if (strict) throw new Failure(`${where} is not a URL`);
    if (this.invalid++ === 0) this.#firstInvalid = where;
  }

  report(rest: string): void {
    const invalid =
      this.invalid === 0 ? '' : `; ${this.invalid} are no URLs, the first is ${this.#firstInvalid}`;
    process.stderr.write(`neardup: ${this.lines} lines${rest}${invalid}\n`);
  }
}

/** Gives each line of each file, without its end, to `onLine`, and awaits `onBlock` after each block. */
async function eachLine(
  files: readonly string[],
  output: Output,
  onLine: (bytes: Buffer, where: () => string) => void,
  onBlock: () => Promise<void>,
): Promise<void> {
  for (const file of files) {
    const input = await openInput(file);
    if (sameFile(input.stats, output.stats)) throw new Failure(`${output.name} is also an input`, 2);
    const splitter = new LineSplitter(MAX_LINE);
    const take = async (blocks: ReturnType<LineSplitter['push']>) => {
      for (const { bytes, ends, firstLine, oversized } of blocks) {
        if (oversized) throw new Failure(`${input.name}: line ${firstLine} is longer than ${MAX_LINE} bytes`);
        let start = 0;
        for (const [i, end] of ends.entries()) {
          const length = bytes[end - 1] === NEWLINE ? end - 1 : end;
          onLine(bytes.subarray(start, length), () => `line ${firstLine + i} of ${input.name}`);
          start = end;
        }
        await onBlock();
      }
    };
    try {
      for await (const chunk of input.chunks()) await take(splitter.push(chunk));
      await take(splitter.end());
    } finally {
      input.close();
    }
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}

async function withOutput(path: string, work: (output: Output) => Promise<void>): Promise<void> {
  const output = await openOutput(path);
  try {
    await work(output);
    await output.commit();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

/** `urls normalize`: line i of the output is the key of line i, empty where that is blank or no URL. */
export async function runNormalize(run: UrlsRun): Promise<void> {
  const tally = new Tally();
  await withOutput(run.out, async (output) => {
    let keys: string[] = [];
    const onLine = (bytes: Buffer, where: () => string) => {
      tally.lines++;
      const text = bytes.toString('utf8').trim();
      const key = text === '' ? '' : tryNormalizeUrl(text, run.policy, run.base);
      if (key === undefined) tally.addInvalid(where(), run.strict);
      keys.push(key ?? '');
    };
    await eachLine(run.files, output, onLine, async () => {
      const text = `${keys.join('\n')}\n`;
      keys = [];
      await output.write(text);
    });
  });
  if (!run.quiet) tally.report('');
}

/** `urls unique`: sorted, each URL (or line) once. */
export async function runUnique(run: UniqueRun): Promise<void> {
  const tally = new Tally();
  const hasValues = !run.lines && !run.printKeys;
  const sorter = new UniqueSorter(hasValues, run.sort);
  let unique = 0;
  const onLine = (bytes: Buffer, where: () => string) => {
    tally.lines++;
    if (run.lines) {
      sorter.add(bytes.toString('latin1'));
      return;
    }
    const line = withoutReturn(bytes);
    const text = line.toString('utf8').trim();
    if (text === '') return;
    const key = tryNormalizeUrl(text, run.policy, run.base);
    if (key === undefined) tally.addInvalid(where(), run.strict);
    else sorter.add(key, hasValues ? line.toString('latin1') : '');
  };
  try {
    await withOutput(run.out, async (output) => {
      await eachLine(run.files, output, onLine, async () => {});
      for (const text of sorter.sorted()) {
        const lines = text.split('\n');
        unique += lines.length - 1;
        const printed = hasValues ? lines.map((line) => line.slice(line.indexOf('\t') + 1)).join('\n') : text;
        await output.write(Buffer.from(printed, 'latin1'));
      }
    });
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new Failure(`cannot use files for sorting: ${reasonOf(error)}`);
  } finally {
    sorter.close();
  }
  if (!run.quiet) tally.report(`, ${unique} unique`);
}
