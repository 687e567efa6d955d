/**
 * What a disk holds after a loss of power. Records the calls that change the files of one directory, and says for each
 * moment what is certain to be there: bytes that were synced, under names whose directory was synced.
 */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type FsCall, interceptFs } from './intercepted-fs.ts';

interface Inode {
  content: Buffer;
  synced: Buffer;
}

/** Files by name. */
export type DiskState = ReadonlyMap<string, Buffer>;

function resize(bytes: Buffer, length: number): Buffer {
  const resized = Buffer.alloc(length);
  bytes.copy(resized, 0, 0, length);
  return resized;
}

export class RecordedDisk {
  readonly #directory: string;
  readonly #restore: () => void;
  readonly #names = new Map<string, Inode>();
  #syncedNames = new Map<string, Inode>();
  /** Of open files of the directory; `undefined` for the directory itself. */
  readonly #open = new Map<number, Inode | undefined>();
  /** Called before each change that reaches the disk. */
  onChange: () => void = () => {};

  constructor(directory: string) {
    this.#directory = directory;
    this.#restore = interceptFs((name, args, call) => this.#handle(name, args, call));
  }

  end(): void {
    this.#restore();
  }

  /** Only what was synced, under names that were. */
  certain(): DiskState {
    return new Map(Array.from(this.#syncedNames, ([name, { synced }]) => [name, synced]));
  }

  /** Names as they were last, lengths as well, bytes that were not synced zero: as file systems may leave them. */
  zeroed(): DiskState {
    return new Map(
      Array.from(this.#names, ([name, { content, synced }]) => [name, resize(synced, content.length)]),
    );
  }

  #nameOf(path: unknown): string | undefined {
    return typeof path === 'string' && dirname(path) === this.#directory
      ? path.slice(this.#directory.length + 1)
      : undefined;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the arguments of any function
  #handle(name: FsCall, args: any[], call: (...args: any[]) => any): unknown {
    const file = this.#nameOf(args[0]);
    const isOpen = typeof args[0] === 'number' && this.#open.has(args[0]);
    if (file === undefined && !isOpen && args[0] !== this.#directory) return call(...args);
    const inode = isOpen ? this.#open.get(args[0]) : undefined;
    switch (name) {
      case 'openSync':
        return this.#opened(file, args, call);
      case 'closeSync':
        this.#open.delete(args[0]);
        return call(...args);
      case 'writeSync':
        return this.#wrote(inode as Inode, args, call);
      case 'ftruncateSync':
        this.onChange();
        (inode as Inode).content = resize((inode as Inode).content, args[1] ?? 0);
        return call(...args);
      case 'fsyncSync':
      case 'fdatasyncSync':
        this.#synced(inode);
        return call(...args);
      case 'fsync':
      case 'fdatasync':
        return call(args[0], (error: unknown) => {
          this.#synced(inode);
          args[1](error);
        });
      case 'renameSync':
      case 'linkSync': {
        this.onChange();
        const result = call(...args);
        const to = this.#nameOf(args[1]);
        if (to !== undefined) this.#names.set(to, this.#names.get(file as string) as Inode);
        if (name === 'renameSync') this.#names.delete(file as string);
        return result;
      }
      case 'rmSync':
      case 'unlinkSync':
        this.onChange();
        this.#names.delete(file as string);
        return call(...args);
      case 'writeFileSync': {
        this.onChange();
        const result = call(...args);
        this.#names.set(file as string, { content: fs.readFileSync(args[0]), synced: Buffer.alloc(0) });
        return result;
      }
      case 'writevSync':
      case 'copyFileSync':
        throw new Error(`${name} is not recorded`);
      default:
        return call(...args);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the arguments of any function
  #opened(file: string | undefined, args: any[], call: (...args: any[]) => any): number {
    const [path, flags = 'r'] = args;
    const isThere = fs.existsSync(path);
    const descriptor = call(...args);
    if (file === undefined) {
      this.#open.set(descriptor, undefined);
      return descriptor;
    }
    let inode = this.#names.get(file);
    if (inode === undefined || (!isThere && flags !== 'r')) {
      if (!isThere) this.onChange();
      inode = { content: Buffer.alloc(0), synced: Buffer.alloc(0) };
      this.#names.set(file, inode);
    }
    if (typeof flags === 'string' && flags.startsWith('w')) inode.content = Buffer.alloc(0);
    this.#open.set(descriptor, inode);
    return descriptor;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the arguments of any function
  #wrote(inode: Inode, args: any[], call: (...args: any[]) => any): number {
    this.onChange();
    const [, bytes, offset = 0, , position] = args;
    if (!(bytes instanceof Uint8Array) || typeof position !== 'number') {
      throw new Error('only bytes at positions are recorded');
    }
    const written = call(...args);
    const end = position + written;
    if (end > inode.content.length) inode.content = resize(inode.content, end);
    inode.content.set(bytes.subarray(offset, offset + written), position);
    return written;
  }

  /** A file or, undefined, the directory. */
  #synced(inode: Inode | undefined): void {
    this.onChange();
    if (inode === undefined) this.#syncedNames = new Map(this.#names);
    else inode.synced = Buffer.from(inode.content);
  }
}

/** Makes a directory with the files of a state but the lock, whose process a loss of power ends. */
export function restoreDisk(state: DiskState, directory: string): void {
  fs.mkdirSync(directory);
  for (const [name, bytes] of state) if (name !== 'LOCK') fs.writeFileSync(join(directory, name), bytes);
}
