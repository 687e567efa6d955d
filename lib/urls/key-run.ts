/**
 * A sorted run: keys on disk, ascending, each once, then the first key of each page of 512. It is also the
 * file of a saved set. An open run keeps those first keys in memory, 1/64 of a byte a key; a look-up reads one page.
 */
import type { Engine, EngineKeySet } from '../engine.ts';
import { CheckedFile, writeCheckedFile } from '../storage/checked-file.ts';
import { corrupt } from '../storage/corrupt.ts';
import type { Steps } from '../storage/steps.ts';

const KIND = 'url-set';
const HEADER = 4096;
const CHUNK_KEYS = 131_072;
const PAGE_KEYS = 512;
const PAGE = 8 * PAGE_KEYS;
/** Pages that one read takes at most, and the unwanted pages it may take along. */
const READ_PAGES = 256;
const GAP_PAGES = 4;

/** What a run's header says besides its kind. */
export interface RunMetadata {
  /** Canonical text of the URL policy. */
  readonly policy: string;
  /** Keys in the run. */
  readonly count: number;
}

function bytesOf(keys: BigUint64Array): Uint8Array {
  return new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
}

/** The keys of a set, ascending, in chunks that share a buffer. */
export function* sortedKeys(set: EngineKeySet): Generator<BigUint64Array> {
  const chunk = new BigUint64Array(CHUNK_KEYS);
  for (let from = 0n; ; ) {
    const length = set.readSorted(from, chunk);
    if (length > 0) yield chunk.subarray(0, length);
    if (length < chunk.length) return;
    from = chunk[length - 1] + 1n;
    if (from === 2n ** 64n) return;
  }
}

/** Writes a run of ascending keys, `metadata.count` of them, atomically and durably. */
export function writeRun(
  path: string,
  metadata: RunMetadata,
  chunks: Iterable<BigUint64Array>,
  engine: Engine,
): Steps<void> {
  function* bytes() {
    const firstKeys = new BigUint64Array(Math.ceil(metadata.count / PAGE_KEYS));
    let first = 0;
    for (const chunk of chunks) {
      for (let i = (PAGE_KEYS - (first % PAGE_KEYS)) % PAGE_KEYS; i < chunk.length; i += PAGE_KEYS) {
        firstKeys[(first + i) / PAGE_KEYS] = chunk[i];
      }
      first += chunk.length;
      yield bytesOf(chunk);
    }
    yield bytesOf(firstKeys);
  }
  return writeCheckedFile(path, { kind: KIND, ...metadata }, HEADER, bytes(), engine);
}

/** The largest index whose key is <= (low, high), -1 where none is. `words` holds ascending keys from `first` on. */
function lastNotAbove(words: Uint32Array, first: number, last: number, low: number, high: number): number {
  let below = first - 1;
  let above = last + 1;
  while (above - below > 1) {
    const middle = (below + above) >>> 1;
    const middleHigh = words[2 * middle + 1];
    if (middleHigh < high || (middleHigh === high && words[2 * middle] <= low)) below = middle;
    else above = middle;
  }
  return below;
}

/** A run open for reading. */
export class KeyRun {
  readonly metadata: RunMetadata;
  readonly #file: CheckedFile;
  /** The first key of each page, as lanes. */
  readonly #firstKeys: Uint32Array;

