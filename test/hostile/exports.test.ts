/**
 * Every exported function, constructor and method gets every hostile value in every place of its arguments, on
 * each engine: it answers, or throws a NeardupError, and both engines give the same answer or error. (What a
 * hostile object throws when touched, what the operating system says of a path, and Node's own errors of its
 * stream classes pass through.)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { nativeEngine } from '../engines.ts';
import { makeCalls } from './calls.ts';
import { hostileValues, TrapError } from './values.ts';

/** The package as it is loaded with a backend, and a folder to work in. */
async function load(backend: string) {
  vi.resetModules();
  vi.stubEnv('NEARDUP_BACKEND', backend);
  const [api, html] = [await import('../../lib/index.ts'), await import('../../lib/html/index.ts')];
  // The engine is chosen on first use.
  expect(api.backendInfo().backend).toBe(backend);
  vi.unstubAllEnvs();
  const folder = mkdtempSync(join(tmpdir(), `neardup-hostile-${backend}-`));
  return { backend, api, html, calls: makeCalls(api, html), folder };
}

const first = await load('js');
const packages = nativeEngine === undefined ? [first] : [first, await load('native')];
const { api, html, calls } = first;

const home = process.cwd();

afterAll(() => {
  process.chdir(home);
  for (const { folder } of packages) rmSync(folder, { recursive: true, force: true });
});

/** A name for an error that may come out of a call that got a hostile value; undefined for others. */
function nameError(error: unknown): string | undefined {
  if (error instanceof TrapError) return 'what the value threw';
  // So does what has the iterator of an array and is none.
  if (/this is not a typed array|values on a detached/.test(String(error))) return 'what the value threw';
  const { code } = error as NodeJS.ErrnoException;
  // The operating system's (ENOENT and so on), or Node's own check of a path or of an abort.
  const isKnown = error instanceof api.NeardupError || /^(E[A-Z]+|ERR_INVALID_ARG_VALUE)$/.test(String(code));
  return isKnown ? code : undefined;
}

async function consume(value: unknown): Promise<unknown> {
  const settled = await value;
  if (typeof settled !== 'object' || settled === null || !(Symbol.asyncIterator in settled)) return settled;
  const items: unknown[] = [];
  for await (const item of settled as AsyncIterable<unknown>) items.push(item);
  return items;
}

/** What a call gives: its value, or the name of its error. */
async function outcome(call: () => unknown): Promise<string> {
  try {
    return inspect(await consume(call()), { depth: 8, maxArrayLength: null });
  } catch (error) {
    const name = nameError(error);
    if (name !== undefined) return `throws: ${name}`;
    throw error;
  }
}

/** Outcomes of a call on each engine, with a hostile value in one place. */
async function attack(at: number, place: number, hostile: string, make?: () => unknown): Promise<string[]> {
  const outcomes: string[] = [];
  for (const { calls, backend, folder } of packages) {
    process.chdir(folder);
    const { name, args, call } = calls[at] as (typeof calls)[number];
    const given = args.map((good, k) => (k === place && make !== undefined ? make() : good()));
    try {
      outcomes.push(await outcome(() => call(...given)));
    } catch (error) {
      throw new Error(`${name}: ${hostile} as argument ${place} gave ${String(error)} (${backend})`, {
        cause: error,
      });
    }
  }
  return outcomes;
}

describe('hostile arguments', () => {
  it.each(calls.map((call, at) => [call.name, at] as const))('%s', async (name, at) => {
    const tries: [number, string, (() => unknown) | undefined][] = [[0, 'nothing hostile', undefined]];
    for (const place of (calls[at]?.args ?? []).keys()) {
      for (const [hostile, make] of hostileValues) tries.push([place, hostile, make]);
    }
    for (const [place, hostile, make] of tries) {
      const [js, native = js] = await attack(at, place, hostile, make);
      // backendInfo says itself which engine it is.
      if (name !== 'backendInfo') expect(native, `${hostile} as argument ${place}`).toBe(js);
    }
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
