/**
 * Entries as JSON Lines: {"fingerprint":"00c0ffee00c0ffee","id":7}, and as far as there are columns "time", "tag",
 * "secondFingerprint". Fingerprints are written in 16 hexadecimal digits, as JSON numbers hold no 64 bits.
 */
import type { EntryBatch, IndexColumns } from '../engine.ts';
import type { LoadBatch } from '../index/options.ts';
import { MAX_ID } from '../validate.ts';
import { Failure, printable } from './failure.ts';

const MAX_TAG = 0xffff_ffff;

function hex(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}

/** The lines of some entries. */
export function entryLines({ fingerprints, ids, times, tags, secondFingerprints }: EntryBatch): string {
  let text = '';
  for (let i = 0; i < ids.length; i++) {
    text += `{"fingerprint":"${hex(fingerprints[i] as bigint)}","id":${ids[i]}`;
    if (times !== undefined) text += `,"time":${times[i]}`;
    if (tags !== undefined) text += `,"tag":${tags[i]}`;
    if (secondFingerprints !== undefined)
      text += `,"secondFingerprint":"${hex(secondFingerprints[i] as bigint)}"`;
    text += '}\n';
  }
  return text;
}

/** Collects lines as batches. */
export class EntryLineReader {
  #fingerprints: bigint[] = [];
  #ids: number[] = [];
  #times: number[] = [];
  #tags: number[] = [];
  #secondFingerprints: bigint[] = [];

  constructor(readonly columns: IndexColumns) {}

  get count(): number {
    return this.#ids.length;
  }

  /** Takes a line; `where` tells which, for messages. Throws a Failure for what is no entry with these columns. */
  push(line: string, where: () => string): void {
    const record = parse(line, where);
    const { time, tag, second } = this.columns;
    this.#fingerprints.push(fingerprintOf(record, 'fingerprint', where));
    this.#ids.push(integerOf(record, 'id', MAX_ID, where));
    if (time) this.#times.push(integerOf(record, 'time', MAX_ID, where));
    if (tag) this.#tags.push(integerOf(record, 'tag', MAX_TAG, where));
    if (second) this.#secondFingerprints.push(fingerprintOf(record, 'secondFingerprint', where));
    for (const [name, isColumn] of [
      ['time', time],
      ['tag', tag],
      ['secondFingerprint', second],
    ] as const) {
      if (record[name] === undefined || isColumn) continue;
      throw new Failure(`${where()} has the field "${name}", which the index has no column for`);
    }
  }

  /** What was collected; begins anew. */
  take(): LoadBatch {
    const { time, tag, second } = this.columns;
    const batch = {
      fingerprints: BigUint64Array.from(this.#fingerprints),
      ids: Float64Array.from(this.#ids),
      times: time ? Float64Array.from(this.#times) : undefined,
      tags: tag ? Uint32Array.from(this.#tags) : undefined,
      secondFingerprints: second ? BigUint64Array.from(this.#secondFingerprints) : undefined,
    };
    this.#fingerprints = [];
    this.#ids = [];
    this.#times = [];
    this.#tags = [];
    this.#secondFingerprints = [];
    return batch;
  }
}

function parse(line: string, where: () => string): Record<string, unknown> {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (error) {
    throw new Failure(`${where()} is not valid JSON: ${printable((error as Error).message)}`);
  }
  if (typeof record === 'object' && record !== null && !Array.isArray(record)) {
    return record as Record<string, unknown>;
  }
  throw new Failure(`${where()} is not a JSON object`);
}

function fingerprintOf(record: Record<string, unknown>, name: string, where: () => string): bigint {
  const value = record[name];
  if (typeof value === 'string' && /^[0-9a-f]{1,16}$/i.test(value)) return BigInt(`0x${value}`);
  throw new Failure(
    `${where()}: the field ${JSON.stringify(name)} must be up to 16 hexadecimal digits in quotes`,
  );
}

function integerOf(record: Record<string, unknown>, name: string, most: number, where: () => string): number {
  const value = record[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new Failure(`${where()}: the field ${JSON.stringify(name)} must be an integer from 0 to ${most}`);
}
