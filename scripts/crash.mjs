// npm run crash -- [kills]: kills a process that changes an index so many times (5,000 when not given), and opens the
// index after each: test/crash. Needs dist/ (npm run build).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const kills = Number(process.argv[2] ?? 5000);
if (!Number.isInteger(kills) || kills < 1) {
  console.error('crash: give a number of kills, such as: npm run crash -- 5000');
  process.exit(2);
}
const { status } = spawnSync('npx', ['vitest', 'run', 'test/crash/index.test.ts'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  env: { ...process.env, NEARDUP_KILLS: String(kills) },
});
process.exit(status ?? 1);
