/**
 * Published values of XXH3-64: xxHash v0.8.2, tests/sanity_test_vectors.h (XSUM_XXH3_testdata). The input is the first
 * `size` bytes of the buffer that xxHash's sanity test fills: byte i is the top byte of 2654435761 * p^i mod 2^64,
 * p = 11400714785074694797.
 */
export const SEED = 0x9e3779b185ebca8dn;

/** [size, hash with seed 0, hash with SEED] */
export const VECTORS: readonly (readonly [number, bigint, bigint])[] = [
  [0, 0x2d06800538d394c2n, 0xa8a6b918b2f0364an],
  [1, 0xc44bdff4074eecdbn, 0x032be332dd766ef8n],
  [2, 0x7a9978044cb8a8bbn, 0x764b35c90519ad88n],
  [3, 0x54247382a8d6b94dn, 0x634b8990b4976373n],
  [4, 0xe5dc74bc51848a51n, 0xaa2e7eccb0c8f747n],
  [8, 0x24ccc9acaa9f65e4n, 0x8f973410999b8f6bn],
  [16, 0x981b17d36c7498c9n, 0x663f29333b4db6b1n],
  [17, 0x796f5acd3a60f862n, 0xf3ec5067f4306db3n],
  [32, 0x9feaddbdbf57eed3n, 0x2199fab1534893d9n],
  [33, 0xabfb2d081b400a10n, 0xad56348da574bb6dn],
  [64, 0x9cb48487720ec49dn, 0x4fe8895db9b8c077n],
  [65, 0xfd81aac4bebc3883n, 0xad80aeec1fc9e0a7n],
  [128, 0xfcff24126754d861n, 0x73fde75280646649n],
  [129, 0x98f1b0a679a2ca29n, 0x21fffdbca099c844n],
  [240, 0x81c3c2b67f568ccfn, 0xcc0f58c27ef3d8een],
  [241, 0xc5a639ecd2030e5en, 0xdda9b0a161d4829an],
  [256, 0x55de574ad89d0ac5n, 0x4d30234b7a3aa61cn],
  [257, 0xb17fd5a8ae75bb0bn, 0x802a6fbf3cacd97cn],
  [1024, 0xdd85c9b5c1109c5cn, 0xef368a8a2ebabaefn],
  [4096, 0xe91206429d1f48f9n, 0x2a3bbb20a5439dcdn],
  [4160, 0x4f323b15321e94e1n, 0x1bf6f5faf9eecabdn],
];

/** The buffer of the sanity test. */
export function sanityBuffer(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = 2654435761n;
  for (let i = 0; i < size; i++) {
    bytes[i] = Number(state >> 56n);
    state = BigInt.asUintN(64, state * 11400714785074694797n);
  }
  return bytes;
}
