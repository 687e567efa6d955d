/** A progress line on a terminal, and the numbers that it and the summary show. */
import type { DedupCounters } from '../dedup/decision.ts';

/** Least time between two drawings, in milliseconds. */
const INTERVAL_MS = 100;

const CLEAR = '\r\x1b[K';

/** `1234567` as `1,234,567`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** A time span: `0.42 s`, `1 min 05 s`, `2 h 03 min`. */
export function duration(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 9.95 ? 2 : 1)} s`;
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

/** The progress line: how far, how many, how fast. `fraction` undefined: how far is not known. */
export function progressText(counters: DedupCounters, seconds: number, fraction: number | undefined): string {
  const done = fraction === undefined ? '' : `${String(Math.floor(fraction * 100)).padStart(3)}%  `;
  const rate = seconds > 0 ? Math.round(counters.documents / seconds) : 0;
  const left =
    fraction === undefined || fraction <= 0 || seconds < 2
      ? ''
      : `, ${duration((seconds / fraction) * (1 - fraction))} left`;
  return (
    `${done}${count(counters.documents)} documents, ${count(counters.kept)} unique, ` +
    `${count(rate)}/s${left}`
  );
}

/** Draws one line over itself on a terminal; does nothing elsewhere. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  readonly #active: boolean;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #visible = false;

  constructor(stream: NodeJS.WriteStream, wanted: boolean) {
    this.#stream = stream;
    this.#active = wanted && stream.isTTY === true && process.env.TERM !== 'dumb';
  }

  /** Draws what `text` gives, unless the last drawing was a moment ago. */
  update(text: () => string): void {
    if (!this.#active) return;
    const now = performance.now();
    if (now - this.#drawnAt < INTERVAL_MS) return;
    this.#drawnAt = now;
    this.#visible = true;
    // One column stays free: some terminals wrap when the last one is written.
    this.#stream.write(CLEAR + text().slice(0, (this.#stream.columns || 80) - 1));
  }

  /** Takes the line away, so that something else can be written. */
  clear(): void {
    if (this.#visible) this.#stream.write(CLEAR);
    this.#visible = false;
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }
}
