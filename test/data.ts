/**
 * Real texts, read where they are: ../shared/data beside the checkout, or the folder NEARDUP_DATA names.
 * The benchmarks read the same through bench/data.mjs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const folder = process.env.NEARDUP_DATA ?? fileURLToPath(new URL('../../shared/data', import.meta.url));

/** Where a data set (`policies`, `licences`, `html`) is; undefined, with a message, when it is not there. */
export function dataFile(name: string): string | undefined {
  const file = join(folder, `${name}.jsonl.gz`);
  if (existsSync(file)) return file;
  console.log(`skipped: ${name}.jsonl.gz is not in ${folder}`);
  return undefined;
}

/** The records of a data set; undefined, with a message, when it is not there. */
export function readRecords<T>(name: string): T[] | undefined {
  const file = dataFile(name);
  if (file === undefined) return undefined;
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

/** The `text` of each record of a data set; undefined, with a message, when it is not there. */
export function readTexts(name: string): string[] | undefined {
  return readRecords<{ text: string }>(name)?.map(({ text }) => text);
}
