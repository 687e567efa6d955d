/** A part of a section in memory, that moves along as the section is read. */
import type { SegmentPayload } from '../../engine.ts';
import type { Section } from './description.ts';

const SIZE = 1 << 18;
/** Bytes that one checksum covers. */
const BLOCK = 1 << 20;
/** Bytes after the last one that may be looked at, whatever stands there. */
const SLACK = 16;

export class PayloadWindow {
  /** The bytes as lanes. */
  readonly lanes: Uint32Array;
  readonly bytes: Uint8Array;
  /** How many of the bytes are the section's. */
  filled = 0;
  /** Where they start in the section; a multiple of 64. */
  private start = 0;

  constructor(
    private readonly file: SegmentPayload,
    readonly section: Section,
  ) {
    const size = Math.min(SIZE, Math.ceil(section.length / 64) * 64) + 64;
    this.bytes = new Uint8Array(size + SLACK);
    this.lanes = new Uint32Array(this.bytes.buffer);
  }

  /**
   * Where `count` (at most 64) bytes of the section, from byte `from` on, stand in `bytes`; they must be within the
   * section. Reads no block of the payload but those that they are in.
   */
  find(from: number, count: number): number {
    const at = from - this.start;
    return at >= 0 && at + count <= this.filled ? at : this.move(from, count);
  }

  private move(from: number, count: number): number {
    const { offset, length } = this.section;
    const start = from - (from % 64);
    const block = Math.ceil((offset + from + count) / BLOCK) * BLOCK;
    const end = Math.min(start + SIZE, length, block - offset);
    this.filled = 0;
    const filled = Math.max(end, from + count) - start;
    this.file.read(offset + start, this.bytes.subarray(0, filled));
    this.start = start;
    this.filled = filled;
    return from - start;
  }
}
