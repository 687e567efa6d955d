/**
 * Revoked proxies, which have no exception of their own to let through: as each argument, and as each property that
 * a call reads of one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import * as html from '../../lib/html/index.ts';
import * as api from '../../lib/index.ts';
import { makeCalls } from './calls.ts';

const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'neardup-revoked-'));
process.chdir(folder);
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

const TARGETS: Record<string, () => object> = {
  object: () => ({}),
  array: () => [],
  function: () => () => 1,
  'typed array': () => new BigUint64Array(3),
};

/** Calls that await what they get of a list. */
const AWAITED = new Set(['dedup', 'HammingIndex.load', 'fingerprints']);

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** A plain object or array; others are the package's own, or have internal parts. */
function isPlain(value: unknown): value is Record<string, unknown> {
  const of = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  return of === Object.prototype || of === Array.prototype;
}

function put(args: readonly unknown[], place: number, value: unknown): unknown[] {
  return args.map((arg, at) => (at === place ? value : arg));
}

async function finish(value: unknown): Promise<void> {
  const settled = await value;
  if (typeof settled !== 'object' || settled === null || !(Symbol.asyncIterator in settled)) return;
  for await (const _ of settled as AsyncIterable<unknown>);
}

/** The properties that a call reads of one of its arguments, those that it has not included. */
async function namesRead(
  call: (...args: unknown[]) => unknown,
  args: unknown[],
  place: number,
): Promise<string[]> {
  const names = new Set<string>();
  const watched = new Proxy(args[place] as object, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && !/^(length|constructor|then|toJSON)$/.test(key)) names.add(key);
      return Reflect.get(target, key, receiver);
    },
  });
  try {
    await finish(call(...put(args, place, watched)));
  } catch (error) {
    // Recipes are known by what they are, not by what they have.
    if (!(error instanceof api.NeardupError)) throw error;
  }
  return [...names];
}

it.each(makeCalls(api, html).map((each) => [each.name, each] as const))(
  '%s',
  async (callName, { args, call }) => {
    const wrong: string[] = [];
    const refuse = async (what: string, given: unknown[]): Promise<void> => {
      try {
        await finish(call(...given));
      } catch (error) {
        if (!(error instanceof api.NeardupError)) wrong.push(`${what}: ${String(error)}`);
      }
    };
    for (const place of args.keys()) {
      for (const [kind, make] of Object.entries(TARGETS)) {
        const given = args.map((good) => good());
        await refuse(`argument ${place}, ${kind}`, put(given, place, revoked(make())));
        const good = given[place];
        if (!isPlain(good)) continue;
        // `for await` itself looks into the elements of a list.
        if (Array.isArray(good) && AWAITED.has(callName)) continue;
        for (const name of await namesRead(
          call,
          args.map((good) => good()),
          place,
        )) {
          const fresh = args.map((good) => good());
          const changed = Array.isArray(good) ? [...good] : { ...good };
          await refuse(
            `${name} of argument ${place}, ${kind}`,
            put(fresh, place, Object.assign(changed, { [name]: revoked(make()) })),
          );
        }
      }
    }
    expect(wrong).toEqual([]);
  },
);
