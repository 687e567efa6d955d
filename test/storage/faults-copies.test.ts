/**
 * Calls of the file system fail, one after the other, while an index is copied, verified, repaired or read anew: the
 * error reaches the caller, what was stored is as it was, nothing half-made is taken for whole, and no file stays open.
 */
import fs, { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../lib/engine.ts';
import { NeardupError } from '../../lib/errors.ts';
import { HammingIndex } from '../../lib/index/hamming-index.ts';
import { repairIndex } from '../../lib/storage/repair.ts';
import { verifyIndex } from '../../lib/storage/verify.ts';
import { engines } from '../engines.ts';
import { make, numbersIn } from './changes.ts';
import { fastFolder } from './fast-folder.ts';
import { type Fault, Faults, openFilesIn } from './fs-faults.ts';

const folder = mkdtempSync(join(fastFolder, 'neardup-faults-'));
afterAll(() => rmSync(folder, { recursive: true }));
let made = 0;
const place = () => join(folder, `index-${made++}`);
const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const otherThan = (engine: Engine) => engines.find((each) => each !== engine) ?? engine;

/** One call, and each call from one on. */
const CASES = [
  { fault: 'EIO', span: 1, step: 1 },
  { fault: 'EACCES', span: 1, step: 1 },
  { fault: 'EIO', span: Number.POSITIVE_INFINITY, step: 3 },
] as const;

/** What a call gives, or the error of the system that it fails with. */
async function outcome<T>(faults: Faults, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await faults.during(call);
  } catch (error) {
    // A defect would be an error of another kind, or without its cause.
    if (!(error instanceof NeardupError) || error.code !== 'ERR_NEARDUP_IO') throw error;
    expect(error.cause).toMatchObject({ code: faults.fault });
    return undefined;
  }
}

/** Tries all calls of all cases, until none is left to fail. */
async function eachFault(attempt: (faults: Faults, where: string) => Promise<void>): Promise<void> {
  for (const { fault, span, step } of CASES) {
    for (let at = 0; ; at += step) {
      const faults = new Faults(at, fault as Fault, span);
      await attempt(faults, `${fault} at call ${at}, ${span} times`);
      if (faults.failed > 0) continue;
      expect(at).toBeGreaterThan(5);
      break;
    }
  }
}

/** An index with two segments, removals from both, and a log. */
async function makeIndex(engine: Engine): Promise<string> {
  const path = place();
  const index = await HammingIndex.open(path, { times: true }, engine);
  await make(index, { kind: 'load', numbers: range(0, 600) });
  await make(index, { kind: 'addBatch', numbers: range(1000, 50) });
  await make(index, { kind: 'checkpoint' });
  await make(index, { kind: 'removeBatch', numbers: [...range(0, 20), ...range(1000, 5)] });
  await make(index, { kind: 'checkpoint' });
  for (const n of range(2000, 10)) await make(index, { kind: 'add', numbers: [n] });
  index.close();
  return path;
}

async function numbersAt(path: string, engine: Engine): Promise<string> {
  const index = await HammingIndex.open(path, { readOnly: true }, engine);
  try {
    return (await numbersIn(index)).join();
  } finally {
    index.close();
  }
}

/** The bytes of all files but the lock. */
function filesOf(path: string): Map<string, string> {
  const names = readdirSync(path).filter((name) => !name.startsWith('LOCK'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(path, name), 'latin1')]));
}

