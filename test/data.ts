/** Real texts, read where they are: ../shared/data beside the checkout, or the folder NEARDUP_DATA names. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const folder = process.env.NEARDUP_DATA ?? fileURLToPath(new URL('../../shared/data', import.meta.url));

/** The `text` of each line of a data set (`policies`, `licences`); undefined, with a message, when it is not there. */
export function readTexts(name: string): string[] | undefined {
  const file = `${folder}/${name}.jsonl.gz`;
  if (!existsSync(file)) {
    console.log(`skipped: ${name}.jsonl.gz is not in ${folder}`);
    return undefined;
  }
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { text: string }).text);
}
