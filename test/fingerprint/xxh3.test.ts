import { createXXHash3 } from 'hash-wasm';
import { describe, expect, it } from 'vitest';
import { engines } from '../engines.ts';
import { SEED, sanityBuffer, VECTORS } from './xxh3-vectors.ts';

describe.each(engines)('hashBytes of the $backend engine', (engine) => {
  it('gives the published values of XXH3-64', () => {
    const buffer = sanityBuffer(4160);
    for (const [size, unseeded, seeded] of VECTORS) {
      expect(engine.hashBytes(buffer.subarray(0, size), 0n), `${size} bytes`).toBe(unseeded);
      expect(engine.hashBytes(buffer.subarray(0, size), SEED), `${size} bytes, seeded`).toBe(seeded);
    }
  });

  it('agrees with hash-wasm for every size from 0 to 2000 and seeds of all kinds', async () => {
    const buffer = sanityBuffer(4000);
    for (const [low, high] of [
      [0, 0],
      [1, 0],
      [0xffffffff, 0],
      [0, 0x80000000],
      [0x12345678, 0x9abcdef0],
      [0xffffffff, 0xffffffff],
    ] as const) {
      const reference = await createXXHash3(low, high);
      const seed = (BigInt(high) << 32n) | BigInt(low);
      for (let size = 0; size <= 2000; size++) {
        // An odd offset: the input need not be aligned.
        const bytes = buffer.subarray(size % 7, (size % 7) + size);
        const expected = BigInt(`0x${reference.init().update(bytes).digest('hex')}`);
        if (engine.hashBytes(bytes, seed) !== expected) {
          expect(engine.hashBytes(bytes, seed), `${size} bytes, seed ${seed}`).toBe(expected);
        }
      }
    }
  });
});
