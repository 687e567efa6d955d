/**
 * XXH3-64 of a byte string with a seed, as specified in xxHash's doc/xxhash_spec.md (0.2.0). The twin of
 * native/core/fingerprint/xxh3. 64-bit values are two 32-bit lanes, low first; no bigint is made.
 */

// The default secret as little-endian 32-bit words.
const SECRET_WORDS = [
  0x396cfeb8, 0xbe4ba423, 0x2c81017c, 0x1cad21f7, 0xe96dd4de, 0xdb979083, 0xa4a44072, 0x1f67b3b7, 0x4ee679cb,
  0x78e5c0cc, 0x7dd05a82, 0x2172ffcc, 0x744608b8, 0x8e2443f7, 0xe69035e0, 0x4c263a81, 0xbb52283c, 0xcb00c391,
  0x8b65d088, 0xa32e531b, 0x97486471, 0x4ef90da2, 0x46ef1938, 0xd8acdea9, 0x3f76faa8, 0x3f349ce3, 0xc7bbdcf9,
  0x1d4f0bc7, 0x4be0518a, 0x3159b4cd, 0xc97e9fc8, 0x647378d9, 0x83acc5ea, 0xc3ebd334, 0xffa081c5, 0xeb6313fa,
  0x51dd0d17, 0x49daf0b7, 0x265516d3, 0x9e68d429, 0x58be162b, 0xfca1477d, 0xd1b8f88f, 0xce31d07a, 0x8f3acb45,
  0x28041695, 0xcafbd7af, 0x7e404bbb,
];
const SECRET_SIZE = 192;
const STRIPE = 64;
const STRIPES_PER_BLOCK = (SECRET_SIZE - STRIPE) / 8;
const BLOCK = STRIPE * STRIPES_PER_BLOCK;

const PRIME32_1 = 0x9e3779b1;
const PRIME64_1_LOW = 0x85ebca87;
const PRIME64_1_HIGH = 0x9e3779b1;
// The lanes that an input of over 240 bytes is folded into begin as these.
const LANES = [
  0xc2b2ae3d, 0, 0x85ebca87, 0x9e3779b1, 0x27d4eb4f, 0xc2b2ae3d, 0x9e3779f9, 0x165667b1, 0xc2b2ae63,
  0x85ebca77, 0x85ebca77, 0, 0x165667c5, 0x27d4eb2f, 0x9e3779b1, 0,
];

const secret = new DataView(new ArrayBuffer(SECRET_SIZE));
SECRET_WORDS.forEach((word, i) => {
  secret.setUint32(4 * i, word, true);
});
const derivedSecret = new DataView(new ArrayBuffer(SECRET_SIZE));

// The 64-bit value worked on: low, high. Typed arrays, so that no number is boxed.
const acc = new Uint32Array(2);
const lanes = new Uint32Array(16);

/** High half of a 32 x 32 bit product, given its low half; a, b and low are unsigned. */
function highHalf(a: number, b: number, low: number): number {
  // The double product is within 2^11 of the exact one, so this quotient is within 2^-21 of an integer.
  return ((a * b - low) / 0x100000000 + 0.5) >>> 0;
}

/** acc = (low, high) * (factorLow, factorHigh) mod 2^64. */
function multiply(low: number, high: number, factorLow: number, factorHigh: number): void {
  const product = Math.imul(low, factorLow) >>> 0;
  acc[1] = highHalf(low, factorLow, product) + Math.imul(high, factorLow) + Math.imul(low, factorHigh);
  acc[0] = product;
}

