/**
 * Targets of the fuzzer: readers of files as they come from a disk. Each takes the bytes of a file and returns a number
 * that stands for what became of it. Refusing is fine, with an error of the package that names the file; everything
 * else that is thrown is a finding. Checksums keep changed bytes from the code behind them, so each input is read as
 * it is, and once more with its checksums made right.
 */
import { ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NeardupError } from '../../lib/errors.ts';
import { crc32 } from '../../lib/storage/crc32.ts';
import {
  END_MARK,
  LOG_HEADER,
  RECORD_HEAD,
  RECORD_TAIL,
  seedOf,
  WORDS_MASK,
} from '../../lib/storage/log-format.ts';
import { LogReader } from '../../lib/storage/log-reader.ts';
import { readManifest } from '../../lib/storage/manifest.ts';
import { MANIFEST } from '../../lib/storage/names.ts';
import { tsEngine } from '../../lib/ts/engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'neardup-fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A small number for a text, the same for texts that differ in their digits only. */
function outcomeOf(text: string): number {
  let hash = 7;
  for (const letter of text.replaceAll(/[0-9a-f]{8,}|\d+/g, '#')) {
    hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  }
  return hash % 4096;
}

/** What reading comes to; anything but an error of the package that names the file is thrown on. */
function outcome(path: string, read: () => string): number {
  try {
    return outcomeOf(read());
  } catch (error) {
    if (!(error instanceof NeardupError) || !error.message.includes(path)) throw error;
    return outcomeOf(error.message);
  }
}

/** A file to be read; it is written in place, as file systems take their time with files made anew. */
function inputFile(name: string): { readonly path: string; put(bytes: Uint8Array): void } {
  const path = join(folder, name);
  const file = openSync(path, 'w+');
  return {
    path,
    put: (bytes) => {
      writeSync(file, bytes, 0, bytes.length, 0);
      ftruncateSync(file, bytes.length);
    },
  };
}

const log = inputFile('log-1');
const manifest = inputFile(MANIFEST);

function readLog(bytes: Uint8Array): number {
  log.put(bytes);
  return outcome(log.path, () => {
    const reader = new LogReader(log.path);
    try {
      let kinds = 0;
      while (reader.next()) {
        kinds |= 1 << reader.kind;
        if (reader.position > bytes.length) throw new Error('a record ends after its file');
        // Its columns are within what was read.
        if (reader.count > 0 && reader.longs[reader.at / 8] === undefined) throw new Error('no columns');
      }
      return `${kinds} ${reader.torn}`;
    } finally {
      reader.close();
    }
  });
}

/** The same log with every check made right, as far as lengths allow. */
function mendLog(bytes: Buffer): Buffer {
  const mended = Buffer.from(bytes);
  if (mended.length < LOG_HEADER) return mended;
  mended.write('NEARDUPL', 'latin1');
  mended.writeUInt32LE(1, 8);
  mended.writeUInt32LE(0x01020304, 12);
  const salt = crc32(mended, 0, 60, 0);
  mended.writeUInt32LE(salt, 60);
  for (let at = LOG_HEADER; at + RECORD_HEAD + RECORD_TAIL <= mended.length; ) {
    const head = mended.readUInt32LE(at);
    const end = at + RECORD_HEAD + 8 * (head & WORDS_MASK);
    mended.writeUInt32LE(crc32(mended, at, at + 4, seedOf(salt, at)), at + 4);
    if (end + RECORD_TAIL > mended.length) break;
    mended.writeUInt32LE(crc32(mended, at + RECORD_HEAD, end, seedOf(salt, at)), end);
    mended.writeUInt32LE(END_MARK, end + 4);
    at = end + RECORD_TAIL;
  }
  return mended;
}

function readAsManifest(bytes: Uint8Array): number {
  manifest.put(bytes);
  return outcome(manifest.path, () => {
    const read = readManifest(folder, tsEngine);
    return `${read?.segments.length} ${read?.logs.length}`;
  });
}

/** The same line with its checksum. */
function mendManifest(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0x0a);
  const line = Buffer.from(bytes.toString('utf8', 0, end < 0 ? bytes.length : end));
  const checksum = tsEngine.hashBytes(line, 0n).toString(16).padStart(16, '0');
  return Buffer.concat([line, Buffer.from(`\n${checksum}\n`)]);
}

/** By name; two outcomes of one input make one number. */
export const targets = {
  log: (bytes: Buffer) => readLog(bytes) ^ (31 * readLog(mendLog(bytes))),
  manifest: (bytes: Buffer) => readAsManifest(bytes) ^ (31 * readAsManifest(mendManifest(bytes))),
};
