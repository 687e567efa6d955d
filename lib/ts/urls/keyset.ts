/**
 * An exact set of 64-bit keys: a sorted table with gaps, cut into partitions that split, then grow by a
 * sixth. What it is and costs is written in native/core/urls/keyset.h, its twin.
 */
import type { EngineKeySet } from '../../engine.ts';
import { makeError } from '../../errors.ts';
import { guardMemory } from '../base/memory.ts';

const DIRECTORY_BITS = 12;
const DIRECTORY_SIZE = 1 << DIRECTORY_BITS;
const SPLIT_SIZE = 8192;
const MIN_CAPACITY = 8;
const TWO_32 = 2 ** 32;
const NO_KEYS = new Uint32Array(0);

interface Partition {
  /** Slot i is words 2i (low lane) and 2i + 1 (high lane); both 0 is empty, and the last slot always is. */
  readonly words: Uint32Array;
  /** Home slots. */
  readonly capacity: number;
  /** Slots. */
  readonly total: number;
  /** Leading bits that the keys share. */
  readonly depth: number;
  size: number;
}

function lanesOf(keys: BigUint64Array): Uint32Array {
  return new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);
}

function home(low: number, high: number, depth: number, capacity: number): number {
  const rest = depth === 0 ? high >>> 0 : ((high << depth) | (low >>> (32 - depth))) >>> 0;
  return Math.floor((rest * capacity) / TWO_32);
}

function allocate(words: number): Uint32Array {
  try {
    return new Uint32Array(words);
  } catch {
    throw makeError('ERR_NEARDUP_OUT_OF_MEMORY', `out of memory: ${words * 4} bytes of keys`);
  }
}

/** `keys` (as lanes) ascending, without 0. The slots past the capacity take what the last homes displace. */
function build(keys: Uint32Array, depth: number, capacity: number): Partition {
  const size = keys.length / 2;
  let end = 0;
  for (let i = 0; i < size; i++) {
    end = Math.max(home(keys[2 * i], keys[2 * i + 1], depth, capacity), end) + 1;
  }
  const total = Math.max(end, capacity) + Math.min(capacity, 32) + Math.floor(size / 256) + 1;
  const words = allocate(2 * total);
  let next = 0;
  for (let i = 0; i < size; i++) {
    next = Math.max(home(keys[2 * i], keys[2 * i + 1], depth, capacity), next);
    words[2 * next] = keys[2 * i];
    words[2 * next + 1] = keys[2 * i + 1];
    next++;
  }
  return { words, capacity, total, depth, size };
}

/** The keys of a partition, ascending, as lanes. */
function keysOf(partition: Partition): Uint32Array {
  const keys = allocate(2 * partition.size);
  let length = 0;
  for (let i = 0; i < 2 * partition.total; i += 2) {
    if (partition.words[i] === 0 && partition.words[i + 1] === 0) continue;
    keys[length++] = partition.words[i];
    keys[length++] = partition.words[i + 1];
  }
  return keys;
}

/** The first slot at or after the key's home that is empty or holds a key that is not smaller. */
function seek(partition: Partition, low: number, high: number): number {
  const { words } = partition;
  let i = 2 * home(low, high, partition.depth, partition.capacity);
  for (;;) {
    const slotHigh = words[i + 1];
    const slotLow = words[i];
    if (slotHigh > high || (slotHigh === high && slotLow >= low)) return i / 2;
    if (slotHigh === 0 && slotLow === 0) return i / 2;
    i += 2;
  }
}

class KeySet implements EngineKeySet {
  #partitions: Partition[] = [];
  /** Leading 12 bits of a key -> partition. */
  #directory = new Uint16Array(DIRECTORY_SIZE);
  #size = 0;
  #hasZero = false;

  constructor(expected: number) {
    let depth = 0;
    while (depth < DIRECTORY_BITS && expected / 2 ** depth > SPLIT_SIZE) depth++;
    const share = Math.floor(expected / 2 ** depth);
    const span = DIRECTORY_SIZE >> depth;
    for (let i = 0; i < 1 << depth; i++) {
      this.#partitions.push(build(NO_KEYS, depth, MIN_CAPACITY + share + (share >> 2)));
      this.#directory.fill(i, i * span, (i + 1) * span);
    }
  }

  size(): number {
    return this.#size;
  }

  memoryBytes(): number {
    return this.#partitions.reduce((sum, { words }) => sum + words.byteLength, this.#directory.byteLength);
  }

