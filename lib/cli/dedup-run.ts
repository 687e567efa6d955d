/**
 * One run of `neardup dedup`: input to outputs, block by block. Memory: the index, and one block of lines.
 */
import { backendInfo } from '../backend.ts';
import type { DedupDocument } from '../dedup/decision.ts';
import { Deduplicator } from '../dedup/deduplicator.ts';
import { Failure } from './failure.ts';
import { type Input, openInput } from './input.ts';
import { type LineBlock, LineSplitter } from './lines.ts';
import { type Output, openOutput, sameFile } from './output.ts';
import { ProgressLine, progressText } from './progress.ts';
import { createLineReader, type Line, type RecordFields } from './records.ts';
import { Rejects } from './rejects.ts';
import { type DedupSummary, summaryJson, summaryLines } from './summary.ts';

/** What the command line asks for. Paths: `-` is standard input or output. */
export interface DedupRun extends RecordFields {
  readonly file: string;
  readonly out: string;
  readonly dropped?: string;
  readonly rejected?: string;
  readonly recipe: string;
  readonly distance: number;
  /** A recipe, or false for no second fingerprint. */
  readonly verify: string | false;
  readonly verifyDistance: number;
  readonly minFeatures: number;
  readonly strict?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The outputs of a run. Committed together, at the end. */
interface Outputs {
  readonly out: Output;
  readonly dropped: Output | undefined;
  readonly rejected: Output | undefined;
}

/** A document of a block and where its line lies. */
interface Entry {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Runs it. Throws a Failure, BrokenPipe or NeardupError; no output is left half written. */
export async function runDedup(options: DedupRun): Promise<void> {
  const started = performance.now();
  const { recipe, distance: maxDistance, verify, verifyDistance, minFeatures } = options;
  const dedup = new Deduplicator({ recipe, maxDistance, verify, verifyDistance, minFeatures });
  const input = await openInput(options.file);
  const opened: Output[] = [];
  try {
    const outputs = await openOutputs(options, input, opened);
    const work = new DedupWork(options, input, outputs, dedup);
    await work.run();
    // The lines that are kept come last: while they are not in place, nothing was done.
    for (const output of [...opened].reverse()) await output.commit();
    await report(options, outputs, work.summary((performance.now() - started) / 1000));
  } catch (error) {
    for (const output of opened) await output.discard();
    throw error;
  } finally {
    input.close();
    dedup.close();
  }
}

async function openOutputs(options: DedupRun, input: Input, opened: Output[]): Promise<Outputs> {
  const add = async (path: string | undefined) => {
    if (path === undefined) return undefined;
    const output = await openOutput(path);
    const twin = opened.find((other) => sameFile(other.stats, output.stats) || sameTarget(other, output));
    opened.push(output);
    if (twin) throw new Failure(`${output.name} and ${twin.name} are one file; give each output its own`, 2);
    if (sameFile(input.stats, output.stats)) {
      throw new Failure(`${output.name} is the input; write to another file`, 2);
    }
    return output;
  };
  const out = (await add(options.out)) as Output;
  return { out, dropped: await add(options.dropped), rejected: await add(options.rejected) };
}

function sameTarget(a: Output, b: Output): boolean {
  return a.target !== undefined && a.target === b.target;
}

async function report(options: DedupRun, outputs: Outputs, summary: DedupSummary): Promise<void> {
  if (!options.json) {
    const lines = options.quiet ? [] : summaryLines(summary);
    process.stderr.write(lines.map((line) => `neardup: ${line}\n`).join(''));
    return;
  }
  const text = `${summaryJson(summary)}\n`;
  const taken = Object.values(outputs).some((output: Output | undefined) => output?.isStandard);
  if (taken) process.stderr.write(text);
  else await (await openOutput('-')).write(text);
}

/** The loop over blocks of lines and what it counts. */
class DedupWork {
  readonly #options: DedupRun;
  readonly #input: Input;
  readonly #outputs: Outputs;
  readonly #dedup: Deduplicator;
  readonly #progress: ProgressLine;
  readonly #rejects: Rejects;
  readonly #read: (bytes: Buffer, line: number) => Line;
  #lines = 0;
  #blank = 0;

