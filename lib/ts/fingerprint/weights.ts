/**
 * Weights are integers in steps of 1/65536, so that sums are exact and independent of order. The twin of
 * native/core/fingerprint/weights.
 */
import { LOG_WEIGHT_STEPS, OCTAVE } from './log-weights.generated.ts';

/** Steps in a weight of 1. */
export const WEIGHT_STEPS = 65536;

/** The most that all features of a text may weigh together, in steps: exact also in a double. */
export const MAX_TOTAL_WEIGHT = 2 ** 53;

/** round(65536 (1 + ln tf)) at index tf. */
const table = unpackTable();

function unpackTable(): Uint32Array {
  const bytes = Buffer.from(LOG_WEIGHT_STEPS, 'base64');
  const out = new Uint32Array(bytes.length / 2 + 1);
  out[0] = WEIGHT_STEPS;
  for (let tf = 1; tf < out.length; tf++) out[tf] = out[tf - 1] + bytes.readUInt16LE(2 * (tf - 1));
  return out;
}

/**
 * 1 + ln tf in steps, tf > 0. Beyond the table tf is halved, rounding down, until it is inside, and each
 * halving adds one octave.
 */
export function logWeight(tf: number): number {
  let octaves = 0;
  let inside = tf;
  for (; inside >= table.length; inside = Math.floor(inside / 2)) octaves += OCTAVE;
  return table[inside] + octaves;
}

/** A caller's weight in steps, halves rounded up; -1 where it is not finite, negative or over MAX_TOTAL_WEIGHT. */
export function weightToSteps(weight: number): number {
  const scaled = weight * WEIGHT_STEPS;
  if (!(scaled >= 0 && scaled <= MAX_TOTAL_WEIGHT)) return -1;
  const whole = Math.floor(scaled);
  return scaled - whole >= 0.5 ? whole + 1 : whole;
}
