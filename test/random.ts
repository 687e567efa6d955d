/** Deterministic 64-bit values (splitmix64). */
export function randomKeys(count: number, seed: number): BigUint64Array {
  const keys = new BigUint64Array(count);
  let state = BigInt(seed);
  for (let i = 0; i < count; i++) {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    keys[i] = z ^ (z >> 31n);
  }
  return keys;
}
