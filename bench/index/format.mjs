// Figures as people read them; also for the pages that scripts/figures.mjs writes.

/** 12345678 as 12.3 M, 0.25 as 0.250. */
export function short(value) {
  for (const [unit, letter] of [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ]) {
    if (value >= unit) return `${(value / unit).toPrecision(3)}${letter}`;
  }
  return value.toPrecision(3);
}

export function measured({ value, unit }) {
  return unit === '/s' ? `${short(value)}/s` : `${short(value)} ${unit}`.trim();
}

export function targeted({ target, atMost, unit }) {
  if (target === undefined) return '';
  return `${atMost ? '<=' : '>='} ${measured({ value: target, unit })}`;
}

export function verdict({ met }) {
  if (met === undefined) return '';
  return met === false ? 'SHORT' : met === true ? 'met' : `met ${met}`;
}

/** One line of a terminal. */
export function formatRow(row) {
  const { operation, of, wall, unit, pairs, matches, bytes, tables, one, all, lines, skewed, uniform } = row;
  const beside = [
    unit === '/s' && wall !== undefined && `wall ${short(wall)}/s`,
    unit === 's' && wall !== undefined && `wall ${short(wall)} s`,
    pairs !== undefined && `${short(pairs)} pairs`,
    matches !== undefined && `${matches.toFixed(3)} matches each`,
    bytes !== undefined && `${bytes.toFixed(1)} B`,
    tables !== undefined && `${tables} tables`,
    one !== undefined &&
      `${short(one)} s, ${short(all)} s; CPU ${short(row.cpuOne)} s, ${short(row.cpuAll)} s`,
    lines !== undefined &&
      `${lines.toFixed(1)} lines, ${row.nanoseconds.toFixed(0)} ns; a segment alone ${row.segment} ns`,
    skewed !== undefined && operation.endsWith('queries') && sideBySide(skewed, uniform, 'rate', 'matches'),
    skewed !== undefined &&
      operation.endsWith('self-join') &&
      sideBySide(skewed, uniform, 'seconds', 'pairs'),
  ].filter(Boolean);
  const name = of === undefined ? operation : `${operation}: ${of}`;
  return [
    name.padEnd(62),
    measured(row).padStart(10),
    targeted(row).padEnd(14),
    verdict(row).padEnd(6),
    beside.join('; '),
  ]
    .join('  ')
    .trimEnd();
}

function sideBySide(a, b, ...names) {
  return names.map((name) => `${name} ${short(a[name])} against ${short(b[name])}`).join(', ');
}
