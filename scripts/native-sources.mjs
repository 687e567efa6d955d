// Lists the C++ sources, one a line: for binding.gyp (`addon`) and for the formatter (`all`).
import { existsSync, readdirSync } from 'node:fs';

const FOLDERS = {
  addon: ['core', 'kernels', 'binding'],
  all: ['core', 'kernels', 'binding', 'test', 'fuzz', 'bench'],
};

export function nativeSources(which) {
  const ending = which === 'addon' ? /\.cc$/ : /\.(cc|h)$/;
  const folders = FOLDERS[which].filter((folder) =>
    existsSync(new URL(`../native/${folder}`, import.meta.url)),
  );
  return folders.flatMap((folder) =>
    readdirSync(new URL(`../native/${folder}`, import.meta.url), { recursive: true })
      .filter((file) => ending.test(file))
      .map((file) => `native/${folder}/${file}`.replaceAll('\\', '/'))
      .sort(),
  );
}

if (process.argv[1]?.endsWith('native-sources.mjs')) {
  console.log(nativeSources(process.argv[2]).join('\n'));
}
