// Generates the Unicode tables of both engines from the Unicode Character Database. Run it only to move to
// another version: the tables decide what a fingerprint is, so a new version is a new recipe version.
//
//   node scripts/generate-unicode.mjs [folder of the UCD, /usr/share/unicode by default]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const VERSION = '15.0.0';
const ucd = process.argv[2] ?? '/usr/share/unicode';
const root = fileURLToPath(new URL('..', import.meta.url));
const LIMIT = 0x110000;
const SPACELESS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const SPACELESS_SHORT = ['Hani', 'Hira', 'Kana', 'Thai', 'Laoo', 'Khmr', 'Mymr'];

// Flags of a record; native/core/text/unicode.h and lib/ts/text/unicode.ts name the same bits.
const WORD = 1;
const SPACELESS_CLASS = 2;
const IGNORABLE = 4;
const BOUNDARY = 8;
const NFC_CHECK = 16;
const FULL_FOLD = 32;

function check(condition, message) {
  if (!condition) throw new Error(message);
}

// [first, last, field, ...] of each line of a UCD file.
function lines(file) {
  const text = readFileSync(`${ucd}/${file}`, 'utf8');
  check(
    !/^# \w+-\d/.test(text) || text.startsWith(`# ${file.replace(/.*\//, '').slice(0, -4)}-${VERSION}`),
    file,
  );
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [range, ...fields] = line.split(';').map((field) => field.trim());
      const [first, last] = range.split('..').map((hex) => Number.parseInt(hex, 16));
      return [first, last ?? first, ...fields];
    });
}

const codePoints = (field) => field.split(' ').map((hex) => Number.parseInt(hex, 16));
const flags = new Uint8Array(LIMIT);
const ccc = new Uint8Array(LIMIT);
const foldDelta = new Int32Array(LIMIT);

function forRanges(rows, body) {
  for (const [first, last, ...fields] of rows) {
    for (let cp = first; cp <= last; cp++) body(cp, ...fields);
  }
}

forRanges(lines('extracted/DerivedGeneralCategory.txt'), (cp, category) => {
  if ('LMN'.includes(category[0])) flags[cp] |= WORD;
});
const spaceless = new Uint8Array(LIMIT);
forRanges(lines('Scripts.txt'), (cp, script) => {
  if (SPACELESS.includes(script)) spaceless[cp] = 1;
});
forRanges(lines('ScriptExtensions.txt'), (cp, scripts) => {
  if (scripts.split(' ').some((script) => SPACELESS_SHORT.includes(script))) spaceless[cp] = 1;
});
for (let cp = 0; cp < LIMIT; cp++) {
  if (spaceless[cp] && flags[cp] & WORD) flags[cp] = SPACELESS_CLASS;
}
forRanges(lines('DerivedCoreProperties.txt'), (cp, property) => {
  if (property === 'Default_Ignorable_Code_Point') flags[cp] |= IGNORABLE;
});
forRanges(lines('extracted/DerivedCombiningClass.txt'), (cp, value) => {
  ccc[cp] = Number(value);
});
const excluded = new Set();
forRanges(lines('DerivedNormalizationProps.txt'), (cp, property, value) => {
  if (property === 'NFC_QC') {
    check(value === 'N' || value === 'M', 'NFC_QC');
    flags[cp] |= NFC_CHECK;
  }
  if (property === 'Full_Composition_Exclusion') excluded.add(cp);
});

const fullFolds = [];
for (const [cp, , status, mapping] of lines('CaseFolding.txt')) {
  if (status === 'C') foldDelta[cp] = codePoints(mapping)[0] - cp;
  if (status === 'F') {
    flags[cp] |= FULL_FOLD;
    fullFolds.push([cp, ...codePoints(mapping)]);
  }
}
fullFolds.sort((a, b) => a[0] - b[0]);

// Canonical mappings as they stand: one or two code points, not expanded further.
const decompositions = [];
for (const line of readFileSync(`${ucd}/UnicodeData.txt`, 'utf8').split('\n')) {
  const fields = line.split(';');
  if (fields.length < 6 || fields[5] === '' || fields[5].startsWith('<')) continue;
  const [first, second = 0, ...rest] = codePoints(fields[5]);
  check(rest.length === 0, 'a canonical mapping of more than two code points');
  decompositions.push([Number.parseInt(fields[0], 16), first, second]);
}
decompositions.sort((a, b) => a[0] - b[0]);
const compositions = decompositions
  .filter(([cp, , second]) => second !== 0 && !excluded.has(cp))
  .map(([cp, first, second]) => [first, second, cp])
  .sort((a, b) => a[0] - b[0] || a[1] - b[1]);

// A code point with class 0 whose quick check is Yes begins a piece that normalizes by itself.
for (let cp = 0; cp < LIMIT; cp++) {
  if (ccc[cp] === 0 && !(flags[cp] & NFC_CHECK)) flags[cp] |= BOUNDARY;
}

// What the engines rely on.
const mapping = new Map(decompositions.map(([cp, first, second]) => [cp, [first, second]]));
const combinesBackwards = new Set(compositions.map(([, second]) => second));
for (let cp = 0; cp < LIMIT; cp++) {
  if (!(flags[cp] & BOUNDARY)) continue;
  let first = cp;
  while (mapping.has(first)) first = mapping.get(first)[0];
  check(ccc[first] === 0 && !combinesBackwards.has(first), `boundary ${cp.toString(16)}`);
}
const klass = (cp) => flags[cp] & (WORD | SPACELESS_CLASS);
for (let cp = 0; cp < LIMIT; cp++) {
  check(klass(cp + foldDelta[cp]) === klass(cp), `class of the folding of ${cp.toString(16)}`);
}
for (const [cp, ...folded] of fullFolds) {
  check(folded.length <= 3 && folded.every((other) => klass(other) === klass(cp)), 'class of a full folding');
}
for (const [first, , cp] of compositions) {
  check(first >= 0x80 || klass(first) === klass(cp), 'class of a composition with ASCII');
}

