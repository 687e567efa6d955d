/**
 * Banded MinHash: a signature is cut into bands of `rows` minima; sets that agree in a whole band are
 * candidates. The keys of the bands go into a SignatureIndex. Here are the keys and the chances.
 */
import { types } from 'node:util';
import { currentEngine } from '../backend.ts';
import { checkInteger, checkOptions, outOfRange, wrongType } from '../validate.ts';
import { MAX_PERMUTATIONS } from './minhash.ts';

/** How a signature is cut: the first bands * rows minima are used. */
export interface Bands {
  readonly bands: number;
  readonly rows: number;
}

function checkBands(value: unknown): Bands {
  const { bands, rows } = checkOptions<Partial<Bands>>('bands', value as Partial<Bands>, ['bands', 'rows']);
  checkInteger('bands', bands, 1, MAX_PERMUTATIONS);
  checkInteger('rows', rows, 1, MAX_PERMUTATIONS);
  return { bands: bands as number, rows: rows as number };
}

function checkShare(name: string, value: unknown): number {
  if (typeof value !== 'number') wrongType(name, 'a number', value);
  return value >= 0 && value <= 1 ? value : outOfRange(name, 'from 0 to 1', value);
}

/** The keys of the bands of a signature: one 64-bit checksum for each. */
export function bandKeys(signature: BigUint64Array, options: Bands): BigUint64Array {
  if (!types.isBigUint64Array(signature)) wrongType('signature', 'a BigUint64Array', signature);
  const { bands, rows } = checkBands(options);
  if (bands * rows > signature.length) {
    outOfRange('bands * rows', `at most ${signature.length}, the length of the signature`, bands * rows);
  }
  return currentEngine().checksums(signature.subarray(0, bands * rows), rows);
}

/** The chance that sets of similarity `jaccard` are candidates: 1 - (1 - jaccard^rows)^bands. */
export function bandProbability(jaccard: number, options: Bands): number {
  const { bands, rows } = checkBands(options);
  return 1 - (1 - checkShare('jaccard', jaccard) ** rows) ** bands;
}

/** About where the chance rises steeply: (1 / bands)^(1 / rows). */
export function bandThreshold(options: Bands): number {
  const { bands, rows } = checkBands(options);
  return (1 / bands) ** (1 / rows);
}

const STEPS = 256;

/** What a cut misses above the threshold and takes below it: two areas of the chance curve. */
function errors(cut: Bands, threshold: number): { missed: number; taken: number } {
  let missed = 0;
  let taken = 0;
  for (let step = 0; step < STEPS; step++) {
    const place = (step + 0.5) / STEPS;
    taken += 1 - (1 - (threshold * place) ** cut.rows) ** cut.bands;
    missed += (1 - (threshold + (1 - threshold) * place) ** cut.rows) ** cut.bands;
  }
  return { missed: (missed / STEPS) * (1 - threshold), taken: (taken / STEPS) * threshold };
}

/**
 * The cut of at most `permutations` (up to 4096) minima whose chance curve is nearest to a step at
 * `threshold`: the least sum of the areas missed above it and taken below it, the first of these counted
 * `missWeight` times (1 by default; more finds more and takes more candidates).
 */
export function chooseBands(
  permutations: number,
  threshold: number,
  options?: { readonly missWeight?: number },
): Bands {
  checkInteger('permutations', permutations, 1, 4096);
  checkShare('threshold', threshold);
  const { missWeight = 1 } = checkOptions('options', options, ['missWeight']);
  if (typeof missWeight !== 'number') wrongType('missWeight', 'a number', missWeight);
  if (!(missWeight > 0 && missWeight < Number.POSITIVE_INFINITY))
    outOfRange('missWeight', 'over 0', missWeight);
  let best: Bands = { bands: permutations, rows: 1 };
  let least = Number.POSITIVE_INFINITY;
  for (let rows = 1; rows <= permutations; rows++) {
    for (let bands = Math.floor(permutations / rows); bands >= 1; bands--) {
      const { missed, taken } = errors({ bands, rows }, threshold);
      // Fewer bands only miss more from here on.
      if (missed * missWeight >= least) break;
      if (missed * missWeight + taken < least) {
        least = missed * missWeight + taken;
        best = { bands, rows };
      }
    }
  }
  return best;
}
