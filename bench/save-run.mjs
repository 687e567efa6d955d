// The results of benchmarks that keep one run for each size, with its conditions.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { backendInfo } from '../dist/index.mjs';
import { loadBefore, machineLine } from './machine.mjs';

/** Writes a run of so many entries to bench/results/NAME.json, in place of the one that is there of that size. */
export function saveRun(name, count, rows) {
  const file = new URL(`./results/${name}.json`, import.meta.url);
  const runs = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).runs : [];
  const kernel = backendInfo().kernel;
  const date = new Date().toISOString().slice(0, 10);
  runs.push({ count, machine: machineLine(), kernel, date, loadBefore, loadAfter: loadavg()[0], rows });
  const latest = new Map(runs.map((run) => [run.count, run]));
  writeFileSync(file, `${JSON.stringify({ runs: [...latest.values()] }, null, 2)}\n`);
}
