// Builds the fuzz targets in native/fuzz with clang and runs each for some seconds.
//   node scripts/fuzz.mjs [seconds] [target ...]      20 seconds, all targets
// Inputs in native/fuzz/corpus/<name> start the target fuzz_<name>. Inputs that a target finds stay in
// out/fuzz/corpus/<target> and start the next run; a failing input is left in out/fuzz and named in the output. CXX
// chooses another clang.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
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
for (const target of chosen.length > 0 ? chosen : targets) {
  const corpus = `${folder}/corpus/${target}`;
  const seeds = `${root}native/fuzz/corpus/${target.replace('fuzz_', '')}`;
  mkdirSync(corpus, { recursive: true });
  console.log(`fuzz: ${target}, ${seconds} s`);
  run(
    `${folder}/${target}`,
    [
      `-max_total_time=${seconds}`,
      '-max_len=65536',
      '-len_control=0',
      '-verbosity=0',
      '-print_final_stats=1',
      corpus,
      ...(existsSync(seeds) ? [seeds] : []),
    ],
    folder,
  );
}