describe.each(engines)('$backend engine', { timeout: 0 }, (engine) => {
  test('snapshots', async () => {
    const path = await makeIndex(engine);
    const expected = await numbersAt(path, engine);
    const index = await HammingIndex.open(path, {}, engine);
    await index.checkpoint();
    const open = openFilesIn(path);
    await eachFault(async (faults, where) => {
      const target = place();
      await outcome(faults, () => index.snapshot(target));
      expect((await numbersIn(index)).join(), where).toBe(expected);
      // What is there is all of it or no index.
      if (fs.existsSync(join(target, 'MANIFEST'))) {
        const problems = await verifyIndex(target, engine);
        // For the backup nothing is promised.
        expect(
          problems.filter(({ file }) => !file.endsWith('.backup')),
          where,
        ).toEqual([]);
        expect(await numbersAt(target, otherThan(engine)), where).toBe(expected);
      } else {
        const opening = HammingIndex.open(target, { create: false }, engine);
        await expect(opening, where).rejects.toMatchObject({ code: /BAD_INPUT|CORRUPT/ });
      }
      expect(openFilesIn(target), where).toEqual([]);
      rmSync(target, { recursive: true, force: true });
      await index.flush();
      expect(openFilesIn(path).length, where).toBe(open.length);
    });
    await index.checkpoint();
    expect(await index.verify()).toEqual([]);
    index.close();
    expect(await numbersAt(path, otherThan(engine))).toBe(expected);
  });

  test('verifying', async () => {
    const path = await makeIndex(engine);
    const before = filesOf(path);
    const reader = await HammingIndex.open(path, { readOnly: true }, engine);
    for (const verify of [() => verifyIndex(path, engine), () => reader.verify()]) {
      await eachFault(async (faults, where) => {
        const problems = await outcome(faults, verify);
        if (faults.failed > 0) expect(problems, where).not.toEqual([]);
        else expect(problems, where).toEqual([]);
        expect(openFilesIn(path), where).toEqual([]);
      });
    }
    reader.close();
    const writer = await HammingIndex.open(path, {}, engine);
    const open = openFilesIn(path);
    await eachFault(async (faults, where) => {
      const problems = await outcome(faults, () => writer.verify());
      if (faults.failed === 0 || faults.span > 1) expect(problems?.length === 0).toBe(faults.failed === 0);
      expect(openFilesIn(path), where).toEqual(open);
    });
    writer.close();
    expect(filesOf(path)).toEqual(before);
    expect(await verifyIndex(path, otherThan(engine))).toEqual([]);
  });

  test('repairing', async () => {
    const path = await makeIndex(engine);
    // A block of a segment, and the end of the log.
    const files = filesOf(path);
    const segment = [...files.keys()].find((name) => name.startsWith('segment-')) as string;
    const log = [...files.keys()].find((name) => name.startsWith('log-')) as string;
    for (const [name, damage] of [
      [segment, (bytes: Buffer) => bytes.fill(7, 4096 + 900, 4096 + 910)],
      [log, (bytes: Buffer) => bytes.subarray(0, -3)],
    ] as const) {
      writeFileSync(join(path, name), damage(readFileSync(join(path, name))));
    }
    const damaged = filesOf(path);
    const copied = () => {
      const copy = place();
      cpSync(path, copy, { recursive: true });
      return copy;
    };
    const reference = copied();
    const { entries, dropped } = await repairIndex(reference, engine);
    const expected = await numbersAt(reference, engine);
    await eachFault(async (faults, where) => {
      const copy = copied();
      const repaired = await outcome(faults, () => repairIndex(copy, engine));
      if (repaired === undefined) {
        const left = filesOf(copy);
        for (const [name, bytes] of damaged) {
          // The manifest may be the new one, where it could not be made durable: then all that it names is there.
          if (!name.startsWith('MANIFEST')) expect(left.get(name) === bytes, `${where}: ${name}`).toBe(true);
        }
        expect((await repairIndex(copy, engine)).entries, where).toBe(entries);
      } else {
        expect([repaired.entries, repaired.dropped.length], where).toEqual([entries, dropped.length]);
      }
      expect(await numbersAt(copy, otherThan(engine)), where).toBe(expected);
      expect(openFilesIn(copy), where).toEqual([]);
      rmSync(copy, { recursive: true });
    });
  });

  test.each(['the log is longer', 'there are new files'])('reading anew, where %s', async (what) => {
    const path = await makeIndex(engine);
    const writer = await HammingIndex.open(path, {}, engine);
    let next = 3000;
    await eachFault(async (faults, where) => {
      const reader = await HammingIndex.open(path, { readOnly: true }, engine);
      const before = await numbersIn(reader);
      await make(writer, { kind: 'addBatch', numbers: range(next++, 1) });
      if (what !== 'the log is longer') await writer.checkpoint();
      const after = await numbersIn(writer);
      const open = openFilesIn(path);
      const isNew = await outcome(faults, () => reader.refresh());
      expect(openFilesIn(path), where).toEqual(open);
      // A log is applied as it is read.
      const allowed = isNew === true ? [after] : [before, after];
      expect(
        allowed.map((list) => list.join()),
        where,
      ).toContain((await numbersIn(reader)).join());
      if (isNew === undefined) expect(await reader.refresh(), where).toBe(true);
      expect((await numbersIn(reader)).join(), where).toBe(after.join());
      reader.close();
    });
    const expected = (await numbersIn(writer)).join();
    writer.close();
    expect(await numbersAt(path, otherThan(engine))).toBe(expected);
  });
});
