/** What a batch may hold. One thing that is larger is a batch of its own. */
export interface BatchBounds {
  /** Of all sizes together. */
  readonly size: number;
  /** How many things. Absent: as many as there are. */
  readonly count?: number;
}

/** Splits things, in their order, into batches: only one of them is in memory, or on its way, at a time. */
export function batchesOf<T>(all: readonly T[], sizeOf: (one: T) => number, bounds: BatchBounds): T[][] {
  const { size: most, count = Number.POSITIVE_INFINITY } = bounds;
  const batches: T[][] = [];
  let size = 0;
  for (const one of all) {
    const batch = batches.at(-1);
    if (batch === undefined || batch.length >= count || size + sizeOf(one) > most) {
      batches.push([one]);
      size = 0;
    } else batch.push(one);
    size += sizeOf(one);
  }
  return batches;
}
