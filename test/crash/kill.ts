/** Processes that are killed in the middle of their work. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';

/**
 * Runs a script that prints how many of its changes were acknowledged, a line each time, and never ends; kills it up to
 * `longest` milliseconds after its first line, and not before `isTime` says so; the last number that it printed whole.
 */
export async function killSoon(
  script: string,
  args: readonly string[],
  backend: string,
  longest: number,
  isTime: () => boolean = () => true,
): Promise<number> {
  const env = { ...process.env, NEARDUP_BACKEND: backend };
  const writer = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  writer.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const closed = once(writer, 'close');
  await Promise.race([once(writer.stdout, 'data'), closed]);
  if (longest > 0) await setTimeout(Math.random() * longest);
  while (writer.exitCode === null && !isTime()) await setImmediate();
  writer.kill('SIGKILL');
  const [code] = await closed;
  // Otherwise it has ended by itself.
  expect(code).toBeNull();
  // A line may be cut off by the kill.
  return Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1));
}
