/**
 * The 64 counters of a fingerprint. Hashes are pairs of 32-bit lanes, low first; counter i belongs to bit i of
 * the 64. The twin of native/kernels/counters.
 */
const PLANES = 8;
const GROUP = 8;
// Hashes that the planes can hold, a multiple of GROUP.
const CAPACITY = 248;

/** Bit i of planes[p] is bit p of counter i. */
const planes = new Int32Array(PLANES);

/** Adds eight hashes' lane at words[at], words[at + 2], ... to the planes. */
function addGroup(words: Uint32Array, at: number): void {
  // Three bits added in each of 32 lanes: sum a ^ b ^ c, carry (a & b) | ((a ^ b) & c).
  let b = words[at];
  let c = words[at + 2];
  let half = planes[0] ^ b;
  const carry1 = (planes[0] & b) | (half & c);
  let ones = half ^ c;
  b = words[at + 4];
  c = words[at + 6];
  half = ones ^ b;
  const carry2 = (ones & b) | (half & c);
  ones = half ^ c;
  b = words[at + 8];
  c = words[at + 10];
  half = ones ^ b;
  const carry3 = (ones & b) | (half & c);
  ones = half ^ c;
  b = words[at + 12];
  c = words[at + 14];
  half = ones ^ b;
  const carry4 = (ones & b) | (half & c);
  planes[0] = half ^ c;
  half = planes[1] ^ carry1;
  const carry5 = (planes[1] & carry1) | (half & carry2);
  const twos = half ^ carry2;
  half = twos ^ carry3;
  const carry6 = (twos & carry3) | (half & carry4);
  planes[1] = half ^ carry4;
  half = planes[2] ^ carry5;
  let carry = (planes[2] & carry5) | (half & carry6);
  planes[2] = half ^ carry6;
  for (let p = 3; p < PLANES && carry !== 0; p++) {
    const next = planes[p] & carry;
    planes[p] ^= carry;
    carry = next;
  }
}

function countLane(words: Uint32Array, n: number, lane: number, counts: Float64Array): void {
  let done = 0;
  while (n - done >= GROUP) {
    const block = Math.min(CAPACITY, n - done - ((n - done) % GROUP));
    planes.fill(0);
    for (let j = 0; j < block; j += GROUP) addGroup(words, 2 * (done + j) + lane);
    for (let i = 0; i < 32; i++) {
      let count = 0;
      for (let p = 0; p < PLANES; p++) count |= ((planes[p] >>> i) & 1) << p;
      counts[32 * lane + i] += count;
    }
    done += block;
  }
  for (; done < n; done++) {
    const word = words[2 * done + lane];
    for (let i = 0; i < 32; i++) counts[32 * lane + i] += (word >>> i) & 1;
  }
}

/** Adds 1 to counts[i] for each of the first n hashes with bit i set. */
export function countOnes(words: Uint32Array, n: number, counts: Float64Array): void {
  countLane(words, n, 0, counts);
  countLane(words, n, 1, counts);
}

/** Adds weights[j] to sums[i] for each of the first n hashes j with bit i set. Weights are integers. */
export function sumWeights(words: Uint32Array, weights: Float64Array, n: number, sums: Float64Array): void {
  for (let j = 0; j < n; j++) {
    const weight = weights[j];
    const low = words[2 * j];
    const high = words[2 * j + 1];
    for (let i = 0; i < 32; i++) {
      sums[i] += ((low >>> i) & 1) * weight;
      sums[32 + i] += ((high >>> i) & 1) * weight;
    }
  }
}
