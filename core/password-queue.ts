/** Who waits: a browser that signed in before, or anybody else. */
export type QueueLane = 'devices' | 'strangers';

export interface PasswordQueue {
  /**
   * Runs `work` when nothing else of the queue runs: known devices first, then in order of arrival.
   * @param key names the device, or the address group: each has one place to wait in
   * @returns undefined, at once, when the lane has no place left or the key's is taken
   */
  run<Result>(lane: QueueLane, key: string, work: () => Promise<Result>): Promise<Result> | undefined;
}

/** In each lane. A check takes about half a second, so nobody waits for long. */
const WAITING_MAX = 4;

/**
 * Lets one password check run at a time, because each takes 128 MB and most of a second of a core, and lets only a
 * few wait. Known devices have places of their own, so strangers cannot take them.
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
