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
  readonly maxDistance: number;
  /** Canonical text of the recipe. */
  readonly recipe: string;
  readonly backend: string;
  readonly kernel: string;
}

const plural = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`;

/** One or two lines for a person. */
export function summaryText(summary: DedupSummary): string {
  const dropped = summary.exact + summary.near;
  const detail = dropped === 0 ? '' : ` (${count(summary.exact)} exact, ${count(summary.near)} near)`;
  const first =
    `${plural(summary.documents, 'document')}: ${count(summary.kept)} kept, ` +
    `${count(dropped)} dropped${detail}, ${duration(summary.seconds)}`;
  if (summary.rejected === 0) return first;
  return `${first}\n${plural(summary.rejected, 'line')} could not be used`;
}

/** One line of JSON, for scripts. */
export function summaryJson(summary: DedupSummary): string {
  return JSON.stringify({ ...summary, seconds: Math.round(summary.seconds * 1000) / 1000 });
}
