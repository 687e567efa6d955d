import { expect, it } from 'vitest';
import { summaryJson, summaryLines } from '../../lib/cli/summary.ts';

const summary = {
  lines: 99_999_999,
  blank: 0,
  rejected: 12_345_678,
  documents: 99_999_999,
  kept: 88_888_888,
  exact: 1_111_111,
  near: 9_999_999,
  withoutFingerprint: 0,
  tooShort: 0,
  seconds: 12_345.678_9,
  maxDistance: 6,
  minFeatures: 6,
  recipe: 'a recipe',
  backend: 'native',
  kernel: 'avx512',
};

it('says what became of the documents, how long it took, and on which engine', () => {
  const lines = summaryLines(summary);
  expect(lines).toEqual([
    '99,999,999 documents: 88,888,888 kept, 11,111,110 dropped (1,111,111 exact, 9,999,999 near)',
    '3 h 25 min, engine native (avx512)',
    '12,345,678 lines could not be used',
  ]);
});

it('counts one as one, and leaves out what is nothing', () => {
  const one = {
    ...summary,
    documents: 1,
    kept: 1,
    exact: 0,
    near: 0,
    rejected: 1,
    backend: 'js',
    kernel: 'js',
  };
  expect(summaryLines({ ...one, seconds: 0.5 })).toEqual([
    '1 document: 1 kept, 0 dropped',
    '0.50 s, engine js',
    '1 line could not be used',
  ]);
  expect(summaryLines({ ...one, rejected: 0 }).length).toBe(2);
  expect(summaryLines({ ...one, tooShort: 1, minFeatures: 4 })[2]).toBe(
    '1 document with under 4 features: compared by exact text only',
  );
});

it('is one line of JSON, seconds to the millisecond', () => {
  expect(JSON.parse(summaryJson(summary))).toEqual({ ...summary, seconds: 12_345.679 });
  expect(summaryJson(summary)).not.toContain('\n');
});
