/**
 * BloomFilter: a set that takes a fixed memory, never misses what was added, and takes what was not for
 * added at a rate chosen beforehand. Where a false "seen" loses a page, prefer UrlSet: it needs 12 bytes a
 * URL and errs 5e-12 of the time at 1e8.
 */
import { types } from 'node:util';
import { currentEngine } from '../backend.ts';
import type { BloomShape, Engine, EngineBloom } from '../engine.ts';
import { makeError } from '../errors.ts';
import { BLOCK, CheckedFile, writeCheckedFile } from '../storage/checked-file.ts';
import { corrupt } from '../storage/corrupt.ts';
import { doNow } from '../storage/steps.ts';
import {
  checkFingerprint,
  checkFingerprints,
  checkInteger,
  checkOptions,
  checkText,
  isArray,
  isObject,
  outOfRange,
  wrongType,
} from '../validate.ts';
import { BLOCK_BITS, blockedShape, countOf, MAX_HASHES, plainShape, rateOf } from './bloom-sizing.ts';
import { keysOfFingerprints } from './keys.ts';

const KIND = 'bloom-filter';
/** The bits of a file start at a multiple of this, so that any system can map them. */
const ALIGNMENT = 65536;
const MAX_BITS = 2 ** 53 - 512;

/** What a filter holds: text or bytes by their XXH3-64, or a 64-bit hash such as UrlSet.fingerprint gives. */
export type BloomItem = string | Uint8Array | bigint;

/** How forCount makes a filter. */
export interface BloomOptions {
  /** Keep the bits of an item within one cache line: faster, for 3 % more memory at a rate of 0.01, 8 % at 0.001, 34 % at 1e-6. */
  readonly blocked?: boolean;
}

function isShape(value: Record<string, unknown>): boolean {
  const { bits, hashes, blocked } = value;
  const inRange = (n: unknown, high: number) =>
    Number.isInteger(n) && (n as number) >= 1 && (n as number) <= high;
  if (!inRange(bits, MAX_BITS) || !inRange(hashes, MAX_HASHES) || typeof blocked !== 'boolean') return false;
  return !blocked || (bits as number) % BLOCK_BITS === 0;
}

export class BloomFilter {
  /** m, the number of bits. */
  readonly bits: number;
  /** k, the bits that an item sets. */
  readonly hashes: number;
  readonly blocked: boolean;
  readonly #engine: Engine;
  #bloom: EngineBloom | undefined;

  /** An empty filter of a given shape; forCount computes one. `engine` and `bloom` are for the package itself. */
  constructor(shape: BloomShape, engine: Engine = currentEngine(), bloom?: EngineBloom) {
    const { bits, hashes, blocked = false } = checkOptions('shape', shape, ['bits', 'hashes', 'blocked']);
    this.bits = checkInteger('shape.bits', bits, 1, MAX_BITS);
    this.hashes = checkInteger('shape.hashes', hashes, 1, MAX_HASHES);
    if (typeof blocked !== 'boolean') wrongType('shape.blocked', 'a boolean', blocked);
    if (blocked && bits % BLOCK_BITS !== 0) outOfRange('shape.bits', 'a multiple of 512 where blocked', bits);
    this.blocked = blocked;
    this.#engine = engine;
    this.#bloom = bloom ?? engine.createBloom({ bits, hashes, blocked });
  }

  /**
   * A filter for `count` items at a false-positive rate of `rate` once they are in: m = -n ln p / (ln 2)^2
   * bits, k = m / n ln 2 of them for an item. Blocked: the smallest whose own, higher rate is at most `rate`.
   *
   * @param count 1 to 2^53 - 1
   * @param rate over 0 and under 1
   */
  static forCount(
    count: number,
    rate: number,
    options?: BloomOptions,
    engine: Engine = currentEngine(),
  ): BloomFilter {
    checkInteger('count', count, 1, Number.MAX_SAFE_INTEGER);
    if (typeof rate !== 'number') wrongType('rate', 'a number', rate);
    if (!(rate > 0 && rate < 1)) outOfRange('rate', 'over 0 and under 1', rate);
    const { blocked = false } = checkOptions('options', options, ['blocked']);
    const shape = blocked ? blockedShape(count, rate) : plainShape(count, rate);
    if (shape.bits > MAX_BITS) {
      throw makeError('ERR_NEARDUP_OUT_OF_MEMORY', `a filter of ${shape.bits} bits is beyond any memory`);
    }
    return new BloomFilter(shape, engine);
  }

  /**
   * The filter that save() wrote. The native engine maps the file: bits are read when touched, and additions
   * stay in memory until saved. All bytes are checked first (ERR_NEARDUP_CORRUPT) unless `verify` is false.
   */
  static open(
    path: string,
    options?: { readonly verify?: boolean },
    engine: Engine = currentEngine(),
  ): BloomFilter {
    if (typeof path !== 'string') wrongType('path', 'a string', path);
    const { verify = true } = checkOptions('options', options, ['verify']);
    const file = new CheckedFile(path, KIND, engine);
    try {
      const { bits, hashes, blocked } = file.metadata;
      const shape = { bits, hashes, blocked } as BloomShape;
      if (!isShape({ bits, hashes, blocked }) || file.payloadLength !== 8 * Math.ceil(shape.bits / 64)) {
        throw corrupt(path, 'header', 'its metadata and the payload do not agree');
      }
      if (verify) for (const _ of file.blocks());
      return new BloomFilter(shape, engine, engine.mapBloom(shape, path, file.payloadOffset));
    } finally {
      file.close();
    }
  }