  addBatch(keys: BigUint64Array): Uint8Array {
    return guardMemory(() => {
      const words = lanesOf(keys);
      const added = new Uint8Array(keys.length);
      for (let i = 0; i < keys.length; i++) added[i] = this.#add(words[2 * i], words[2 * i + 1]) ? 1 : 0;
      return added;
    });
  }

  hasBatch(keys: BigUint64Array): Uint8Array {
    return guardMemory(() => {
      const words = lanesOf(keys);
      const found = new Uint8Array(keys.length);
      for (let i = 0; i < keys.length; i++) found[i] = this.#has(words[2 * i], words[2 * i + 1]) ? 1 : 0;
      return found;
    });
  }

  readSorted(from: bigint, out: BigUint64Array): number {
    const target = lanesOf(out);
    const wanted = target.length;
    let length = 0;
    if (from === 0n && this.#hasZero && wanted > 0) length = 2; // the key 0: both words are 0 already
    if (length > 0) out[0] = 0n;
    let low = Number(from & 0xffffffffn);
    let high = Number(from >> 32n);
    while (length < wanted) {
      const partition = this.#find(high);
      const { words, total, depth } = partition;
      for (let i = 2 * home(low, high, depth, partition.capacity); i < 2 * total && length < wanted; i += 2) {
        const slotLow = words[i];
        const slotHigh = words[i + 1];
        if (slotLow === 0 && slotHigh === 0) continue;
        if (slotHigh < high || (slotHigh === high && slotLow < low)) continue;
        target[length++] = slotLow;
        target[length++] = slotHigh;
      }
      const span = 2 ** (32 - depth);
      high = (Math.floor(high / span) + 1) * span;
      low = 0;
      if (high >= TWO_32) break;
    }
    return length / 2;
  }

  close(): void {
    this.#partitions = [];
  }

  #find(high: number): Partition {
    return this.#partitions[this.#directory[high >>> (32 - DIRECTORY_BITS)]];
  }

  #has(low: number, high: number): boolean {
    if (low === 0 && high === 0) return this.#hasZero;
    const partition = this.#find(high);
    const slot = seek(partition, low, high);
    return partition.words[2 * slot] === low && partition.words[2 * slot + 1] === high;
  }

  #add(low: number, high: number): boolean {
    if (low === 0 && high === 0) {
      const isNew = !this.#hasZero;
      this.#hasZero = true;
      if (isNew) this.#size++;
      return isNew;
    }
    for (;;) {
      const partition = this.#find(high);
      const { words, total, capacity } = partition;
      const slot = seek(partition, low, high);
      if (words[2 * slot] === low && words[2 * slot + 1] === high) return false;
      let gap = slot;
      while (words[2 * gap] !== 0 || words[2 * gap + 1] !== 0) gap++;
      if (gap + 1 >= total || partition.size * 5 >= capacity * 4) {
        this.#enlarge(high);
        continue;
      }
      if (gap > slot) words.copyWithin(2 * slot + 2, 2 * slot, 2 * gap);
      words[2 * slot] = low;
      words[2 * slot + 1] = high;
      partition.size++;
      this.#size++;
      return true;
    }
  }

  /** Splits the partition of the key, or gives it a sixth more slots. */
  #enlarge(high: number): void {
    const leading = high >>> (32 - DIRECTORY_BITS);
    const index = this.#directory[leading];
    const { depth, size, capacity } = this.#partitions[index];
    const keys = keysOf(this.#partitions[index]);
    if (size < SPLIT_SIZE || depth === DIRECTORY_BITS) {
      this.#partitions[index] = build(keys, depth, capacity + Math.floor(capacity / 6) + 2);
      return;
    }
    const half = 1 << (31 - depth);
    let middle = 0;
    while (middle < keys.length && (keys[middle + 1] & half) === 0) middle += 2;
    const parts = [keys.subarray(0, middle), keys.subarray(middle)].map((part) => {
      const count = part.length / 2;
      return build(part, depth + 1, Math.max(MIN_CAPACITY, count + Math.floor(count / 4) + 2));
    });
    this.#partitions[index] = parts[0];
    this.#partitions.push(parts[1]);
    const span = DIRECTORY_SIZE >> depth;
    const first = Math.floor(leading / span) * span;
    this.#directory.fill(this.#partitions.length - 1, first + span / 2, first + span);
  }
}

/** An empty set with room for `expected` keys. */
export function createKeySet(expected = 0): EngineKeySet {
  return new KeySet(expected);
}
