/** What every table has beside its entries: two lines that stand for superblocks without lines, and room at the end. */
import type { SegmentPayload } from '../../engine.ts';
import { corrupt } from './corrupt.ts';
import { LINE, type TableDescription } from './tables-description.ts';

/** In the header of a line: it continues in the overflow. */
export const CONTINUES = 0x80;

/** Throws ERR_NEARDUP_CORRUPT where they are not as they must be. */
export function checkEnds(file: SegmentPayload, { lines, overflow, isPrimary }: TableDescription): void {
  const fixed = new Uint8Array(2 * LINE);
  file.read(lines.offset, fixed);
  if (fixed.some((byte, i) => byte !== (i === 2 * LINE - 1 ? CONTINUES : 0))) {
    throw corrupt(file, 'lines', 'the first two are not those of every table');
  }
  const room = new Uint8Array(isPrimary ? 16 : 8);
  file.read(overflow.offset + overflow.length - room.length, room);
  if (room.some((byte) => byte !== 0)) throw corrupt(file, 'overflow', 'the room at its end is not empty');
}
