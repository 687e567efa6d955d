/** Reads one line of JSON Lines as a document: `{id, text}` by field paths, or says why it cannot be. */
import { isUtf8 } from 'node:buffer';
import type { DedupDocument } from '../dedup/decision.ts';
import { MAX_ID } from '../validate.ts';
import { printable } from './failure.ts';

/** Which fields hold what. A path is a field name, or names joined by dots: `meta.id`, `parts.0.text`. */
export interface RecordFields {
  readonly text: string;
  /** Undefined: the number of the line is the id. */
  readonly id: string | undefined;
}

/** What a line is: a document, nothing but white space, or unusable for a reason. */
export type Line =
  | { readonly kind: 'document'; readonly document: DedupDocument }
  | { readonly kind: 'blank' }
  | { readonly kind: 'bad'; readonly reason: string };

/** A reader of lines with the given fields. `line` is the number of the line, from 1. */
export function createLineReader(fields: RecordFields): (bytes: Buffer, line: number) => Line {
  const readText = pathReader(fields.text);
  const readId = fields.id === undefined ? undefined : pathReader(fields.id);
  return (bytes, line) => {
    if (!isUtf8(bytes)) return bad('not valid UTF-8');
    // A byte order mark may open the file; trimming removes it, as it does CR and LF.
    const source = line === 1 ? bytes.toString().trimStart() : bytes.toString();
    let record: unknown;
    try {
      record = JSON.parse(source);
    } catch (error) {
      if (source.trim() === '') return { kind: 'blank' };
      return bad(`not valid JSON: ${printable((error as Error).message)}`);
    }
    if (typeof record !== 'object' || record === null) return bad('not a JSON object');
    const text = readText(record);
    if (typeof text !== 'string') return bad(fieldProblem(fields.text, text, 'a string'));
    const id = readId === undefined ? line : readId(record);
    if (typeof id !== 'string' && !isId(id)) return bad(idProblem(fields.id as string, id));
    return { kind: 'document', document: { id, text } };
  };
}

function bad(reason: string): Line {
  return { kind: 'bad', reason };
}

function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_ID;
}

function idProblem(path: string, value: unknown): string {
  if (typeof value !== 'number') return fieldProblem(path, value, 'a string or an integer');
  const problem = value > MAX_ID ? 'above 2^53 - 1, where digits get lost' : 'not an integer of 0 or more';
  return `field ${JSON.stringify(path)} is ${problem}; write it as a string`;
}

function fieldProblem(path: string, value: unknown, expected: string): string {
  if (value === undefined) return `no field ${JSON.stringify(path)}`;
  const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return `field ${JSON.stringify(path)} is ${type.replace('a object', 'an object')}, not ${expected}`;
}

/** Reads a path. A field whose own name is the whole path, dots included, goes first. */
function pathReader(path: string): (record: object) => unknown {
  const names = path.split('.');
  return (record) => {
    if (Object.hasOwn(record, path)) return (record as Record<string, unknown>)[path];
    let value: unknown = record;
    for (const name of names) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
      value = (value as Record<string, unknown>)[name];
    }
    return value;
  };
}
