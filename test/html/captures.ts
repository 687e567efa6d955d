/** The captures of real pages that lie beside the checkout, or none. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

export interface Capture {
  readonly id: string;
  /** The page that it is a capture of. */
  readonly group: string;
  readonly html: string;
}

const folder = process.env.NEARDUP_DATA ?? fileURLToPath(new URL('../../../shared/data', import.meta.url));
const file = join(folder, 'html.jsonl.gz');

/** In order of time within each group; empty where the data is not there. */
export const captures: readonly Capture[] = existsSync(file)
  ? gunzipSync(readFileSync(file))
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Capture)
  : [];

if (captures.length === 0) console.warn(`skipped: the tests on real pages need ${file}`);
