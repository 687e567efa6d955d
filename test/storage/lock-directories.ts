/** Directories with locks, and processes that take them, for the tests of locks. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { lockDirectory } from '../../lib/storage/directory-lock.ts';
import { lockedText, ownerText } from '../../lib/storage/lock-owner.ts';
import { engines } from '../engines.ts';
import { fastFolder } from './fast-folder.ts';

const folder = fs.mkdtempSync(join(fastFolder, 'neardup-locks-'));
const children: ChildProcess[] = [];
let made = 0;

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

export const script = fileURLToPath(new URL('lock-child.mjs', import.meta.url));
/** Each engine of a holder with each of a contender. */
export const pairs = engines.flatMap((holder) =>
  engines.map((contender) => [holder.backend, contender.backend, contender] as const),
);

/** A directory with files of these names, beginning with LOCK. */
export function place(files: Readonly<Record<string, string>> = {}): string {
  const path = join(folder, String(made++));
  fs.mkdirSync(path);
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(path, name), text);
  return path;
}

/** What a lock of a process that has ended says: ids are lower than this. */
export const deadText = (word: string, ...more: string[]): string =>
  ['4999999', '4999999/task/4999999', '77', word, ...more].join(' ');

/** The same of this boot and namespace, with a lock of the system that nobody has. */
export const deadLockedText = (word: string): string =>
  lockedText(deadText(word, ...ownerText().split(' ').slice(4)));

export function locksIn(path: string): string[] {
  return fs.readdirSync(path).filter((name) => name.startsWith('LOCK'));
}

/** Whether the lock can be had; if not, why. */
export function attempt(path: string, engine: Engine): string {
  try {
    lockDirectory(path, engine).release();
    return 'taken';
  } catch (error) {
    return `${(error as { code?: string }).code} ${(error as Error).message}`;
  }
}

export const environment = (backend: string) => ({ ...process.env, NEARDUP_BACKEND: backend });

/** A process that says a line when it is ready; `before` runs it, where given. */
export async function start(backend: string, args: readonly string[], before: readonly string[] = []) {
  const [command, ...rest] = [...before, process.execPath, script, ...args] as [string, ...string[]];
  const child = spawn(command, rest, { env: environment(backend), stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  const ended = once(child, 'close');
  await next();
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { child, pid: child.pid as number, next, end };
}
