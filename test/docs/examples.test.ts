/** Runs the JavaScript blocks of README.md and docs/ and compares what they print with their comments. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['README.md', ...readdirSync(`${root}docs`).map((file) => `docs/${file}`)].filter((file) =>
  file.endsWith('.md'),
);

/** The blocks fenced as ```js of a page. */
function blocks(page: string): string[] {
  const text = readFileSync(root + page, 'utf8');
  return [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map((match) => match[1] as string);
}

/** The lines that a block says it prints: `// prints LINE`. */
function printed(block: string): string[] {
  return [...block.matchAll(/^\s*\/\/ prints (.*)$/gm)].map((match) => match[1] as string);
}

describe.each(pages.filter((page) => blocks(page).length > 0))('%s', (page) => {
  const examples = blocks(page);
  it.each(examples.map((block, i) => [i + 1, block] as const))(
    'example %i runs and prints what it says',
    (number, block) => {
      // Inside the checkout, so that `import 'neardup'` finds this package.
      mkdirSync(`${root}out/examples`, { recursive: true });
      const file = `${root}out/examples/${page.replaceAll('/', '-')}-${number}.mjs`;
      writeFileSync(file, block);
      const output = execFileSync(process.execPath, [file], { encoding: 'utf8', cwd: root });
      const expected = printed(block);
      if (expected.length > 0) expect(output.trimEnd().split('\n')).toEqual(expected);
    },
  );
});
