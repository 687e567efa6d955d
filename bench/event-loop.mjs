// How long the event loop stands still while something runs.
import { readFileSync } from 'node:fs';

/** CPU milliseconds of the JavaScript thread so far; where the system does not tell, the clock. */
function threadTime() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/**
 * The longest turn, in milliseconds, between two timers of 1 ms while `work` is under way: by the clock (in
 * which other processes' time on this core counts too) and by CPU time of the thread.
 */
export async function longestTurn(work) {
  const longest = { cpu: 0, wall: 0 };
  let cpu = threadTime();
  let wall = performance.now();
  const tick = () => {
    const [cpuNow, wallNow] = [threadTime(), performance.now()];
    longest.cpu = Math.max(longest.cpu, cpuNow - cpu);
    longest.wall = Math.max(longest.wall, wallNow - wall);
    [cpu, wall] = [cpuNow, wallNow];
  };
  const timer = setInterval(tick, 1);
  try {
    await work();
    tick();
  } finally {
    clearInterval(timer);
  }
  return longest;
}
