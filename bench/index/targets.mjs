// What the index is to reach. Rates are a second, on one thread; of sizes not listed there is no target.

const TARGETS = {
  'bytes per entry': {
    compact: { 1e6: 24, 1e7: 20, 1e8: 16, 1e9: 15 },
    fast: { 1e6: 64, 1e7: 64, 1e8: 64 },
  },
  'queries, batches of 1,000': {
    compact: { 1e6: 5e6, 1e7: 1.2e6, 1e8: 1e6, 1e9: 3e5 },
    fast: { 1e6: 7e6, 1e7: 3e6, 1e8: 2.5e6 },
  },
  'queries, batches of 100,000': { either: { 1e6: 8e6, 1e7: 4e6, 1e8: 3e6, 1e9: 1e6 } },
  'bulk load': { compact: { 1e6: 20e6, 1e7: 12e6, 1e8: 8e6, 1e9: 5e6 } },
  'addIfNew, one at a time': { compact: { 1e6: 300e3, 1e7: 250e3, 1e8: 150e3 } },
  'addIfNew, batches of 1,000': { compact: { 1e6: 1.5e6, 1e7: 1e6, 1e8: 5e5 } },
  'self-join': { compact: { 1e6: 0.05, 1e7: 0.8, 1e8: 12 } },
  'queries, k = 1': { either: { 1e7: 5e6 } },
  'queries, k = 6': { either: { 1e7: 60e3 } },
  'queries, k = 10': { either: { 1e7: 3e3 } },
  'time of a query over the floor': { compact: { 1e6: 1.3, 1e7: 1.3, 1e8: 1.3 } },
  'all cores over one': { either: { 1e6: 1.8, 1e7: 1.8, 1e8: 1.8 } },
  'skewed over uniform, queries': { either: { 1e6: 1 / 3, 1e7: 1 / 3 } },
  'skewed over uniform, self-join': { either: { 1e6: 3, 1e7: 3 } },
  'TypeScript queries, batches of 1,000': { compact: { 1e6: 100e3 } },
};

/** Of these, less is better. */
const LEAST = new Set([
  'bytes per entry',
  'self-join',
  'time of a query over the floor',
  'skewed over uniform, self-join',
]);

/**
 * Each row with its target and whether it is met, where there is one. Where the target is for either budget, a row
 * is not short if the other budget's meets it.
 */
export function judge(rows) {
  const judged = rows.map(({ target: _target, atMost: _atMost, met: _met, ...row }) => {
    const budgets = TARGETS[row.operation] ?? {};
    const target = budgets[row.memory]?.[row.count] ?? budgets.either?.[row.count];
    if (target === undefined) return row;
    const atMost = LEAST.has(row.operation);
    return { ...row, target, atMost, met: atMost ? row.value <= target : row.value >= target };
  });
  const isMetByOther = (row) =>
    TARGETS[row.operation].either !== undefined &&
    judged.some(
      (other) => other.met && ['operation', 'of', 'count'].every((name) => other[name] === row[name]),
    );
  return judged.map((row) =>
    row.met === false && isMetByOther(row) ? { ...row, met: 'by the other' } : row,
  );
}
