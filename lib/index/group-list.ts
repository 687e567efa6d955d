/** Members of groups, put together by group. */
import type { Groups } from './groups.ts';
import { numbered, type Pace, sortBy } from './order.ts';

/**
 * Item i says that ids[i] belongs to the group of owners[i], at distances[i] bits; maybe not for the only time. Owners
 * belong to their own groups.
 */
export interface Members {
  readonly ids: Float64Array;
  readonly owners: Float64Array;
  readonly distances: Uint8Array;
}

/** The groups of two ids and more; those of more than maxGroup are only counted. */
export async function collectGroups(
  { ids, owners, distances }: Members,
  maxGroup: number,
  pace: Pace,
): Promise<Groups> {
  let order = await sortBy(pace, numbered(ids.length), (i) => distances[i] as number);
  // An owner is the first of its group, whatever its id.
  for (const key of [ids, Float64Array.from(ids, (id, i) => (id === owners[i] ? 0 : 1)), owners]) {
    order = await sortBy(pace, order, (i) => key[i] as number);
  }
  const list = new GroupList(ids.length, maxGroup);
  await pace.each(order.length, (at) => {
    const i = order[at] as number;
    list.add(owners[i] as number, ids[i] as number, distances[i] as number);
  });
  return list.end();
}

/** Takes members group by group, an owner first, then ids ascending, each at its smallest distance first. */
class GroupList {
  private readonly ids: Float64Array;
  private readonly distances: Uint8Array;
  private readonly offsets: Float64Array;
  private groups = 0;
  /** Members of the groups that are complete, and with those of the one being filled. */
  private complete = 0;
  private count = 0;
  private readonly oversizedIds: number[] = [];
  private readonly oversizedSizes: number[] = [];

  constructor(
    capacity: number,
    private readonly maxGroup: number,
  ) {
    this.ids = new Float64Array(capacity);
    this.distances = new Uint8Array(capacity);
    this.offsets = new Float64Array(capacity + 1);
  }

  add(owner: number, id: number, distance: number): void {
    if (this.count === this.complete || this.ids[this.complete] !== owner) {
      this.endGroup();
      this.push(owner, 0);
    }
    if (id !== owner && this.ids[this.count - 1] !== id) this.push(id, distance);
  }

  private push(id: number, distance: number): void {
    this.ids[this.count] = id;
    this.distances[this.count++] = distance;
  }

  private endGroup(): void {
    const size = this.count - this.complete;
    if (size > this.maxGroup) {
      this.oversizedIds.push(this.ids[this.complete] as number);
      this.oversizedSizes.push(size);
    } else if (size > 1) {
      this.complete = this.count;
      this.offsets[++this.groups] = this.count;
    }
    this.count = this.complete;
  }

  end(): Groups {
    this.endGroup();
    const { groups, offsets, distances } = this;
    const smallest = new Uint8Array(groups);
    const greatest = new Uint8Array(groups);
    for (let g = 0; g < groups; g++) {
      smallest[g] = 64;
      for (let i = (offsets[g] as number) + 1; i < (offsets[g + 1] as number); i++) {
        smallest[g] = Math.min(smallest[g] as number, distances[i] as number);
        greatest[g] = Math.max(greatest[g] as number, distances[i] as number);
      }
    }
    return {
      offsets: offsets.slice(0, groups + 1),
      ids: this.ids.slice(0, this.complete),
      distances: distances.slice(0, this.complete),
      smallestDistances: smallest,
      greatestDistances: greatest,
      oversized: { ids: Float64Array.from(this.oversizedIds), sizes: Float64Array.from(this.oversizedSizes) },
    };
  }
}
