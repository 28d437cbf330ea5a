/** A measurement and its reference, in the same unit and from the same run. */
export interface Compared {
  readonly ours: number;
  readonly reference: number;
  /** The median ratio of neighbouring rounds, because other load on the machine slows both alike. */
  readonly ratio: number;
}

/**
 * Measures both in turn, in short rounds.
 * @param reference  measures one round @param ours  likewise
 */
export async function alternate(
  rounds: number,
  reference: (round: number) => Promise<number>,
  ours: (round: number) => Promise<number>,
): Promise<Compared> {
  // The first round of each is a warm-up.
  await reference(0);
  await ours(0);
  const pairs: { ours: number; reference: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const first = await reference(round);
    pairs.push({ reference: first, ours: await ours(round) });
  }
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    reference: median(pairs.map((pair) => pair.reference)),
    ratio: median(pairs.map((pair) => pair.ours / pair.reference)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** @returns the median time of one run of `work` */
export async function medianMs(times: number, work: (time: number) => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) took.push(await tookMs(() => work(time)));
  return median(took);
}
