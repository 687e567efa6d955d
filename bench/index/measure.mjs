// Times in processor and wall-clock seconds, medians of rounds; and the cores that this process may use.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Processor seconds (of all threads) and wall-clock seconds of one call, and what it gave. */
export async function once(run) {
  const before = process.cpuUsage();
  const start = performance.now();
  const value = await run();
  const wall = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6, wall, value };
}

/** Medians over rounds of a call, which is told the number of its round. */
export async function measure(rounds, run) {
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await once(() => run(round)));
  return {
    cpu: median(samples.map(({ cpu }) => cpu)),
    wall: median(samples.map(({ wall }) => wall)),
    value: samples[0].value,
  };
}

/** The cores that were given to the process; undefined where the system cannot tell or bind to them. */
const cores = (() => {
  if (process.platform !== 'linux' || spawnSync('taskset', ['-p', process.pid]).status !== 0)
    return undefined;
  return readFileSync('/proc/self/status', 'utf8').match(/^Cpus_allowed_list:\s*(\S+)/m)?.[1];
})();
export const canBind = cores !== undefined;
const firstCore = cores?.match(/^\d+/)[0];

function bind(list) {
  if (canBind) spawnSync('taskset', ['-acp', list, process.pid]);
}

/** From here on all threads of the process share one core. */
export const useOneCore = () => bind(firstCore);
/** From here on its threads run on all cores that it was given. */
export const useAllCores = () => bind(cores);

/**
 * The medians of a call on one core and on all, in wall-clock and in processor seconds; the rounds alternate. Afterwards
 * the process has all.
 */
export async function compareCores(rounds, run) {
  const one = [];
  const all = [];
  for (let round = 0; round < rounds; round++) {
    useOneCore();
    one.push(await once(run));
    useAllCores();
    all.push(await once(run));
  }
  const medians = (samples, name) => median(samples.map((sample) => sample[name]));
  return {
    one: medians(one, 'wall'),
    all: medians(all, 'wall'),
    cpuOne: medians(one, 'cpu'),
    cpuAll: medians(all, 'cpu'),
  };
}

/** Resident bytes of the process, after a collection of garbage where that can be asked for. */
export function residentBytes() {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

/** The largest resident bytes so far. */
export function peakBytes() {
  return process.resourceUsage().maxRSS * 1024;
}