/** acc += both halves of the 128-bit product of a and b, xored. All lanes unsigned. */
function addMultiplyFold(aLow: number, aHigh: number, bLow: number, bHigh: number): void {
  const ll = Math.imul(aLow, bLow) >>> 0;
  const hl = Math.imul(aHigh, bLow) >>> 0;
  const lh = Math.imul(aLow, bHigh) >>> 0;
  const hh = Math.imul(aHigh, bHigh) >>> 0;
  const middle = highHalf(aLow, bLow, ll) + hl + lh;
  const upper = highHalf(aHigh, bLow, hl) + highHalf(aLow, bHigh, lh) + hh + Math.floor(middle / 0x100000000);
  const top = highHalf(aHigh, bHigh, hh) + Math.floor(upper / 0x100000000);
  const low = acc[0] + ((ll ^ (upper >>> 0)) >>> 0);
  acc[1] += ((middle >>> 0) ^ (top >>> 0)) + (low >= 0x100000000 ? 1 : 0);
  acc[0] = low;
}

/** acc = avalanche(acc). */
function avalanche(): void {
  const low = (acc[0] ^ (acc[1] >>> 5)) >>> 0;
  multiply(low, acc[1], 0x9e3779f9, 0x16566791);
  acc[0] ^= acc[1];
}

/** acc = XXH64's avalanche of (low, high). */
function avalancheXxh64(low: number, high: number): void {
  multiply((low ^ (high >>> 1)) >>> 0, high, 0x27d4eb4f, 0xc2b2ae3d);
  const h = acc[1];
  multiply((acc[0] ^ ((acc[0] >>> 29) | (h << 3))) >>> 0, h ^ (h >>> 29), 0x9e3779f9, 0x165667b1);
  acc[0] ^= acc[1];
}

function swap32(x: number): number {
  return ((x << 24) | ((x & 0xff00) << 8) | ((x >>> 8) & 0xff00) | (x >>> 24)) >>> 0;
}

function hash1To3(data: DataView, start: number, size: number, seedLow: number, seedHigh: number): void {
  const combined =
    data.getUint8(start + size - 1) |
    (size << 8) |
    (data.getUint8(start) << 16) |
    (data.getUint8(start + (size >>> 1)) << 24);
  const low = ((SECRET_WORDS[0] ^ SECRET_WORDS[1]) >>> 0) + seedLow;
  const high = low >= 0x100000000 ? seedHigh + 1 : seedHigh;
  avalancheXxh64((low ^ combined) >>> 0, high >>> 0);
}

function hash4To8(data: DataView, start: number, size: number, seedLow: number, seedHigh: number): void {
  const mixedHigh = (seedHigh ^ swap32(seedLow)) >>> 0;
  const keyLow = ((SECRET_WORDS[2] ^ SECRET_WORDS[4]) >>> 0) - seedLow;
  const keyHigh = ((SECRET_WORDS[3] ^ SECRET_WORDS[5]) >>> 0) - mixedHigh - (keyLow < 0 ? 1 : 0);
  const low = keyLow ^ data.getUint32(start + size - 4, true);
  const high = keyHigh ^ data.getUint32(start, true);
  // x ^ rotl(x, 49) ^ rotl(x, 24)
  const l = low ^ ((high << 17) | (low >>> 15)) ^ ((low << 24) | (high >>> 8));
  const h = high ^ ((low << 17) | (high >>> 15)) ^ ((high << 24) | (low >>> 8));
  multiply(l >>> 0, h, 0x1e98df25, 0x9fb21c65);
  multiply((acc[0] ^ ((acc[1] >>> 3) + size)) >>> 0, acc[1], 0x1e98df25, 0x9fb21c65);
  acc[0] ^= (acc[0] >>> 28) | (acc[1] << 4);
  acc[1] ^= acc[1] >>> 28;
}

