// What a writer does to an index, as a sequence that a seed decides: the process that is killed and the one that
// knows what must be there make the same. Plain JavaScript, as the former runs the built package alone.

/** Entries that can be: number n has one fingerprint, one id, one time. */
const UNIVERSE = 40_000;
/** Numbers from here on are loaded, in large batches. */
const LARGE = 20_000;

/** Random integers below a bound (mulberry32). */
export function randomIntegers(seed) {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return Math.floor((((z ^ (z >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

function mix(x) {
  let z = BigInt.asUintN(64, (x + 1n) * 0x9e3779b97f4a7c15n);
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** The entry of a number. Every third is a near copy of another, every seventh has its fingerprint. */
export function entryOf(n) {
  const original = n % 3 === 0 || n % 7 === 0 ? n >> 4 : n;
  const flips = n % 3 === 0 ? 1n << BigInt(n % 61) : 0n;
  return { fingerprint: mix(BigInt(original)) ^ flips, id: n, time: n % 1000 };
}

/** Columns of the entries of some numbers. */
export function columnsOf(numbers) {
  const entries = numbers.map(entryOf);
  return {
    fingerprints: BigUint64Array.from(entries, ({ fingerprint }) => fingerprint),
    ids: Float64Array.from(entries, ({ id }) => id),
    times: Float64Array.from(entries, ({ time }) => time),
  };
}

/** Kinds of changes and how often each comes. */
const KINDS = [
  ['add', 30],
  ['addBatch', 200],
  ['addBatchAsync', 60],
  ['addIfNewBatch', 60],
  ['addIfNew', 30],
  ['remove', 30],
  ['removeBatch', 60],
  ['removeBefore', 4],
  ['load', 4],
  ['checkpoint', 6],
  ['compact', 6],
  ['flush', 10],
];
/** Each kind as often as its weight. */
const DRAWN = KINDS.flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));

/** Endless changes: {kind, numbers, time}. Those that wait for nothing and change no entry have `kind` only. */
export function* changes(seed) {
  const random = randomIntegers(seed);
  const some = (most) => Array.from({ length: 1 + random(most) }, () => random(LARGE));
  for (;;) {
    const kind = DRAWN[random(DRAWN.length)];
    if (kind === 'load') {
      const length = 1 + random(8000);
      const first = LARGE + random(UNIVERSE - LARGE - length);
      yield { kind, numbers: Array.from({ length }, (_, i) => first + i) };
    } else if (kind === 'add' || kind === 'addIfNew' || kind === 'remove') yield { kind, numbers: some(1) };
    else if (kind === 'removeBefore') yield { kind, time: random(900) };
    else if (kind === 'addIfNewBatch') yield { kind, numbers: some(30) };
    else if (kind === 'checkpoint' || kind === 'compact' || kind === 'flush') yield { kind };
    else yield { kind, numbers: some(300) };
  }
}
