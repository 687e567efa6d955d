/** The memory that `neardup urls unique` takes, by the peak of its process, on inputs far larger than `--memory`. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { Folder } from './run.ts';

const MEBIBYTE = 2 ** 20;
/** What docs/urls.md promises: `--memory` and this for the program itself. With all lines in memory it took 390 MiB. */
const PROGRAM = 256 * MEBIBYTE;
const LINES = 1_200_000;
/** Prints the peak of the resident set, in bytes; without spaces, as it goes into NODE_OPTIONS. */
const REPORT = `process.on('exit',()=>process._rawDebug('peak='+process.resourceUsage().maxRSS*1024))`;

/** Different lines of 70 to 100 bytes, in no order. */
async function writeLines(path: string): Promise<void> {
  const out = createWriteStream(path);
  for (let i = 0; i < LINES; i += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, j) => {
      const key = Math.imul(i + j, 0x9e3779b1) >>> 0;
      return `http://h${key % 997}.example/${key.toString(36)}/${'path/'.repeat(8 + (key % 7))}${i + j}\n`;
    });
    if (!out.write(lines.join(''))) await once(out, 'drain');
  }
  out.end();
  await finished(out);
}

it('stays within what is promised', { timeout: 0 }, async () => {
  using folder = new Folder();
  await writeLines(folder.file('in'));
  const args = ['urls', 'unique', '--memory', '16', '--temp', folder.path, '-o', 'out', 'in'];
  const { code, stderr } = await folder.run(args, '', {
    NODE_OPTIONS: `--import=data:text/javascript,${REPORT}`,
  });
  expect(stderr).toContain(`${LINES} lines, ${LINES} unique`);
  expect(code).toBe(0);
  const peak = Number(/peak=(\d+)/.exec(stderr)?.[1]);
  expect(peak).toBeGreaterThan(32 * MEBIBYTE);
  expect(peak).toBeLessThan(16 * MEBIBYTE + PROGRAM);
});
