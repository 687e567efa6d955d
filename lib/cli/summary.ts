/** The result of `neardup dedup` in words and as JSON. */
import type { DedupCounters } from '../dedup/decision.ts';
import { count, duration } from './progress.ts';

/** What a run did. */
export interface DedupSummary extends DedupCounters {
  /** Lines of the input, blank and rejected ones included. */
  readonly lines: number;
  readonly blank: number;
  /** Lines that could not be used. */
  readonly rejected: number;
  readonly seconds: number;
  /** Canonical text of the recipe. */
  readonly recipe: string;
  readonly maxDistance: number;
  /** Canonical text of the second fingerprint's recipe, and its distance, where there is one. */
  readonly verification?: string;
  readonly verifyDistance?: number;
  readonly minFeatures: number;
  readonly backend: string;
  readonly kernel: string;
}

const plural = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Lines for a person; at most 80 columns up to some millions of documents. */
export function summaryLines(summary: DedupSummary): string[] {
  const { documents, kept, exact, near, tooShort, minFeatures, rejected, seconds, backend, kernel } = summary;
  const dropped = exact + near;
  const detail = dropped === 0 ? '' : ` (${count(exact)} exact, ${count(near)} near)`;
  const engine = backend === kernel ? backend : `${backend} (${kernel})`;
  const lines = [
    `${plural(documents, 'document')}: ${count(kept)} kept, ${count(dropped)} dropped${detail}`,
    `${duration(seconds)}, engine ${engine}`,
  ];
  if (tooShort > 0) {
    lines.push(
      `${plural(tooShort, 'document')} with under ${minFeatures} features: compared by exact text only`,
    );
  }
  if (rejected > 0) lines.push(`${plural(rejected, 'line')} could not be used`);
  return lines;
}

/** One line of JSON, for scripts. */
export function summaryJson(summary: DedupSummary): string {
  return JSON.stringify({ ...summary, seconds: Math.round(summary.seconds * 1000) / 1000 });
}
