/** The index as its definition says it: every entry compared with every query. */
import type { Match } from '../../lib/index/match.ts';

/** One bits of every 16-bit number, by counting the ones of its binary digits. */
const ones = Uint8Array.from({ length: 65536 }, (_, value) => value.toString(2).replaceAll('0', '').length);

type Quarters = readonly [number, number, number, number];

const quarters = (value: bigint): Quarters =>
  [0n, 16n, 32n, 48n].map((shift) => Number((value >> shift) & 0xffffn)) as unknown as Quarters;

const between = (a: Quarters, b: Quarters): number =>
  [0, 1, 2, 3].reduce((sum, i) => sum + (ones[(a[i] as number) ^ (b[i] as number)] as number), 0);

/** The columns of an entry; those that an index does not have are 0. */
export interface OracleColumns {
  readonly time: number;
  readonly tag: number;
  readonly second: bigint;
}

export interface OracleEntry extends OracleColumns {
  readonly fingerprint: bigint;
  readonly quarters: Quarters;
  readonly secondQuarters: Quarters;
  readonly id: number;
}

/** Conditions of a query. */
export interface Conditions {
  readonly limit?: number;
  readonly tag?: number | undefined;
  readonly second?: bigint | undefined;
  readonly secondDistance?: number | undefined;
  readonly since?: number | undefined;
}

export type Pair = readonly [firstId: number, secondId: number, distance: number];

const sign = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

const byDistance = (a: Match, b: Match): number => a.distance - b.distance || a.id - b.id;

/** The distances by id as matches in order. */
function matchesOf(nearest: ReadonlyMap<number, number>, limit: number): Match[] {
  return [...nearest]
    .map(([id, distance]) => ({ id, distance }))
    .sort(byDistance)
    .slice(0, limit);
}

export class Oracle {
  entries: OracleEntry[] = [];

  add(fingerprint: bigint, id: number, columns: Partial<OracleColumns> = {}): void {
    const { time = 0, tag = 0, second = 0n } = columns;
    this.entries.push({
      ...{ fingerprint, id, time, tag, second },
      quarters: quarters(fingerprint),
      secondQuarters: quarters(second),
    });
  }

  query(fingerprint: bigint, maxDistance: number, conditions: Conditions | number = {}): Match[] {
    const given = typeof conditions === 'number' ? { limit: conditions } : conditions;
    const { limit = Number.POSITIVE_INFINITY, tag, second, secondDistance = 64, since = 0 } = given;
    const sought = quarters(fingerprint);
    const soughtSecond = quarters(second ?? 0n);
    const nearest = new Map<number, number>();
    for (const entry of this.entries) {
      if (tag !== undefined && entry.tag !== tag) continue;
      if (entry.time < since) continue;
      if (second !== undefined && between(entry.secondQuarters, soughtSecond) > secondDistance) continue;
      const distance = between(entry.quarters, sought);
      if (distance <= maxDistance && distance < (nearest.get(entry.id) ?? 65))
        nearest.set(entry.id, distance);
    }
    return matchesOf(nearest, limit);
  }

  /** Of entries with the same tag; with secondDistance only those whose second fingerprints are near, too. */
  addIfNew(
    fingerprint: bigint,
    id: number,
    maxDistance: number,
    columns: Partial<OracleColumns> = {},
    secondDistance?: number,
  ): Match | undefined {
    const { tag = 0, second = 0n } = columns;
    const conditions = { limit: 1, tag, ...(secondDistance !== undefined && { second, secondDistance }) };
    const [match] = this.query(fingerprint, maxDistance, conditions);
    if (match === undefined) this.add(fingerprint, id, columns);
    return match;
  }

  remove(fingerprint: bigint, id: number): number {
    return this.keep((entry) => entry.fingerprint !== fingerprint || entry.id !== id);
  }

  removeBefore(time: number): number {
    return this.keep((entry) => entry.time >= time);
  }

  private keep(isKept: (entry: OracleEntry) => boolean): number {
    const before = this.entries.length;
    this.entries = this.entries.filter(isKept);
    return before - this.entries.length;
  }

  /** Entries in the order of (fingerprint, id, time, tag, second). */
  sorted(): OracleEntry[] {
    return [...this.entries].sort(
      (a, b) =>
        sign(a.fingerprint, b.fingerprint) ||
        sign(a.id, b.id) ||
        sign(a.time, b.time) ||
        sign(a.tag, b.tag) ||
        sign(a.second, b.second),
    );
  }

  /** Entries of one fingerprint and id together, in order. */
  private documents(): OracleEntry[][] {
    const documents: OracleEntry[][] = [];
    for (const entry of this.sorted()) {
      const last = documents.at(-1);
      if (last?.[0]?.fingerprint === entry.fingerprint && last[0].id === entry.id) last.push(entry);
      else documents.push([entry]);
    }
    return documents;
  }

  pairs(maxDistance: number, { limit = Number.POSITIVE_INFINITY, secondDistance }: Conditions = {}): Pair[] {
    const documents = this.documents();
    return documents.flatMap((entries, i) => {
      const { id } = entries[0] as OracleEntry;
      const nearest = nearestOf(entries, documents.slice(i + 1), maxDistance, true, secondDistance);
      nearest.delete(id);
      return matchesOf(nearest, limit).map((match): Pair => [id, match.id, match.distance]);
    });
  }

  join(
    other: Oracle,
    maxDistance: number,
    byTag: boolean,
    { limit = Number.POSITIVE_INFINITY, secondDistance }: Conditions = {},
  ): Pair[] {
    const others = other.documents();
    return this.documents().flatMap((entries) => {
      const nearest = nearestOf(entries, others, maxDistance, byTag, secondDistance);
      return matchesOf(nearest, limit).map(
        (match): Pair => [(entries[0] as OracleEntry).id, match.id, match.distance],
      );
    });
  }
}

/** Ids of the others that match one of the entries, with their distances. */
function nearestOf(
  entries: readonly OracleEntry[],
  others: readonly (readonly OracleEntry[])[],
  maxDistance: number,
  byTag: boolean,
  secondDistance: number | undefined,
): Map<number, number> {
  const nearest = new Map<number, number>();
  for (const entry of entries) {
    for (const other of others.flat()) {
      if (byTag && entry.tag !== other.tag) continue;
      if (secondDistance !== undefined) {
        if (between(entry.secondQuarters, other.secondQuarters) > secondDistance) continue;
      }
      const distance = between(entry.quarters, other.quarters);
      if (distance <= maxDistance && distance < (nearest.get(other.id) ?? 65))
        nearest.set(other.id, distance);
    }
  }
  return nearest;
}
