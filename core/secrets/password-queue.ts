/** Who waits: a browser that signed in before, or anyone else. */
export type QueueLane = 'devices' | 'strangers';

export interface PasswordQueue {
  /**
   * Runs `work` when nothing else in the queue runs. Known devices go first, then in order of arrival.
   * @param key  the device or the address group; each may have one try waiting
   * @returns undefined, at once, if the lane is full or this key already waits
   */
  run<Result>(lane: QueueLane, key: string, work: () => Promise<Result>): Promise<Result> | undefined;
}

/** Per lane. A check takes about half a second, so nobody waits long. */
const WAITING_MAX = 4;

/**
 * Runs one password check at a time, because each takes 128 MB and most of a second of CPU, and lets only a few wait.
 * Known devices have their own places, so strangers cannot take them.
 */
export function createPasswordQueue(): PasswordQueue {
  const lanes = { devices: new Map<string, () => void>(), strangers: new Map<string, () => void>() };
  let isRunning = false;

  function startNext(): void {
    for (const lane of [lanes.devices, lanes.strangers]) {
      for (const [key, start] of lane) {
        lane.delete(key);
        start();
        return;
      }
    }
    isRunning = false;
  }

  return {
    run(name, key, work) {
      const lane = lanes[name];
      if (lane.has(key) || lane.size >= WAITING_MAX) return undefined;
      const turn = isRunning ? new Promise<void>((resolve) => lane.set(key, resolve)) : Promise.resolve();
      isRunning = true;
      return turn.then(work).finally(startNext);
    },
  };
}
