// Packs the tarball, installs it into an empty folder as a user would (no scripts run), and uses it from
// there: ESM, CommonJS, types, the CLI, and the TypeScript engine where the addon is taken away.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'neardup-package-'));
const run = (command, args, env = {}) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } });

const PROGRAM = `
const info = backendInfo();
const index = new HammingIndex({ maxDistance: 3 });
index.add(fingerprint('the quick brown fox jumps over the lazy dog'), 7);
const [match] = index.query(fingerprint('The QUICK brown fox jumps over the lazy dog!'));
index.close();
console.log(JSON.stringify({ backend: info.backend, match }));
`;

try {
  const [{ filename, files }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }),
  );
  const packed = files.map((file) => file.path);
  const platform = `${process.platform}-${process.arch}`;
  assert.ok(
    packed.includes(`prebuilds/${platform}/neardup.node`),
    `the tarball lacks the addon of ${platform}`,
  );
  assert.ok(
    !packed.some((file) => /^(lib|native|test|bench|scripts)\/|binding\.gyp$/.test(file)),
    'sources were packed',
  );

  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `./${filename}`]);
  writeFileSync(
    join(folder, 'esm.mjs'),
    `import { backendInfo, fingerprint, HammingIndex } from 'neardup';${PROGRAM}`,
  );
  writeFileSync(
    join(folder, 'cjs.cjs'),
    `const { backendInfo, fingerprint, HammingIndex } = require('neardup');${PROGRAM}`,
  );
  const near = { id: 7, distance: 0 };
  for (const file of ['esm.mjs', 'cjs.cjs']) {
    assert.deepEqual(JSON.parse(run('node', [file])), { backend: 'native', match: near }, file);
    assert.deepEqual(
      JSON.parse(run('node', [file], { NEARDUP_BACKEND: 'js' })),
      { backend: 'js', match: near },
      file,
    );
  }

  const html = `const page = { html: '<nav>Menu</nav><p>Some text, and more.', mode: 'main' };
console.log(extractText(page.html, page));`;
  writeFileSync(join(folder, 'html.mjs'), `import { extractText } from 'neardup/html';${html}`);
  writeFileSync(join(folder, 'html.cjs'), `const { extractText } = require('neardup/html');${html}`);
  for (const file of ['html.mjs', 'html.cjs'])
    assert.match(run('node', [file]), /Some text, and more\./, file);

  const lines = [
    '{"id":"a","text":"one two three four five"}',
    '{"id":"b","text":"One, two, three, four, five."}',
  ];
  writeFileSync(join(folder, 'in.jsonl'), `${lines.join('\n')}\n`);
  const dedup = [
    'neardup',
    'dedup',
    'in.jsonl',
    '--text',
    'text',
    '--id',
    'id',
    '--out',
    'unique.jsonl',
    '--dropped',
    'dropped.jsonl',
  ];
  run('npx', ['--no-install', ...dedup]);
  assert.equal(readFileSync(join(folder, 'unique.jsonl'), 'utf8'), `${lines[0]}\n`);
  assert.equal(JSON.parse(readFileSync(join(folder, 'dropped.jsonl'), 'utf8')).keptId, 'a');

  rmSync(join(folder, 'node_modules/neardup/prebuilds'), { recursive: true });
  assert.equal(
    JSON.parse(run('node', ['esm.mjs'])).backend,
    'js',
    'without the addon the TypeScript engine must answer',
  );
  console.log(`package: ${packed.length} files; ESM, CommonJS, CLI and fallback work from the tarball`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
