import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { raceLimit, withTimeLimit } from '../../../adapters/remote/time-limit.ts';
import { bundleForChild, runChild } from '../../run-typescript.ts';

describe('a time limit', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const forever = () => new Promise<never>(() => undefined);
  const wait = (limit: AbortSignal) => raceLimit(limit, forever(), () => undefined);

  it('ends the work when the time is up', async () => {
    const { signal } = new AbortController();
    const done = expect(withTimeLimit({ signal, ms: 1000 }, wait)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await vi.advanceTimersByTimeAsync(1000);
    await done;
  });

  it("ends the work when the caller's signal aborts, with its reason", async () => {
    const caller = new AbortController();
    const reason = new Error('given up');
    let seen: AbortSignal | undefined;
    const done = expect(
      withTimeLimit({ signal: caller.signal, ms: 1000 }, (limit) => {
        seen = limit;
        return wait(limit);
      }),
    ).rejects.toThrow();
    caller.abort(reason);
    await done;
    expect(seen?.reason).toBe(reason);
  });

  it('is over at once if the caller has already aborted', async () => {
    const caller = new AbortController();
    caller.abort();
    const aborted = await withTimeLimit({ signal: caller.signal, ms: 1000 }, async (limit) => limit.aborted);
    expect(aborted).toBe(true);
  });

  it('starts again after a restart', async () => {
    const { signal } = new AbortController();
    let limit: AbortSignal | undefined;
    let restart = (_ms: number): void => {};
    const done = withTimeLimit({ signal, ms: 1000 }, (inner, again) => {
      limit = inner;
      restart = again;
      return wait(inner);
    }).catch(() => 'over');
    await vi.advanceTimersByTimeAsync(900);
    restart(5000);
    await vi.advanceTimersByTimeAsync(4999);
    expect(limit?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await done).toBe('over');
  });

  it.each([
    ['ends', async () => 'done'],
    ['fails', () => Promise.reject(new Error('no'))],
  ])('leaves no timer or listener behind when the work %s', async (_how, work) => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await withTimeLimit({ signal, ms: 1000 }, work).catch(() => undefined);
    expect(vi.getTimerCount()).toBe(0);
    expect(added.mock.calls.map(([, listener]) => listener)).toEqual(
      removed.mock.calls.map(([, listener]) => listener),
    );
    expect(added).toHaveBeenCalledTimes(1);
  });
});

describe('every wait for a silent server', () => {
  it('ends at its limit, even under garbage collection', async () => {
    const bundle = await bundleForChild(join(import.meta.dirname, 'silent-waits.ts'));
    const { stdout, stderr } = await runChild(bundle, [], ['--expose-gc']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      canCollect: true,
      ended: { imap: true, caldav: true, https: true, discovery: true, smtp_kept: true },
    });
  });
});
