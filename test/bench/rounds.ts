/** One measured thing and what it is held against, in the same unit, from the same run. */
export interface Compared {
  readonly ours: number;
  readonly reference: number;
  /** The median of the ratios of neighbouring rounds: what else the machine does meanwhile slows down both. */
  readonly ratio: number;
}

/**
 * Measures both in turn, in short rounds.
 * @param reference  measures one round @param ours the same
 */
export async function alternate(
  rounds: number,
  reference: (round: number) => Promise<number>,
  ours: (round: number) => Promise<number>,
): Promise<Compared> {
  // The first round of each warms up.
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

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** @returns the median of how long one of them took, in ms */
export async function medianMs(times: number, work: (time: number) => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    await work(time);
    took.push(performance.now() - began);
  }
  return median(took);
}