function hash9To16(data: DataView, start: number, size: number, seedLow: number, seedHigh: number): void {
  const end = start + size;
  let low = ((SECRET_WORDS[6] ^ SECRET_WORDS[8]) >>> 0) + seedLow;
  let high = ((SECRET_WORDS[7] ^ SECRET_WORDS[9]) >>> 0) + seedHigh + (low >= 0x100000000 ? 1 : 0);
  const aLow = (low ^ data.getUint32(start, true)) >>> 0;
  const aHigh = (high ^ data.getUint32(start + 4, true)) >>> 0;
  low = ((SECRET_WORDS[10] ^ SECRET_WORDS[12]) >>> 0) - seedLow;
  high = ((SECRET_WORDS[11] ^ SECRET_WORDS[13]) >>> 0) - seedHigh - (low < 0 ? 1 : 0);
  const bLow = (low ^ data.getUint32(end - 8, true)) >>> 0;
  const bHigh = (high ^ data.getUint32(end - 4, true)) >>> 0;
  low = size + swap32(aHigh) + bLow;
  acc[0] = low;
  acc[1] = swap32(aLow) + bHigh + Math.floor(low / 0x100000000);
  addMultiplyFold(aLow, aHigh, bLow, bHigh);
  avalanche();
}

/** acc += the mix of 16 bytes of data with 16 of the secret. */
function mix16(data: DataView, at: number, secretAt: number, seedLow: number, seedHigh: number): void {
  const aLow = secret.getUint32(secretAt, true) + seedLow;
  const aHigh = secret.getUint32(secretAt + 4, true) + seedHigh + (aLow >= 0x100000000 ? 1 : 0);
  const bLow = secret.getUint32(secretAt + 8, true) - seedLow;
  const bHigh = secret.getUint32(secretAt + 12, true) - seedHigh - (bLow < 0 ? 1 : 0);
  addMultiplyFold(
    (aLow ^ data.getUint32(at, true)) >>> 0,
    (aHigh ^ data.getUint32(at + 4, true)) >>> 0,
    (bLow ^ data.getUint32(at + 8, true)) >>> 0,
    (bHigh ^ data.getUint32(at + 12, true)) >>> 0,
  );
}

/** acc = size * PRIME64_1; size may exceed 32 bits. */
function beginWithSize(size: number): void {
  multiply(size >>> 0, Math.floor(size / 0x100000000), PRIME64_1_LOW, PRIME64_1_HIGH);
}

function hash17To128(data: DataView, start: number, size: number, seedLow: number, seedHigh: number): void {
  beginWithSize(size);
  for (let i = (size - 1) >> 5; i >= 0; i--) {
    mix16(data, start + 16 * i, 32 * i, seedLow, seedHigh);
    mix16(data, start + size - 16 * i - 16, 32 * i + 16, seedLow, seedHigh);
  }
  avalanche();
}

function hash129To240(data: DataView, start: number, size: number, seedLow: number, seedHigh: number): void {
  beginWithSize(size);
  for (let i = 0; i < 8; i++) mix16(data, start + 16 * i, 16 * i, seedLow, seedHigh);
  avalanche();
  for (let i = 8; i < size >> 4; i++) mix16(data, start + 16 * i, 16 * (i - 8) + 3, seedLow, seedHigh);
  mix16(data, start + size - 16, 119, seedLow, seedHigh);
  avalanche();
}

function addToLane(i: number, low: number, high: number): void {
  const sum = lanes[2 * i] + low;
  lanes[2 * i] = sum;
  lanes[2 * i + 1] += high + (sum >= 0x100000000 ? 1 : 0);
}

function accumulate(data: DataView, at: number, key: DataView, keyAt: number): void {
  for (let i = 0; i < 8; i++) {
    const low = data.getUint32(at + 8 * i, true);
    const high = data.getUint32(at + 8 * i + 4, true);
    const a = (low ^ key.getUint32(keyAt + 8 * i, true)) >>> 0;
    const b = (high ^ key.getUint32(keyAt + 8 * i + 4, true)) >>> 0;
    const product = Math.imul(a, b) >>> 0;
    addToLane(i ^ 1, low, high);
    addToLane(i, product, highHalf(a, b, product));
  }
}

