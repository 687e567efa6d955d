/** Writers in other processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('writing-child.mjs', import.meta.url));
const children: ChildProcess[] = [];

/** Ends those that were started. */
export function killWriters(): void {
  for (const each of children.splice(0)) each.kill('SIGKILL');
}

/** A writer in another process; its `tell` gives the size of the index after a command. */
export async function startWriter(path: string, backend: string) {
  const env = { ...process.env, NEARDUP_BACKEND: backend };
  const writer = spawn(process.execPath, [child, path], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(writer);
  const lines = createInterface({ input: writer.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const tell = async (command: string): Promise<number> => {
    writer.stdin.write(`${command}\n`);
    return Number((await lines.next()).value);
  };
  return { pid: writer.pid as number, tell, ended: once(writer, 'close'), end: () => writer.stdin.end() };
}
