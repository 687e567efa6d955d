/** One change of an index. */
export interface Change {
  readonly kind: string;
  readonly numbers?: readonly number[];
  readonly time?: number;
}
export function randomIntegers(seed: number): (bound: number) => number;
export function entryOf(n: number): { fingerprint: bigint; id: number; time: number };
export function columnsOf(numbers: readonly number[]): {
  fingerprints: BigUint64Array;
  ids: Float64Array;
  times: Float64Array;
};
export function changes(seed: number): Generator<Change, never>;
