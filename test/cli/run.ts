/** Runs the built command as users do, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The executable. `npm test` builds it first. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.mjs', import.meta.url));

/** How a run ended. */
export interface Result {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects what a process prints and waits for its end. */
export function ended(child: ChildProcess): Promise<Result> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** A temporary folder, and commands run in it. Disposing removes it. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'neardup-cli-'));

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(this.file(name), content);
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8');
  }

  /** The JSON lines of a file. */
  lines(name: string): Record<string, unknown>[] {
    return this.read(name)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Names in the folder, sorted. */
  get names(): string[] {
    return readdirSync(this.path).sort();
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(process.execPath, [MAIN, ...args], { cwd: this.path, env: { ...process.env, ...env } });
  }

  /** Runs `neardup ARGS` with `input` on standard input. */
  run(args: readonly string[], input: string | Uint8Array = '', env?: NodeJS.ProcessEnv): Promise<Result> {
    const child = this.start(args, env);
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    return ended(child);
  }

  /** Runs a shell command in which `neardup` is the command. */
  shell(command: string): Promise<Result> {
    const prelude = `neardup() { '${process.execPath}' '${MAIN}' "$@"; }\n`;
    return ended(
      spawn('bash', ['-c', prelude + command], { cwd: this.path, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** One line of JSON Lines. */
export function record(id: string | number, text: string): string {
  return `${JSON.stringify({ id, text })}\n`;
}

/** Texts that are far from each other. */
export const TEXTS = {
  fox: 'The quick brown fox jumps over the lazy dog while the patient farmer looks on from the gate',
  tables: 'Sorted tables answer questions about stored fingerprints in a handful of memory reads each',
  bread: 'A recipe for bread asks for rye flour, salt, water, a warm oven and a great deal of patience',
};
