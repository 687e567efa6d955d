/** The work of `neardup index`: what a directory holds, out of it and into it. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { IndexColumns } from '../engine.ts';
import { HammingIndex } from '../index/hamming-index.ts';
import type { HammingIndexOpenOptions } from '../index/open-options.ts';
import type { LoadBatch } from '../index/options.ts';
import { isIndexFile, MANIFEST } from '../storage/names.ts';
import { EntryLineReader, entryLines } from './entry-lines.ts';
import { type ExportOrigin, isRows, MAGIC_BYTES, RowReader, RowWriter } from './entry-rows.ts';
import { EXIT, Failure } from './failure.ts';
import { withTarget } from './index-target.ts';
import { type Input, openInput } from './input.ts';
import { LineSplitter } from './lines.ts';
import { type Output, openOutput } from './output.ts';
import { count } from './progress.ts';
import { bytesText } from './units.ts';

/** Longest line taken, in bytes. */
const MAX_LINE = 2 ** 20;
/** Lines that make a batch. */
const BATCH = 2 ** 16;

/** How `import` makes an index that is not there yet. */
export interface ImportRun {
  readonly distance: number | undefined;
  readonly memory: 'compact' | 'fast' | number | undefined;
  readonly columns: IndexColumns;
  /** Of JSON Lines, which do not say it. */
  readonly recipe: string | undefined;
  readonly quiet: boolean;
}

/** Prints what is in a directory. */
export async function runInfo(directory: string, { json }: { readonly json: boolean }): Promise<void> {
  using index = await HammingIndex.open(directory, { readOnly: true });
  const { entries, bytes, segments } = index.stats();
  const { times, tags, secondFingerprints } = index.columns;
  const { maxDistance, recipe } = index;
  const columns = { times, tags, secondFingerprints };
  const removed = segments.reduce((sum, segment) => sum + segment.removed, 0);
  const output = await openOutput('-');
  if (json) {
    const info = { entries, removed, maxDistance, recipe: recipe ?? null, columns, bytes, segments };
    await output.write(`${JSON.stringify(info)}\n`);
    return;
  }
  const names = Object.entries(columns).flatMap(([name, isThere]) => (isThere ? [name] : []));
  const lines = [
    `${count(entries)} entries, exact within ${maxDistance} bits, ${bytesText(bytes)}`,
    `recipe: ${recipe ?? 'none named'}`,
    `columns: ${names.length === 0 ? 'none' : names.join(', ')}`,
    `${segments.length} segments, ${count(removed)} removed entries in them`,
    ...segments.map(
      (segment) =>
        `  ${count(segment.entries)} entries, ${segment.tables} tables, ${bytesText(segment.bytes)}`,
    ),
  ];
  await output.write(`${lines.join('\n')}\n`);
}

/** Refuses to write over a file of the index. */
async function checkOutside(directory: string, { name, target }: Output): Promise<void> {
  if (target === undefined || !isIndexFile(basename(target))) return;
  if (dirname(target) === (await realpath(directory)))
    throw new Failure(`${name} is a file of the index`, EXIT.usage);
}

/** Writes all entries, in the order of (fingerprint, id). */
export async function runExport(directory: string, out: string, format: 'binary' | 'jsonl'): Promise<void> {
  using index = await HammingIndex.open(directory, { readOnly: true });
  const { times: time, tags: tag, secondFingerprints: second } = index.columns;
  const output = await openOutput(out);
  try {
    await checkOutside(directory, output);
    const writer = new RowWriter({ time, tag, second });
    const { size, maxDistance, recipe = null } = index;
    if (format === 'binary') await output.write(writer.header(size, { maxDistance, recipe }));
    for await (const batch of index.entries()) {
      await output.write(format === 'binary' ? writer.rows(batch) : entryLines(batch));
    }
    if (format === 'binary') await output.write(writer.end());
    await output.commit();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

async function* rowsAfter(
  reader: RowReader,
  first: LoadBatch | undefined,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<LoadBatch> {
  if (first !== undefined) yield first;
  for await (const chunk of rest) {
    const batch = reader.push(chunk);
    if (batch !== undefined) yield batch;
  }
  reader.end();
}

async function* lineBatches(
  input: Input,
  columns: IndexColumns,
  head: Buffer,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<LoadBatch> {
  const reader = new EntryLineReader(columns);
  const splitter = new LineSplitter(MAX_LINE);
  const take = (blocks: ReturnType<LineSplitter['push']>): void => {
    for (const { bytes, ends, firstLine, oversized } of blocks) {
      if (oversized) throw new Failure(`line ${firstLine} of ${input.name} is longer than ${MAX_LINE} bytes`);
      let start = 0;
      for (const [i, end] of ends.entries()) {
        const line = bytes.toString('utf8', start, end).trim();
        if (line !== '') reader.push(line, () => `line ${firstLine + i} of ${input.name}`);
        start = end;
      }
    }
  };
  take(splitter.push(head));
  for await (const chunk of rest) {
    take(splitter.push(chunk));
    if (reader.count >= BATCH) yield reader.take();
  }
  take(splitter.end());
  if (reader.count > 0) yield reader.take();
}

/** How to make an index as the entries were held before; of one that is there, other columns are refused. */
function targetOptions(
  directory: string,
  run: ImportRun,
  columns: IndexColumns,
  origin: ExportOrigin | undefined,
): HammingIndexOpenOptions {
  const recipe = origin?.recipe ?? undefined;
  if (recipe !== undefined && run.recipe !== undefined && run.recipe !== recipe) {
    throw new Failure(`the export is of fingerprints of "${recipe}", not of "${run.recipe}"`);
  }
  const isNew = !existsSync(join(directory, MANIFEST));
  return {
    create: true,
    maxDistance: run.distance ?? (isNew ? origin?.maxDistance : undefined),
    memory: run.memory,
    recipe: recipe ?? run.recipe,
    times: columns.time || undefined,
    tags: columns.tag || undefined,
    secondFingerprints: columns.second || undefined,
  };
}

/** What an input begins with: `count` bytes or more where it has them. */
async function firstBytes(chunks: AsyncGenerator<Buffer>, count: number): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < count) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

/** Reads the header of an export; the rows that came with it. */
async function readHeader(
  reader: RowReader,
  head: Buffer,
  chunks: AsyncGenerator<Buffer>,
): Promise<LoadBatch | undefined> {
  let batch = reader.push(head);
  while (reader.origin === undefined) {
    const { value, done } = await chunks.next();
    if (done) reader.end();
    else batch = reader.push(value);
  }
  return batch;
}

/** Adds the entries of an export, binary or JSON Lines, to an index: all of them, or none. */
export async function runImport(file: string, directory: string, run: ImportRun): Promise<void> {
  const input = await openInput(file);
  try {
    const chunks = input.chunks();
    const head = await firstBytes(chunks, MAGIC_BYTES);
    const reader = new RowReader(input.name);
    const isBinary = isRows(head);
    const first = isBinary ? await readHeader(reader, head, chunks) : undefined;
    const columns = isBinary ? reader.columns : run.columns;
    await withTarget(directory, targetOptions(directory, run, columns, reader.origin), async (index) => {
      const added = await index.load(
        isBinary ? rowsAfter(reader, first, chunks) : lineBatches(input, columns, head, chunks),
      );
      if (!run.quiet)
        process.stderr.write(`neardup: ${count(added)} entries added, ${count(index.size)} held\n`);
    });
  } finally {
    input.close();
  }
}
