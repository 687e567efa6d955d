import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../lib/fingerprint/format.ts';
import { parseRecipe } from '../../lib/recipe/parse.ts';
import { engines } from '../engines.ts';

interface Row {
  text: string;
  fingerprints: Record<string, string | null>;
}

const rows = JSON.parse(readFileSync(new URL('fingerprints.json', import.meta.url), 'utf8')) as Row[];

function featuresOf(name: string) {
  const { method } = parseRecipe(name);
  if (method.by !== 'engine') throw new Error(`${name} is not made by the engine alone`);
  return method.features;
}

describe.each(engines)('the $backend engine', (engine) => {
  it('gives the fingerprints of the independent implementation in fingerprints.py', () => {
    for (const { text, fingerprints } of rows) {
      for (const [name, expected] of Object.entries(fingerprints)) {
        const fingerprinter = engine.createFingerprinter(featuresOf(name));
        const got = fingerprinter.fingerprint(text);
        expect(got === undefined ? null : toHex(got), `${name}: ${text.slice(0, 60)}`).toBe(expected);
      }
    }
  });
});
