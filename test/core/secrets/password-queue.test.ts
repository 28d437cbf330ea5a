import { describe, expect, it } from 'vitest';
import {
  createPasswordQueue,
  type PasswordQueue,
  type QueueLane,
} from '../../../core/secrets/password-queue.ts';

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

/** Work that runs until the test ends it, and the order of its starts. */
function scene() {
  const queue = createPasswordQueue();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  let running = 0;
  return {
    begun,
    enter(lane: QueueLane, key: string): ReturnType<PasswordQueue['run']> {
      return queue.run(lane, key, async () => {
        begun.push(key);
        running += 1;
        expect(running).toBe(1);
        await new Promise<void>((resolve) => ends.push(resolve));
        running -= 1;
      });
    },
    /** Ends the running work, so that the next one starts. */
    async next() {
      await turns();
      ends.shift()?.();
      await turns();
    },
  };
}

describe('the queue of password checks', () => {
  it('lets four strangers wait, and refuses all others immediately', async () => {
    const { enter, begun, next } = scene();
    const entered = Array.from({ length: 300 }, (_, n) => enter('strangers', `address ${n}`) !== undefined);
    expect(entered.filter(Boolean)).toHaveLength(5);
    for (let n = 0; n < 10; n++) await next();
    expect(begun).toEqual(['address 0', 'address 1', 'address 2', 'address 3', 'address 4']);
    expect(enter('strangers', 'address 9')).toBeDefined();
  });

  it('lets a known device go first, before all waiting strangers', async () => {
    const { enter, begun, next } = scene();
    for (let n = 0; n < 300; n++) void enter('strangers', `address ${n}`);
    expect(enter('devices', 'device')).toBeDefined();
    for (let n = 0; n < 3; n++) await next();
    expect(begun.slice(0, 3)).toEqual(['address 0', 'device', 'address 1']);
  });

  it('has one waiting place per address, and one per device', async () => {
    const { enter, begun, next } = scene();
    expect([1, 2, 3].map(() => enter('strangers', 'a') !== undefined)).toEqual([true, true, false]);
    expect([1, 2].map(() => enter('devices', 'a') !== undefined)).toEqual([true, false]);
    await next();
    await next();
    expect(begun).toEqual(['a', 'a', 'a']);
    // The place is free again once its turn has come.
    expect(enter('strangers', 'a')).toBeDefined();
  });

  it('continues after a failure', async () => {
    const queue = createPasswordQueue();
    const failed = queue.run('strangers', 'a', () => Promise.reject(new Error('no')));
    const after = queue.run('strangers', 'b', async () => 'done');
    await expect(failed).rejects.toThrow('no');
    expect(await after).toBe('done');
    expect(await queue.run('strangers', 'c', async () => 'idle again')).toBe('idle again');
  });
});
