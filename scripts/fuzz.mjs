// Builds the fuzz targets with clang and runs each for some seconds: those in native/fuzz, under sanitizers, and the
// readers of test/fuzz/readers.ts, for which libFuzzer is an addon of Node (native/fuzz/node).
//   node scripts/fuzz.mjs [seconds] [target ...]      20 seconds, all targets
// A target (fuzz_<name>, or <name>) starts from native/fuzz/corpus/<name>, and from what it found in earlier runs,
// out/fuzz/corpus/<target>; a failing input is left in out/fuzz and named in the output. CXX chooses another clang.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}out/fuzz`;
const [seconds = '20', ...chosen] = process.argv.slice(2);

const clangs = [process.env.CXX, 'clang++', 'clang++-19', 'clang++-16', 'clang++-14'].filter(Boolean);
const clang = clangs.find((name) => {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.includes('clang');
});
if (clang === undefined) {
  console.error('fuzz: no clang found (libFuzzer is part of it): apt-get install clang');
  process.exit(1);
}

function run(command, args, cwd = root) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const options = [
  '-DNEARDUP_FUZZ=ON',
  '-DNEARDUP_SANITIZE=fuzzer-no-link,address,undefined',
  `-DCMAKE_CXX_COMPILER=${clang}`,
];
run('cmake', ['-S', '.', '-B', folder, ...options, '--log-level=WARNING']);
run('cmake', ['--build', folder, '-j', '2', '--', '--quiet']);

const targets = readdirSync(`${root}native/fuzz`)
  .filter((file) => file.endsWith('.cc'))
  .map((file) => file.slice(0, -'.cc'.length));
const readers = ['log', 'manifest'];

/** Builds libFuzzer as an addon, and the readers as one file. */
function buildReaders() {
  const { stdout } = spawnSync(clang, ['-print-resource-dir'], { encoding: 'utf8' });
  const runtime = `${stdout.trim()}/lib/linux/libclang_rt.fuzzer_no_main-x86_64.a`;
  const headers = createRequire(import.meta.url)('node-api-headers').include_dir;
  run(clang, [
    ...['-std=c++17', '-O1', '-shared', '-fPIC', '-DNODE_GYP_MODULE_NAME=fuzz', '-I', headers],
    ...[`${root}native/fuzz/node/driver.cc`, runtime, '-lpthread', '-o', `${folder}/driver.node`],
  ]);
  const options = ['--format', 'cjs', '--platform', 'node', '--no-dts', '--no-config', '--logLevel', 'warn'];
  run('npx', ['tsdown', 'test/fuzz/readers.ts', ...options, '--out-dir', `${folder}/readers`]);
}

function fuzz(target, command, args, more) {
  const found = `${folder}/corpus/${target}`;
  const committed = `${root}native/fuzz/corpus/${target.replace('fuzz_', '')}`;
  mkdirSync(found, { recursive: true });
  console.log(`fuzz: ${target}, ${seconds} s`);
  const options = [
    `-max_total_time=${seconds}`,
    '-len_control=0',
    '-verbosity=0',
    '-print_final_stats=1',
    ...more,
  ];
  run(command, [...args, ...options, found, ...(existsSync(committed) ? [committed] : [])], folder);
}

const isChosen = (target) => chosen.length === 0 || chosen.includes(target);
for (const target of targets.filter(isChosen)) fuzz(target, `${folder}/${target}`, [], ['-max_len=65536']);
if (readers.some(isChosen)) buildReaders();
for (const target of readers.filter(isChosen)) {
  const args = [
    `${root}native/fuzz/node/run.cjs`,
    `${folder}/driver.node`,
    `${folder}/readers/readers.cjs`,
    target,
  ];
  fuzz(target, process.execPath, args, ['-max_len=4096', '-rss_limit_mb=0']);
}
