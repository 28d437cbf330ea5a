/** Waiting jobs, in an order that is fair to the owners: they take turns, and each owner's jobs keep their order. Pure. */
export interface Turns<J> {
  readonly size: number;
  /** @param isFirst  it waited before, and goes ahead of the owner's other jobs */
  add(ownerId: string, job: J, isFirst: boolean): void;
  remove(ownerId: string, job: J): void;
  /**
   * Takes the next job: of the owner who has waited longest among those with the fewest running jobs.
   * @param running  how many jobs of an owner run now
   */
  take(running: (ownerId: string) => number): J | undefined;
}

export function turns<J>(): Turns<J> {
  /** By owner, in the order of their turns. */
  const waiting = new Map<string, J[]>();

  return {
    get size() {
      return [...waiting.values()].reduce((sum, jobs) => sum + jobs.length, 0);
    },
    add(ownerId, job, isFirst) {
      const jobs = waiting.get(ownerId) ?? [];
      waiting.set(ownerId, isFirst ? [job, ...jobs] : [...jobs, job]);
    },
    remove(ownerId, job) {
      const left = (waiting.get(ownerId) ?? []).filter((one) => one !== job);
      if (left.length === 0) waiting.delete(ownerId);
      else waiting.set(ownerId, left);
    },
    take(running) {
      let next: string | undefined;
      for (const ownerId of waiting.keys()) {
        if (next === undefined || running(ownerId) < running(next)) next = ownerId;
      }
      if (next === undefined) return undefined;
      const [job, ...left] = waiting.get(next) ?? [];
      // The owner's next turn comes after those of the others.
      waiting.delete(next);
      if (left.length > 0) waiting.set(next, left);
      return job;
    },
  };
}
