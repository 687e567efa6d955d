/** Opens what a command reads: a file or standard input (`-`), gzip undone where its first bytes say so. */
import { createReadStream, fstatSync, open as openFile, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { Failure, reasonOf } from './failure.ts';

/** Bytes asked from a file at a time. */
const CHUNK_BYTES = 1 << 20;

/** Compressions that are told from their first bytes and not undone here. */
const FOREIGN = [
  { name: 'Zstandard', tool: 'zstdcat', magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
  { name: 'xz', tool: 'xzcat', magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]) },
  { name: 'bzip2', tool: 'bzcat', magic: Buffer.from('BZh') },
];

const GZIP = Buffer.from([0x1f, 0x8b]);

const open = promisify(openFile);

/** An opened input. */
export interface Input {
  /** The name for messages. */
  readonly name: string;
  /** What fstat said, to tell whether an output is the same file. */
  readonly stats: Stats | undefined;
  /** Size in bytes as stored; undefined where it cannot be known (a pipe). */
  readonly size: number | undefined;
  /** Bytes read so far, as stored (compressed, where it is). */
  readonly bytesRead: number;
  /** The bytes, decompressed. Throws a Failure where reading fails. */
  chunks(): AsyncGenerator<Buffer>;
  /** Ends the reading, also before its end. */
  close(): void;
}

/** Opens `path`, or standard input for `-`. Throws a Failure where it cannot. */
export async function openInput(path: string): Promise<Input> {
  if (path === '-') return new OpenInput('standard input', stdinStats(), process.stdin);
  try {
    const fd = await open(path, 'r');
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw new Failure(`cannot read ${path}: it is a directory`);
    // A pipe is read as a socket: a read that waits for its writer then does not keep the process from ending.
    const raw = stats.isFIFO()
      ? new Socket({ fd, readable: true, writable: false })
      : createReadStream('', { fd, highWaterMark: CHUNK_BYTES });
    return new OpenInput(path, stats, raw);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`cannot read ${path}: ${reasonOf(error)}`);
  }
}

function stdinStats(): Stats | undefined {
  try {
    return fstatSync(0);
  } catch {
    return undefined;
  }
}

class OpenInput implements Input {
  readonly name: string;
  readonly stats: Stats | undefined;
  readonly #raw: Readable;
  bytesRead = 0;

  constructor(name: string, stats: Stats | undefined, raw: Readable) {
    this.name = name;
    this.stats = stats;
    this.#raw = raw;
  }

  get size(): number | undefined {
    return this.stats?.isFile() ? this.stats.size : undefined;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    try {
      const raw = this.#counted();
      const head = await firstBytes(raw);
      for (const { name, tool, magic } of FOREIGN) {
        if (head.subarray(0, magic.length).equals(magic)) {
          const how = this.name === 'standard input' ? `${tool} |` : `${tool} ${this.name} |`;
          throw new Failure(`${this.name} is ${name} data; undo it first: ${how} neardup dedup -`);
        }
      }
      if (head.subarray(0, GZIP.length).equals(GZIP)) yield* gunzip(head, raw);
      else {
        yield head;
        yield* raw;
      }
    } catch (error) {
      throw error instanceof Failure ? error : new Failure(`cannot read ${this.name}: ${reasonOf(error)}`);
    }
  }

  close(): void {
    this.#raw.destroy();
  }

  async *#counted(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#raw) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }
}

/** As many first bytes as tell whether there is a compression, and which. */
async function firstBytes(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const magics = [GZIP, ...FOREIGN.map(({ magic }) => magic)];
  let head: Buffer = Buffer.alloc(0);
  while (magics.some((magic) => head.length < magic.length && magic.subarray(0, head.length).equals(head))) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  return head;
}

async function* gunzip(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let given = 0;
  const source = Readable.from(
    (async function* () {
      for (let chunk: Buffer | undefined = head; chunk !== undefined; ) {
        given += chunk.length;
        yield chunk;
        chunk = (await rest.next()).value;
      }
    })(),
    { objectMode: false },
  );
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES });
  source.on('error', (error) => unzip.destroy(error));
  yield* source.pipe(unzip) as AsyncIterable<Buffer>;
  // The reader ends at what is no gzip member, zeros for example, whatever comes after it.
  if (unzip.bytesWritten < given) throw new Error('there is something else after its gzip data');
}