  constructor(options: DedupRun, input: Input, outputs: Outputs, dedup: Deduplicator) {
    this.#options = options;
    this.#input = input;
    this.#outputs = outputs;
    this.#dedup = dedup;
    this.#read = createLineReader(options);
    const shared = outputs.out.isStandard && process.stdout.isTTY;
    this.#progress = new ProgressLine(process.stderr, !options.quiet && !shared);
    this.#rejects = new Rejects(input.name, (message) => {
      this.#progress.clear();
      process.stderr.write(`neardup: ${message}\n`);
    });
  }

  async run(): Promise<void> {
    const started = performance.now();
    const splitter = new LineSplitter();
    try {
      for await (const chunk of this.#input.chunks()) {
        for (const block of splitter.push(chunk)) await this.#take(block);
        this.#progress.update(() => {
          const { size, bytesRead } = this.#input;
          const fraction = size ? Math.min(bytesRead / size, 1) : undefined;
          return progressText(this.#dedup.counters, (performance.now() - started) / 1000, fraction);
        });
      }
      for (const block of splitter.end()) await this.#take(block);
      if (this.#rejects.count > 0 && this.#dedup.counters.documents === 0) {
        throw new Failure(`none of the lines can be used; are --text and --id the names of their fields?`);
      }
    } finally {
      this.#progress.clear();
    }
  }

  summary(seconds: number): DedupSummary {
    const { backend, kernel } = backendInfo();
    const { recipe, maxDistance, verification, verifyDistance, minFeatures, counters } = this.#dedup;
    return {
      lines: this.#lines,
      blank: this.#blank,
      rejected: this.#rejects.count,
      ...counters,
      seconds,
      recipe: recipe.text,
      maxDistance,
      ...(verification === undefined ? {} : { verification: verification.text, verifyDistance }),
      minFeatures,
      backend,
      kernel,
    };
  }

  async #take(block: LineBlock): Promise<void> {
    if (block.oversized) return this.#takeOversized(block, block.oversized.first);
    const documents: DedupDocument[] = [];
    const entries: Entry[] = [];
    const rejected: Buffer[] = [];
    let start = 0;
    for (const [i, end] of block.ends.entries()) {
      const bytes = block.bytes.subarray(start, end);
      const line = block.firstLine + i;
      const read = this.#read(bytes, line);
      this.#lines++;
      if (read.kind === 'blank') this.#blank++;
      else if (read.kind === 'document') {
        documents.push(read.document);
        entries.push({ line, start, end });
      } else {
        this.#rejects.add(line, read.reason);
        if (this.#options.strict) break;
        rejected.push(bytes);
      }
      start = end;
    }
    await this.#decide(block.bytes, documents, entries);
    if (rejected.length > 0) await this.#outputs.rejected?.write(Buffer.concat(rejected));
    this.#endIfStrict();
  }

  /** Writes kept lines, neighbours in one piece, and a JSON line for each dropped document. */
  async #decide(bytes: Buffer, documents: DedupDocument[], entries: Entry[]): Promise<void> {
    const kept: Buffer[] = [];
    const dropped: string[] = [];
    let runStart = 0;
    let runEnd = 0;
    for (const [i, decision] of this.#dedup.offerBatch(documents).entries()) {
      const { line, start, end } = entries[i] as Entry;
      if (!decision.kept) {
        const { reason, keptId, distance, verifyDistance } = decision;
        const { id } = documents[i] as DedupDocument;
        const fields = { id, keptId, distance, verifyDistance, reason, line };
        if (this.#outputs.dropped) dropped.push(JSON.stringify(fields));
        continue;
      }
      if (start !== runEnd) {
        kept.push(bytes.subarray(runStart, runEnd));
        runStart = start;
      }
      runEnd = end;
    }
    kept.push(bytes.subarray(runStart, runEnd));
    await this.#outputs.out.write(kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept));
    if (dropped.length > 0) await this.#outputs.dropped?.write(`${dropped.join('\n')}\n`);
  }

  async #takeOversized(block: LineBlock, first: boolean): Promise<void> {
    if (first) {
      this.#lines++;
      this.#rejects.add(block.firstLine, 'longer than a JavaScript string can be (512 MiB)');
      this.#endIfStrict();
    }
    await this.#outputs.rejected?.write(block.bytes);
  }

  #endIfStrict(): void {
    if (this.#options.strict && this.#rejects.count > 0) {
      throw new Failure('stopped at a line that cannot be used (--strict)');
    }
  }
}