  /**
   * Reads and checks the header, the checksums and the first keys of the pages; the keys are checked, 1 MiB at
   * a time, when they are first read. Throws ERR_NEARDUP_CORRUPT, then or here.
   */
  constructor(path: string, engine: Engine) {
    this.#file = new CheckedFile(path, KIND, engine);
    const { metadata, payloadLength } = this.#file;
    try {
      const count = Number(metadata.count);
      const pages = Math.ceil(count / PAGE_KEYS);
      if (payloadLength !== 8 * (count + pages) || typeof metadata.policy !== 'string') {
        throw corrupt(path, 'header', 'its metadata and the payload do not agree');
      }
      this.metadata = { policy: metadata.policy, count };
      const firstKeys = new BigUint64Array(pages);
      if (pages > 0) this.#file.read(8 * count, bytesOf(firstKeys));
      this.#firstKeys = new Uint32Array(firstKeys.buffer);
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** Bytes of memory that the open run takes. */
  get memoryBytes(): number {
    return this.#firstKeys.byteLength;
  }

  /** Those of the ascending keys that the run holds, ascending. Reads each page that is needed once. */
  intersect(keys: BigUint64Array): BigUint64Array {
    const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
    const held = new BigUint64Array(keys.length);
    const buffer = new BigUint64Array(READ_PAGES * PAGE_KEYS);
    const pageWords = new Uint32Array(buffer.buffer);
    let count = 0;
    for (let i = 0; i < keys.length; ) {
      const first = this.#pageOf(words[2 * i], words[2 * i + 1]);
      if (first < 0) {
        i++;
        continue;
      }
      // The keys from i to end lie on pages that one read takes.
      let last = first;
      let end = i + 1;
      for (; end < keys.length; end++) {
        const page = this.#pageOf(words[2 * end], words[2 * end + 1]);
        if (page > last + GAP_PAGES || page >= first + READ_PAGES) break;
        last = page;
      }
      const length = this.#readPages(first, last, bytesOf(buffer));
      for (; i < end; i++) {
        const [low, high] = [words[2 * i], words[2 * i + 1]];
        const at = lastNotAbove(pageWords, 0, length - 1, low, high);
        if (at >= 0 && pageWords[2 * at] === low && pageWords[2 * at + 1] === high) held[count++] = keys[i];
      }
    }
    return held.subarray(0, count);
  }

  /** The keys, ascending, in chunks that share a buffer. Reads and checks every byte. */
  *chunks(): Generator<BigUint64Array> {
    let rest = this.metadata.count;
    for (const block of this.#file.blocks()) {
      const count = Math.min(rest, block.length / 8);
      rest -= count;
      if (count > 0) yield new BigUint64Array(block.buffer, block.byteOffset, count);
    }
  }

  close(): void {
    this.#file.close();
  }

  #pageOf(low: number, high: number): number {
    return lastNotAbove(this.#firstKeys, 0, this.#firstKeys.length / 2 - 1, low, high);
  }

  /** Reads pages first to last; returns the number of keys. */
  #readPages(first: number, last: number, out: Uint8Array): number {
    const start = first * PAGE;
    const end = Math.min((last + 1) * PAGE, 8 * this.metadata.count);
    this.#file.read(start, out.subarray(0, end - start));
    return (end - start) / 8;
  }
}

/** Merges ascending sources that share no key into one ascending source; chunks share a buffer. */
export function* mergeKeys(sources: readonly Iterable<BigUint64Array>[]): Generator<BigUint64Array> {
  interface Head {
    readonly rest: Iterator<BigUint64Array>;
    words: Uint32Array;
    at: number;
  }
  const heads: Head[] = [];
  const refill = (head: Head): boolean => {
    const { value, done } = head.rest.next();
    if (done === true) return false;
    head.words = new Uint32Array(value.buffer, value.byteOffset, 2 * value.length);
    head.at = 0;
    return true;
  };
  for (const source of sources) {
    const head: Head = { rest: source[Symbol.iterator](), words: new Uint32Array(0), at: 0 };
    if (refill(head)) heads.push(head);
  }
  const out = new BigUint64Array(CHUNK_KEYS);
  const outWords = new Uint32Array(out.buffer);
  let length = 0;
  while (heads.length > 0) {
    let least = 0;
    for (let i = 1; i < heads.length; i++) {
      const [a, b] = [heads[i], heads[least]];
      const difference = a.words[a.at + 1] - b.words[b.at + 1] || a.words[a.at] - b.words[b.at];
      if (difference < 0) least = i;
    }
    const head = heads[least];
    outWords[length++] = head.words[head.at];
    outWords[length++] = head.words[head.at + 1];
    head.at += 2;
    if (head.at === head.words.length && !refill(head)) heads.splice(least, 1);
    if (length === outWords.length) {
      yield out;
      length = 0;
    }
  }
  if (length > 0) yield out.subarray(0, length / 2);
}
