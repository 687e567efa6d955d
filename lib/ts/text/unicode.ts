/**
 * What a code point is, from tables of one pinned Unicode version, so that no platform's Unicode data
 * changes a fingerprint. The twin of native/core/text/unicode. The tables are unpacked at load.
 */
import { DECOMPOSITIONS, FULL_FOLDS, RECORDS, RUNS, UNICODE_VERSION } from './unicode-tables.generated.ts';

export { UNICODE_VERSION };

export const REPLACEMENT = 0xfffd;
const LIMIT = 0x110000;

// Flags of a code point.
/** A letter, mark or number of a script with spaces between words. */
export const WORD = 1;
/** A letter, mark or number of Han, Hiragana, Katakana, Thai, Lao, Khmer or Myanmar. */
export const SPACELESS = 2;
/** Default_Ignorable_Code_Point: dropped. */
export const IGNORABLE = 4;
/** Combining class 0 and NFC_Quick_Check Yes: normalizes independently of what precedes it. */
export const BOUNDARY = 8;
/** NFC_Quick_Check is No or Maybe. */
export const NFC_CHECK = 16;
/** Folds to more than one code point (`fullFold`). */
export const FULL_FOLD = 32;

/** Numbers >= 0 packed as base-128 varints in base64. */
function unpack(packed: string): number[] {
  const values: number[] = [];
  let value = 0;
  let scale = 1;
  for (const byte of Buffer.from(packed, 'base64')) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte < 128) {
      values.push(value);
      value = 0;
      scale = 1;
    }
  }
  return values;
}

const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

const records = unpack(RECORDS);
const foldDeltas = Int32Array.from({ length: records.length / 3 }, (_, i) => unzigzag(records[3 * i]));
const classes = Uint8Array.from({ length: records.length / 3 }, (_, i) => records[3 * i + 1]);
const flagBytes = Uint8Array.from({ length: records.length / 3 }, (_, i) => records[3 * i + 2]);

const BLOCK_BITS = 8;
const BLOCK = 1 << BLOCK_BITS;
const stage1 = new Uint16Array(LIMIT >> BLOCK_BITS);

/** Blocks of one record throughout are shared; stage1 finds a code point's block. */
function buildStage2(): Uint8Array {
  const runs = unpack(RUNS);
  const blocks: Uint8Array[] = [];
  const uniform = new Map<number, number>();
  let run = 0;
  let runEnd = runs[0];
  for (let start = 0; start < LIMIT; start += BLOCK) {
    if (runEnd >= start + BLOCK && uniform.has(runs[run + 1])) {
      stage1[start >> BLOCK_BITS] = uniform.get(runs[run + 1]) as number;
    } else {
      if (runEnd >= start + BLOCK) uniform.set(runs[run + 1], blocks.length);
      stage1[start >> BLOCK_BITS] = blocks.length;
      const block = new Uint8Array(BLOCK);
      let at = start;
      while (runEnd < start + BLOCK) {
        block.fill(runs[run + 1], at - start, runEnd - start);
        at = runEnd;
        run += 2;
        runEnd += runs[run];
      }
      block.fill(runs[run + 1], at - start);
      blocks.push(block);
    }
    if (runEnd === start + BLOCK && run + 2 < runs.length) {
      run += 2;
      runEnd += runs[run];
    }
  }
  const out = new Uint8Array(blocks.length * BLOCK);
  for (const [i, block] of blocks.entries()) out.set(block, i * BLOCK);
  return out;
}

const stage2 = buildStage2();

/** The record number of a code point (at most U+10FFFF); `flagsOf` and its siblings take it. */
export function recordOf(codePoint: number): number {
  return stage2[(stage1[codePoint >> BLOCK_BITS] << BLOCK_BITS) | (codePoint & (BLOCK - 1))];
}

export function flagsOf(record: number): number {
  return flagBytes[record];
}

/** Canonical combining class. */
export function combiningClassOf(record: number): number {
  return classes[record];
}

/** Folded code point less the code point; 0 where FULL_FOLD is set. */
export function foldDeltaOf(record: number): number {
  return foldDeltas[record];
}

const fullFolds = new Map<number, readonly number[]>();
const decompositions = new Map<number, readonly number[]>();
const composites = new Map<number, number>();

function unpackMappings(): void {
  const folds = unpack(FULL_FOLDS);
  for (let i = 0, codePoint = 0; i < folds.length; i += 4) {
    codePoint += folds[i];
    fullFolds.set(
      codePoint,
      folds.slice(i + 1, i + 4).filter((folded) => folded !== 0),
    );
  }
  const rows = unpack(DECOMPOSITIONS);
  for (let i = 0, codePoint = 0; i < rows.length; i += 4) {
    codePoint += rows[i];
    const first = codePoint + unzigzag(rows[i + 1]);
    const second = rows[i + 2];
    decompositions.set(codePoint, second === 0 ? [first] : [first, second]);
    if (second !== 0 && rows[i + 3] === 0) composites.set(first * LIMIT + second, codePoint);
  }
}

unpackMappings();

/** The full folding of a code point with FULL_FOLD. */
export function fullFold(codePoint: number): readonly number[] {
  return fullFolds.get(codePoint) as readonly number[];
}

/** The canonical mapping of a code point to one or two others, Hangul syllables excepted. */
export function decompositionOf(codePoint: number): readonly number[] | undefined {
  return decompositions.get(codePoint);
}

/** The primary composite of a pair, Hangul excepted; 0 when there is none. */
export function compositeOf(first: number, second: number): number {
  return composites.get(first * LIMIT + second) ?? 0;
}
