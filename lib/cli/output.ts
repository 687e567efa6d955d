/**
 * What a command writes. A file appears under its name only when it is complete: it is written beside it as
 * NAME.XXXXXXXX.tmp, renamed by commit(), and removed on failure, on a signal and at exit. Devices, pipes and
 * standard output (`-`) are written as they are.
 */
import { randomBytes } from 'node:crypto';
import { fstatSync, rmSync, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, realpath, rename, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, Failure, reasonOf } from './failure.ts';
import { Unfinished } from './unfinished.ts';

/** The reader of a pipe went away: not an error to speak of, as with any filter. */
export class BrokenPipe extends Error {}

/** Where bytes go. One write at a time. */
export interface Output {
  /** The name for messages. */
  readonly name: string;
  /** Identifies the file behind it, where there is one; of a file that will be replaced, that one. */
  readonly stats: Stats | undefined;
  /** True for standard output. */
  readonly isStandard: boolean;
  /** The file that commit() puts in place, links followed; undefined where bytes go straight to a pipe or device. */
  readonly target: string | undefined;
  /** Resolves when the bytes are with the operating system. Throws a Failure or BrokenPipe. */
  write(bytes: Buffer | string): Promise<void>;
  /** Says that all was written: the file takes its name. */
  commit(): Promise<void>;
  /** Gives up: nothing stays behind. */
  discard(): Promise<void>;
}

function writeFailure(name: string, error: unknown): Error {
  if (errorCode(error) === 'EPIPE') return new BrokenPipe();
  return new Failure(`cannot write ${name}: ${reasonOf(error)}`);
}

class StandardOutput implements Output {
  readonly name = 'standard output';
  readonly isStandard = true;
  readonly target = undefined;

  get stats(): Stats | undefined {
    try {
      return fstatSync(1);
    } catch {
      return undefined;
    }
  }

  write(bytes: Buffer | string): Promise<void> {
    return new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(writeFailure(this.name, error)) : resolve()));
    });
  }

  async commit(): Promise<void> {}
  async discard(): Promise<void> {}
}

/** A device or named pipe: bytes go straight to it. */
class StreamOutput implements Output {
  readonly name: string;
  readonly stats: Stats | undefined;
  readonly isStandard = false;
  readonly target: string | undefined = undefined;
  protected readonly handle: FileHandle;

  constructor(name: string, stats: Stats | undefined, handle: FileHandle) {
    this.name = name;
    this.stats = stats;
    this.handle = handle;
  }

  async write(bytes: Buffer | string): Promise<void> {
    let rest = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    try {
      while (rest.length > 0) rest = rest.subarray((await this.handle.write(rest)).bytesWritten);
    } catch (error) {
      throw writeFailure(this.name, error);
    }
  }

  async commit(): Promise<void> {
    try {
      await this.handle.close();
    } catch (error) {
      throw writeFailure(this.name, error);
    }
  }

  async discard(): Promise<void> {
    await this.handle.close().catch(() => {});
  }
}

/** A file that takes its name on commit(). */
class FileOutput extends StreamOutput {
  override readonly target: string;
  readonly #temporary: string;
  readonly #unfinished: Unfinished;

  constructor(name: string, stats: Stats | undefined, handle: FileHandle, target: string, temporary: string) {
    super(name, stats, handle);
    this.target = target;
    this.#temporary = temporary;
    this.#unfinished = new Unfinished(() => rmSync(temporary, { force: true }));
  }

  override async commit(): Promise<void> {
    await super.commit();
    try {
      await rename(this.#temporary, this.target);
    } catch (error) {
      throw writeFailure(this.name, error);
    }
    this.#unfinished.keep();
  }

  override async discard(): Promise<void> {
    await super.discard();
    this.#unfinished.remove();
  }
}

/** Names of what the process has open: what is behind them must be written as it is, never replaced. */
const STANDARD_OUTPUT = /^(-|\/dev\/stdout|(\/dev|\/proc\/self)\/fd\/1)$/;
const DESCRIPTOR = /^(\/dev\/stderr|(\/dev|\/proc\/(self|\d+))\/fd\/\d+)$/;

/** Symbolic links that lead to one another at most. */
const MOST_LINKS = 40;
/** Characters of a file's name that its temporary name begins with: names may have 255 bytes. */
const NAME_PART = 40;

/** The file that will be made for a path at which there is none: what its links, if it is one, lead to. */
async function targetOf(path: string): Promise<string> {
  let target = path;
  for (let i = 0; i < MOST_LINKS; i++) {
    if (target.endsWith('/')) throw new Failure(`cannot write ${path}: it names a directory`);
    target = join(await realpath(dirname(target)), basename(target));
    const link = await readlink(target).catch(() => undefined);
    if (link === undefined) return target;
    target = resolve(dirname(target), link) + (link.endsWith('/') ? '/' : '');
  }
  throw new Failure(`cannot write ${path}: too many symbolic links`);
}

/** Opens `path`, or standard output for `-`. Nothing at `path` changes before commit(). */
export async function openOutput(path: string): Promise<Output> {
  if (STANDARD_OUTPUT.test(path)) return new StandardOutput();
  try {
    if (DESCRIPTOR.test(path)) {
      const handle = await open(path, 'a');
      return new StreamOutput(path, await handle.stat(), handle);
    }
    const stats = await stat(path).catch((error) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (stats?.isDirectory()) throw new Failure(`cannot write ${path}: it is a directory`);
    if (stats !== undefined && !stats.isFile()) {
      return new StreamOutput(path, stats, await open(path, 'w'));
    }
    // Through a symbolic link to the file it names, so that the link stays one.
    const target = stats ? await realpath(path) : await targetOf(path);
    const name = `${basename(target).slice(0, NAME_PART)}.${randomBytes(4).toString('hex')}.tmp`;
    const temporary = join(dirname(target), name);
    const handle = await open(temporary, 'wx');
    const output = new FileOutput(path, stats, handle, target, temporary);
    try {
      if (stats !== undefined) await handle.chmod(stats.mode & 0o7777);
      return output;
    } catch (error) {
      await output.discard();
      throw error;
    }
  } catch (error) {
    throw error instanceof Failure ? error : writeFailure(path, error);
  }
}

/** True when both are one file. */
export function sameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && b !== undefined && a.isFile() && a.dev === b.dev && a.ino === b.ino;
}