function scramble(key: DataView): void {
  for (let i = 0; i < 8; i++) {
    const low = lanes[2 * i];
    const high = lanes[2 * i + 1];
    const at = SECRET_SIZE - STRIPE + 8 * i;
    multiply(
      (low ^ (high >>> 15) ^ key.getUint32(at, true)) >>> 0,
      high ^ key.getUint32(at + 4, true),
      PRIME32_1,
      0,
    );
    lanes[2 * i] = acc[0];
    lanes[2 * i + 1] = acc[1];
  }
}

function hashOver240(data: DataView, start: number, size: number, key: DataView): void {
  lanes.set(LANES);
  const fullBlocks = Math.floor((size - 1) / BLOCK);
  let at = start;
  for (let block = 0; block < fullBlocks; block++) {
    for (let n = 0; n < STRIPES_PER_BLOCK; n++, at += STRIPE) accumulate(data, at, key, 8 * n);
    scramble(key);
  }
  const fullStripes = Math.floor((size - fullBlocks * BLOCK - 1) / STRIPE);
  for (let n = 0; n < fullStripes; n++, at += STRIPE) accumulate(data, at, key, 8 * n);
  accumulate(data, start + size - STRIPE, key, SECRET_SIZE - 71);
  beginWithSize(size);
  for (let i = 0; i < 16; i += 4) {
    const keyAt = 11 + 4 * i;
    addMultiplyFold(
      (lanes[i] ^ key.getUint32(keyAt, true)) >>> 0,
      (lanes[i + 1] ^ key.getUint32(keyAt + 4, true)) >>> 0,
      (lanes[i + 2] ^ key.getUint32(keyAt + 8, true)) >>> 0,
      (lanes[i + 3] ^ key.getUint32(keyAt + 12, true)) >>> 0,
    );
  }
  avalanche();
}

function deriveSecret(seedLow: number, seedHigh: number): DataView {
  for (let at = 0; at < SECRET_SIZE; at += 8) {
    const sign = at % 16 === 0 ? 1 : -1;
    const low = secret.getUint32(at, true) + sign * seedLow;
    const carry = low >= 0x100000000 ? 1 : low < 0 ? -1 : 0;
    derivedSecret.setUint32(at, low, true);
    derivedSecret.setUint32(at + 4, secret.getUint32(at + 4, true) + sign * seedHigh + carry, true);
  }
  return derivedSecret;
}

/** Writes the hash of `size` bytes at `start` to out[at] (low half) and out[at + 1] (high half). */
export function xxh3(
  data: DataView,
  start: number,
  size: number,
  seedLow: number,
  seedHigh: number,
  out: Uint32Array,
  at: number,
): void {
  if (size > 240) {
    const key = seedLow === 0 && seedHigh === 0 ? secret : deriveSecret(seedLow, seedHigh);
    hashOver240(data, start, size, key);
  } else if (size > 128) hash129To240(data, start, size, seedLow, seedHigh);
  else if (size > 16) hash17To128(data, start, size, seedLow, seedHigh);
  else if (size > 8) hash9To16(data, start, size, seedLow, seedHigh);
  else if (size >= 4) hash4To8(data, start, size, seedLow, seedHigh);
  else if (size > 0) hash1To3(data, start, size, seedLow, seedHigh);
  else {
    const low = seedLow ^ SECRET_WORDS[14] ^ SECRET_WORDS[16];
    avalancheXxh64(low >>> 0, (seedHigh ^ SECRET_WORDS[15] ^ SECRET_WORDS[17]) >>> 0);
  }
  out[at] = acc[0];
  out[at + 1] = acc[1];
}

const result = new Uint32Array(2);

const nothing = new DataView(new ArrayBuffer(0));

/** The hash as a bigint. Bytes whose buffer was detached read as none. */
export function hashBytes(bytes: Uint8Array, seed: bigint): bigint {
  const view = bytes.length > 0 ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : nothing;
  xxh3(view, 0, bytes.length, Number(seed & 0xffff_ffffn), Number(seed >> 32n), result, 0);
  return (BigInt(result[1]) << 32n) | BigInt(result[0]);
}
