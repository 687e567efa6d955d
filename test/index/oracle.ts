/** The index as its definition says it: every entry compared with every query. */
import type { Match } from '../../lib/index/hamming-index.ts';

/** One bits of every 16-bit number, by counting the ones of its binary digits. */
const ones = Uint8Array.from({ length: 65536 }, (_, value) => value.toString(2).replaceAll('0', '').length);

const quarters = (value: bigint): number[] =>
  [0n, 16n, 32n, 48n].map((shift) => Number((value >> shift) & 0xffffn));

export class Oracle {
  readonly entries: { quarters: number[]; id: number }[] = [];

  add(fingerprint: bigint, id: number): void {
    this.entries.push({ quarters: quarters(fingerprint), id });
  }

  query(fingerprint: bigint, maxDistance: number, limit = Number.POSITIVE_INFINITY): Match[] {
    const [q0, q1, q2, q3] = quarters(fingerprint) as [number, number, number, number];
    const nearest = new Map<number, number>();
    for (const { quarters, id } of this.entries) {
      const [e0, e1, e2, e3] = quarters as [number, number, number, number];
      const distance =
        (ones[q0 ^ e0] as number) +
        (ones[q1 ^ e1] as number) +
        (ones[q2 ^ e2] as number) +
        (ones[q3 ^ e3] as number);
      if (distance <= maxDistance && distance < (nearest.get(id) ?? 65)) nearest.set(id, distance);
    }
    return [...nearest]
      .map(([id, distance]) => ({ id, distance }))
      .sort((a, b) => a.distance - b.distance || a.id - b.id)
      .slice(0, limit);
  }

  addIfNew(fingerprint: bigint, id: number, maxDistance: number): Match | undefined {
    const [match] = this.query(fingerprint, maxDistance, 1);
    if (match === undefined) this.add(fingerprint, id);
    return match;
  }
}
