/**
 * Every exported function, constructor and method gets every hostile value in every place of its arguments: it
 * answers, or throws a NeardupError. (What a hostile object throws when touched, what the operating system says
 * of a path, and Node's own errors of its stream classes pass through.)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as html from '../../lib/html/index.ts';
import * as api from '../../lib/index.ts';
import { type Call, calls } from './calls.ts';
import { hostileValues, TrapError } from './values.ts';

const home = process.cwd();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'neardup-hostile-'));
  process.chdir(folder);
});

afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

/** What may come out of a call that got a hostile value. */
function isExpected(error: unknown): boolean {
  if (error instanceof api.NeardupError || error instanceof TrapError) return true;
  // A revoked proxy, and the iterator of what is no array any more, say so themselves.
  if (/proxy that has been revoked|this is not a typed array|values on a detached/.test(String(error)))
    return true;
  const { code } = error as NodeJS.ErrnoException;
  // The operating system's (ENOENT and so on), or Node's own check of a path or of an abort.
  return /^(E[A-Z]+|ERR_INVALID_ARG_VALUE)$/.test(String(code));
}

async function consume(value: unknown): Promise<void> {
  const settled = await value;
  if (typeof settled !== 'object' || settled === null || !(Symbol.asyncIterator in settled)) return;
  for await (const _ of settled as AsyncIterable<unknown>) break;
}

async function attack({ name, args, call }: Call): Promise<void> {
  await consume(call(...args.map((make) => make())));
  for (let place = 0; place < args.length; place++) {
    for (const [hostile, make] of hostileValues) {
      const given = args.map((good, i) => (i === place ? make() : good()));
      try {
        await consume(call(...given));
      } catch (error) {
        if (!isExpected(error)) {
          throw new Error(`${name}: ${hostile} as argument ${place} gave ${String(error)}`, { cause: error });
        }
      }
    }
  }
}

describe('hostile arguments', () => {
  it.each(calls.map((call) => [call.name, call] as const))('%s', async (_, call) => {
    await attack(call);
  });

  it('are thrown at every exported function and class', () => {
    const functions = Object.entries({ ...api, ...html })
      .filter(([name, value]) => typeof value === 'function' && name !== 'NeardupError')
      .map(([name]) => name);
    const attacked = new Set(calls.map(({ name }) => name.split('.', 1)[0]));
    expect(functions.filter((name) => !attacked.has(name))).toEqual([]);
  });

  it('are thrown at every method of the exported classes', () => {
    const attacked = new Set(calls.map(({ name }) => name));
    const methods = Object.entries({ ...api, ...html }).flatMap(([name, value]) => {
      if (typeof value !== 'function' || value.prototype === undefined || name === 'NeardupError') return [];
      return Object.entries(Object.getOwnPropertyDescriptors(value.prototype))
        .filter(
          ([key, { value: method }]) =>
            key !== 'constructor' && typeof method === 'function' && method.length > 0,
        )
        .map(([key]) => `${name}.${key}`);
    });
    const ofStream = new Set(['DedupStream._transform', 'DedupStream._destroy', 'DedupStream._flush']);
    expect(methods.filter((name) => !attacked.has(name) && !ofStream.has(name))).toEqual([]);
  });
});
