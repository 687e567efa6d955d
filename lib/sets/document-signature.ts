/**
 * Document signatures: a few 64-bit checksums for each document, equal checksums meaning near-duplicates
 * (Broder's super-shingles). A checksum is made of `minima` MinHash minima of the document's shingles; two
 * documents of similarity J agree in one with the chance J^minima.
 */
import { types } from 'node:util';
import { currentEngine } from '../backend.ts';
import { MAX_WIDTH } from '../recipe/recipes.ts';
import { checkFingerprint, checkInteger, checkOptions, outOfRange, wrongType } from '../validate.ts';
import { shingles } from './features.ts';

/** The checksums of a document. */
export type DocumentSignature = BigUint64Array;

/** Options of DocumentSigner. */
export interface DocumentSignerOptions {
  /** Checksums of a document, 1 to 64; 4 by default. */
  readonly checksums?: number;
  /** Minima of a checksum, 1 to 64; 6 by default. More: fewer wrong pairs, more missed. */
  readonly minima?: number;
  /** Words of a shingle, 1 to 100; 4 by default. */
  readonly width?: number;
  /** Chooses the permutations; 0n by default. */
  readonly seed?: bigint;
}

/** Makes document signatures by one set of options. */
export class DocumentSigner {
  readonly checksums: number;
  readonly minima: number;
  readonly width: number;
  readonly seed: bigint;
  /** What the signatures depend on, as a line of text: only signatures of equal recipes can be compared. */
  readonly recipe: string;

  constructor(options?: DocumentSignerOptions) {
    const {
      checksums = 4,
      minima = 6,
      width = 4,
      seed = 0n,
    } = checkOptions('options', options, ['checksums', 'minima', 'width', 'seed']);
    this.checksums = checkInteger('checksums', checksums, 1, 64);
    this.minima = checkInteger('minima', minima, 1, 64);
    this.width = checkInteger('width', width, 1, MAX_WIDTH);
    this.seed = checkFingerprint('seed', seed);
    this.recipe = `neardup-signature:1 checksums=${checksums} minima=${minima} width=${width} seed=${seed}`;
  }

  /** The signature of a text, or undefined when it has no words. */
  sign(text: string | Uint8Array): DocumentSignature | undefined {
    const set = shingles(text, this.width);
    if (set.length === 0) return undefined;
    const engine = currentEngine();
    return engine.checksums(engine.minHash(set, this.seed, this.checksums * this.minima), this.minima);
  }

  /** The chance that documents of shingle similarity `jaccard` agree in at least `atLeast` checksums. */
  matchProbability(jaccard: number, atLeast = 1): number {
    if (typeof jaccard !== 'number') wrongType('jaccard', 'a number', jaccard);
    if (!(jaccard >= 0 && jaccard <= 1)) outOfRange('jaccard', 'from 0 to 1', jaccard);
    checkInteger('atLeast', atLeast, 1, this.checksums);
    const agree = jaccard ** this.minima;
    let probability = 0;
    let ways = 1;
    for (let k = 0; k <= this.checksums; k++) {
      if (k >= atLeast) probability += ways * agree ** k * (1 - agree) ** (this.checksums - k);
      ways = (ways * (this.checksums - k)) / (k + 1);
    }
    return Math.min(1, probability);
  }
}

/** In how many checksums two signatures agree. Both are of one recipe. */
export function agreement(a: DocumentSignature, b: DocumentSignature): number {
  if (!types.isBigUint64Array(a)) wrongType('a', 'a BigUint64Array', a);
  if (!types.isBigUint64Array(b)) wrongType('b', 'a BigUint64Array', b);
  if (a.length !== b.length) outOfRange('b.length', `${a.length}, as long as a`, b.length);
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) count++;
  return count;
}