// One record for each distinct combination; record 0 is that of U+0000.
const records = [];
const recordIndex = new Map();
const recordOf = new Uint16Array(LIMIT);
for (let cp = 0; cp < LIMIT; cp++) {
  const key = `${foldDelta[cp]},${ccc[cp]},${flags[cp]}`;
  if (!recordIndex.has(key)) {
    recordIndex.set(key, records.length);
    records.push([foldDelta[cp], ccc[cp], flags[cp]]);
  }
  recordOf[cp] = recordIndex.get(key);
}

check(records.length <= 256, 'a record index fits in a byte');

function wrap(items, indent = '    ') {
  const out = [];
  let line = indent;
  for (const item of items) {
    if (line.length + item.length + 2 > 118) {
      out.push(line.trimEnd());
      line = indent;
    }
    line += `${item}, `;
  }
  out.push(line.trimEnd());
  return out.join('\n');
}

function writeNative() {
  const BLOCK = 128;
  const blocks = new Map();
  const stage1 = [];
  const stage2 = [];
  for (let start = 0; start < LIMIT; start += BLOCK) {
    const block = recordOf.subarray(start, start + BLOCK);
    const key = block.join();
    if (!blocks.has(key)) {
      blocks.set(key, blocks.size);
      stage2.push(...block);
    }
    stage1.push(blocks.get(key));
  }
  const hex = (value) => `0x${value.toString(16)}`;
  writeFileSync(
    `${root}native/core/text/unicode_tables.generated.cc`,
    `// Generated by scripts/generate-unicode.mjs from the Unicode Character Database ${VERSION}. Do not edit.
#include "core/text/unicode.h"

namespace neardup::unicode {

const char kVersion[] = "${VERSION}";

const Record kRecords[${records.length}] = {
${wrap(records.map((record) => `{${record.join(', ')}}`))}
};

const uint16_t kStage1[${stage1.length}] = {
${wrap(stage1.map(String))}
};

const uint8_t kStage2[${stage2.length}] = {
${wrap(stage2.map(String))}
};

const FullFold kFullFolds[${fullFolds.length}] = {
${wrap(fullFolds.map(([cp, a, b = 0, c = 0]) => `{${[cp, a, b, c].map(hex).join(', ')}}`))}
};
const size_t kFullFoldCount = ${fullFolds.length};

const Decomposition kDecompositions[${decompositions.length}] = {
${wrap(decompositions.map((row) => `{${row.map(hex).join(', ')}}`))}
};
const size_t kDecompositionCount = ${decompositions.length};

const Composition kCompositions[${compositions.length}] = {
${wrap(compositions.map((row) => `{${row.map(hex).join(', ')}}`))}
};
const size_t kCompositionCount = ${compositions.length};

}  // namespace neardup::unicode
`,
  );
}

// Numbers >= 0 as little-endian base-128 varints, in base64.
function pack(values) {
  const bytes = [];
  for (let value of values) {
    check(Number.isInteger(value) && value >= 0, `packed ${value}`);
    while (value >= 128) {
      bytes.push((value % 128) | 128);
      value = Math.floor(value / 128);
    }
    bytes.push(value);
  }
  return Buffer.from(bytes).toString('base64');
}

const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);
const deltas = (rows) => rows.map(([cp, ...rest], i) => [cp - (i > 0 ? rows[i - 1][0] : 0), ...rest]);

function writeTypeScript() {
  const runs = [];
  for (let cp = 0; cp < LIMIT; ) {
    const start = cp;
    while (cp < LIMIT && recordOf[cp] === recordOf[start]) cp++;
    runs.push(cp - start, recordOf[start]);
  }
  const rows = deltas(decompositions).map(([delta, first, second], i) => [
    delta,
    zigzag(first - decompositions[i][0]),
    second,
    excluded.has(decompositions[i][0]) ? 1 : 0,
  ]);
  const folds = deltas(fullFolds.map(([cp, a, b = 0, c = 0]) => [cp, a, b, c]));
  writeFileSync(
    `${root}lib/ts/text/unicode-tables.generated.ts`,
    `// Generated by scripts/generate-unicode.mjs from the Unicode Character Database ${VERSION}. Do not edit.
// Lists of varints in base64; lib/ts/text/unicode.ts unpacks them.

export const UNICODE_VERSION = '${VERSION}';

/** For each record: zigzag folding delta, combining class, flags. */
export const RECORDS =
  '${pack(records.flatMap(([delta, klass, bits]) => [zigzag(delta), klass, bits]))}';

/** Runs of code points from U+0000 on: length, record. */
export const RUNS =
  '${pack(runs)}';

/** For each full folding: code point less the one before, three code points (0: none). */
export const FULL_FOLDS =
  '${pack(folds.flat())}';

/** For each canonical mapping: code point less the one before, zigzag (first - code point), second (0: none), 1 if never composed. */
export const DECOMPOSITIONS =
  '${pack(rows.flat())}';
`,
  );
}

writeNative();
writeTypeScript();
console.log(`Unicode ${VERSION}: ${records.length} records, ${compositions.length} compositions`);