  /** Bytes of memory that the bits take. */
  get byteLength(): number {
    return 8 * Math.ceil(this.bits / 64);
  }

  get closed(): boolean {
    return this.#bloom === undefined;
  }

  /** Adds an item, testing for it in the same step; true where it was not held. */
  addIfNew(item: BloomItem): boolean {
    return this.addBatch([item])[0] === 1;
  }

  /** Whether an item may have been added: never false for one that was. */
  has(item: BloomItem): boolean {
    return this.hasBatch([item])[0] === 1;
  }

  /** Adds items in order; 1 where the item was not held (items earlier in the batch included), else 0. */
  addBatch(items: readonly BloomItem[] | BigUint64Array): Uint8Array {
    // Getters of the items may close the filter.
    const keys = this.#keysOf(items);
    return this.#open().addBatch(keys);
  }

  /** 1 where the item may have been added, 0 where it was not. */
  hasBatch(items: readonly BloomItem[] | BigUint64Array): Uint8Array {
    const keys = this.#keysOf(items);
    return this.#open().hasBatch(keys);
  }

  /** The rate of false positives once `count` items are in; by default as many as estimatedCount says. */
  falsePositiveRate(count: number = this.estimatedCount()): number {
    if (typeof count !== 'number') wrongType('count', 'a number', count);
    if (!(count >= 0)) outOfRange('count', '0 or more', count);
    return count === Number.POSITIVE_INFINITY ? 1 : rateOf(this, count);
  }

  /** How many different items were added, estimated from the bits set; infinite where all are. */
  estimatedCount(): number {
    return countOf(this, this.#open().countOnes());
  }

  /** Adds everything that `other`, of the same shape, holds. */
  union(other: BloomFilter): this {
    if (!isObject(other) || !(other instanceof BloomFilter)) wrongType('other', 'a BloomFilter', other);
    if (other.bits !== this.bits || other.hashes !== this.hashes || other.blocked !== this.blocked) {
      throw makeError(
        'ERR_NEARDUP_OUT_OF_RANGE',
        `a union needs one shape: ${describe(this)} here, ${describe(other)} there`,
      );
    }
    const bloom = this.#open();
    let at = 0;
    for (const chunk of other.#chunks()) {
      bloom.or(at, chunk);
      at += chunk.length;
    }
    return this;
  }

  /** Writes the filter to a file, in place of what was there, atomically and durably. */
  save(path: string): void {
    if (typeof path !== 'string') wrongType('path', 'a string', path);
    const { bits, hashes, blocked } = this;
    this.#open();
    const metadata = { kind: KIND, bits, hashes, blocked };
    doNow(writeCheckedFile(path, metadata, ALIGNMENT, this.#chunks(), this.#engine));
  }

  /** Gives the memory back. Calls after it throw ERR_NEARDUP_CLOSED. */
  close(): void {
    this.#bloom?.close();
    this.#bloom = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): EngineBloom {
    if (this.#bloom === undefined) throw makeError('ERR_NEARDUP_CLOSED', 'the Bloom filter is closed');
    return this.#bloom;
  }

  /** The bytes of the bits, in pieces that share a buffer. */
  *#chunks(): Generator<Uint8Array> {
    const buffer = new Uint8Array(Math.min(BLOCK, this.byteLength));
    for (let at = 0; at < this.byteLength; at += buffer.length) {
      const chunk = buffer.subarray(0, this.byteLength - at);
      this.#open().read(at, chunk);
      yield chunk;
    }
  }

  #keysOf(items: readonly BloomItem[] | BigUint64Array): BigUint64Array {
    if (types.isBigUint64Array(items)) return keysOfFingerprints(checkFingerprints('items', items));
    if (!isArray(items)) wrongType('items', 'an array or a BigUint64Array', items);
    // Each item is read once, holes too.
    const read = Array.from(items);
    if (read.every((item) => typeof item === 'string')) {
      return keysOfFingerprints(this.#engine.hashStrings(read as string[]));
    }
    return keysOfFingerprints(BigUint64Array.from(read, (item, i) => this.#hashOf(item, i)));
  }

  #hashOf(item: unknown, i: number): bigint {
    if (typeof item === 'string') return this.#engine.hashBytes(Buffer.from(item), 0n);
    if (types.isUint8Array(item))
      return this.#engine.hashBytes(checkText(`item ${i}`, item) as Uint8Array, 0n);
    if (typeof item !== 'bigint') wrongType(`item ${i}`, 'a string, a Uint8Array or a bigint', item);
    return checkFingerprint(`item ${i}`, item);
  }
}

function describe({ bits, hashes, blocked }: BloomFilter): string {
  return `${bits} bits, ${hashes} hashes${blocked ? ', blocked' : ''}`;
}
