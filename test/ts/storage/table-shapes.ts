/** Plans of segments of layout 2 that between them have all there can be. */
import type { PayloadShape } from './table-payload.ts';
import type { TableShape } from './table-words.ts';

/** A table by the ranges of its key, its codes, and how its buckets are laid out. */
export const table = (
  key: [low: number, width: number][],
  codes: number[],
  bucketBits: number,
  superblockShift: number,
  rangeBits: number,
): TableShape => ({
  key: key.map(([low, width]) => ({ low, width })),
  radius: codes.length > 0 ? 1 : 0,
  codes,
  bucketBits,
  superblockShift,
  rangeBits,
});

const reversed = Array.from({ length: 64 }, (_, i) => (i * 37 + 11) % 64);

/** Lines of all kinds, codes of all kinds, orders of the bits. */
export const SHAPES: Readonly<Record<string, PayloadShape>> = {
  'one table': { tables: [table([[48, 16]], [], 10, 7, 3)], perLine: 8, thinBelow: 0 },
  'full lines': {
    tables: [
      table(
        [
          [40, 8],
          [0, 8],
        ],
        [],
        8,
        6,
        4,
      ),
    ],
    perLine: 40,
    thinBelow: 0,
  },
  'no tails': { tables: [table([[32, 32]], [], 32, 28, 0)], perLine: 8, thinBelow: 1e9 },
  'thin superblocks': { tables: [table([[20, 24]], [], 12, 6, 2)], perLine: 10, thinBelow: 12 },
  'Hamming codes': {
    tables: [
      table([[33, 31]], [2], 26, 18, 8),
      table(
        [
          [0, 15],
          [16, 9],
        ],
        [1],
        15,
        12,
        0,
      ),
    ],
    perLine: 9,
    thinBelow: 1e9,
  },
  'Golay and Hamming codes, and an order': {
    tables: [
      table(
        [
          [4, 15],
          [30, 17],
        ],
        [3, 0],
        16,
        11,
        8,
      ),
      table([[50, 12]], [], 12, 12, 0),
    ],
    order: reversed,
    perLine: 12,
    thinBelow: 3,
  },
  'long runs of a secondary table': {
    tables: [table([[48, 16]], [], 9, 7, 2), table([[0, 10]], [], 2, 2, 0), table([[10, 10]], [], 3, 1, 0)],
    perLine: 300,
    thinBelow: 0,
  },
  'a Golay code': { tables: [table([[7, 25]], [3], 13, 12, 7)], perLine: 14, thinBelow: 0 },
  'small codes': { tables: [table([[0, 14]], [0, 0], 8, 7, 5)], order: reversed, perLine: 5, thinBelow: 0 },
};
