/** Sizes, counts and times as people write and read them. */
const BYTES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** `20GiB`, `1.5 GB`, `500MB`: bytes, rounded down; undefined for what is no size with a unit. */
export function parseBytes(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,15})?) ?([a-z]+)$/i.exec(text) ?? [];
  const factor = Object.hasOwn(BYTES, unit.toLowerCase()) ? BYTES[unit.toLowerCase()] : undefined;
  return factor === undefined ? undefined : Math.floor(Number(number) * factor);
}

/** `1000000`, `1,000,000`, `1e9`, `2.5e6`: a whole number; undefined for what is none. */
export function parseCount(text: string): number | undefined {
  if (!/^(\d{1,3}(,\d{3})+|\d{1,15}(\.\d{1,15})?(e\d{1,2})?)$/i.test(text)) return undefined;
  const value = Number(text.replaceAll(',', ''));
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Three digits and the largest of the units, each `factor` times the one before, that keeps them over 1. */
function scale(value: number, factor: number, units: readonly string[]): string {
  let rest = value;
  let at = 0;
  // 999.5 and more would be written as 1000.
  while (rest >= 999.5 && at + 1 < units.length) {
    rest /= factor;
    at++;
  }
  const digits = rest >= 99.95 ? 0 : rest >= 9.995 ? 1 : 2;
  return `${rest.toFixed(digits)}${units[at]}`;
}

/** `17.8 GiB`. */
export function bytesText(bytes: number): string {
  return bytes < 999.5
    ? `${Math.round(bytes)} B`
    : scale(bytes / 1024, 1024, [' KiB', ' MiB', ' GiB', ' TiB']);
}

/** `0.23`, `31.5`, `262k`, `17.2G`. */
export function numberText(value: number): string {
  return value > 0 && value < 0.005 ? '<0.01' : scale(value, 1000, ['', 'k', 'M', 'G', 'T']);
}

/** `756 ns`, `1.23 µs`, `300 ms`. */
export function nanosecondsText(nanoseconds: number): string {
  return scale(nanoseconds, 1000, [' ns', ' µs', ' ms', ' s']);
}
