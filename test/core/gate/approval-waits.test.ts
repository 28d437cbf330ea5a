import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pending, Success } from '../../../core/call/outcome.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import { type ApprovalWait, createApprovalWaits } from '../../../core/gate/approval-waits.ts';
import { handClock, settled } from '../service/hand-clock.ts';

const POLL_MS = 2000;
const ID = 'apr_1';

function pending(state: 'pending' | 'approved' = 'pending'): Pending {
  const approval = { id: ID, state, tool: 'send_email', created_at: '' };
  return {
    status: 'pending_approval',
    executed: false,
    ...{ approval, approvals_url: '', poll_after_s: 15, message: '' },
  };
}

const unreachable = () => new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 } });

const executed: Success = { status: 'ok', executed: true, result: {} };

function opened() {
  const hand = handClock();
  const listeners = new Set<(id: string) => void>();
  const onApprovalChange = (listener: (id: string) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const reported = { storage: { onApprovalChange }, clock: hand.clock };
  // The rest of storage is not used.
  const waits = createApprovalWaits(reported as unknown as Parameters<typeof createApprovalWaits>[0]);
  let state: Success | Pending = pending();
  const wait = (changes: Partial<ApprovalWait> = {}) =>
    waits.ofCall({
      approvalId: ID,
      credentialId: 'key',
      first: pending(),
      waitS: 25,
      read: async () => state,
      gone: undefined,
      onWaiting: undefined,
      ...changes,
    });
  return {
    ...hand,
    waits,
    wait,
    become(next: Success | Pending, isReported: boolean) {
      state = next;
      if (isReported) for (const listener of listeners) listener(ID);
    },
  };
}

describe('a wait for an approval', () => {
  it('ends at the first notice or poll that finds the end, and never later than its time', async () => {
    // Odd, so that nothing happens at the instant of a poll.
    const instant = fc.nat(15_000).map((n) => 2 * n + 1);
    const change = fc.record({ atMs: instant, isReported: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 25 }),
        fc.uniqueArray(change, { maxLength: 2, selector: ({ atMs }) => atMs }),
        fc.array(instant, { maxLength: 3 }),
        async (waitS, changes, otherNotices) => {
          const { wait, become, moveTo, nowMs, timers } = opened();
          const [first, second] = changes.sort((a, b) => a.atMs - b.atMs);
          const stateAt = (ms: number) =>
            first === undefined || ms < first.atMs
              ? 'pending'
              : second === undefined || ms < second.atMs
                ? 'approved'
                : 'executed';
          const wakes = [
            ...changes.filter(({ isReported }) => isReported).map(({ atMs }) => atMs),
            ...otherNotices,
            ...Array.from({ length: 13 }, (_, n) => n * POLL_MS),
            waitS * 1000,
          ].filter((ms) => ms <= waitS * 1000);
          const expectedMs =
            wakes.sort((a, b) => a - b).find((ms) => stateAt(ms) === 'executed') ?? waitS * 1000;

          let endedMs: number | undefined;
          const ended = wait({ waitS }).then((outcome) => {
            endedMs = nowMs();
            return outcome;
          });
          const happenings = [
            ...(first === undefined ? [] : [{ ...first, next: pending('approved') }]),
            ...(second === undefined ? [] : [{ ...second, next: executed }]),
            ...otherNotices.map((atMs) => ({ atMs, isReported: true, next: undefined })),
          ].sort((a, b) => a.atMs - b.atMs);
          let current: Success | Pending = pending();
          for (const { atMs, isReported, next } of happenings) {
            await moveTo(atMs);
            current = next ?? current;
            become(current, isReported);
            await settled();
          }
          await moveTo(40_000);
          const outcome = await ended;
          expect(endedMs).toBe(expectedMs);
          const state = outcome.status === 'pending_approval' ? outcome.approval.state : 'executed';
          expect(state).toBe(stateAt(expectedMs));
          expect(timers.size).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('sees a change that happened before it began to wait', async () => {
    const { wait, become } = opened();
    become(executed, false);
    expect(await wait()).toBe(executed);
  });

  it('sees a change that is reported while it reads', async () => {
    const { wait, become } = opened();
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads > 1) return executed;
      become(executed, true);
      return pending();
    };
    expect(await wait({ read })).toBe(executed);
  });

  it('ends when its caller disconnects', async () => {
    const { wait, timers } = opened();
    const caller = new AbortController();
    const ended = wait({ gone: caller.signal });
    await settled();
    caller.abort();
    expect(await ended).toEqual(pending());
    expect(timers.size).toBe(0);
  });

  it('reports how long it has waited, at once and then every five seconds', async () => {
    const { wait, moveTo } = opened();
    const reports: (readonly number[])[] = [];
    const ended = wait({ waitS: 12, onWaiting: (waitedS, waitS) => reports.push([waitedS, waitS]) });
    await moveTo(12_000);
    await ended;
    expect(reports).toEqual([
      [0, 12],
      [5, 12],
      [10, 12],
    ]);
  });

  it('goes on while the store cannot be reached, and fails if it still cannot be at the end', async () => {
    const { wait, become, moveTo, timers } = opened();
    let isAway = true;
    const read = async () => {
      if (isAway) throw unreachable();
      return executed;
    };
    const back = wait({ read });
    const never = wait({ read: () => Promise.reject(unreachable()), waitS: 12 });
    never.catch(() => undefined);
    await settled();
    become(executed, true);
    await settled();
    isAway = false;
    await moveTo(POLL_MS);
    expect(await back).toBe(executed);
    await moveTo(12_000);
    await expect(never).rejects.toThrow(unreachable());
    expect(timers.size).toBe(0);
  });

  it('fails with the error of a read', async () => {
    const { wait, timers } = opened();
    await expect(wait({ read: () => Promise.reject(new Error('away')) })).rejects.toThrow('away');
    expect(timers.size).toBe(0);
  });
});

describe('waits for approvals', () => {
  it('are at most 10 per credential and 100 per process: the next one is answered at once', async () => {
    const { wait, waits, become } = opened();
    const all = Array.from({ length: 10 }, (_, n) => n).flatMap((key) =>
      Array.from({ length: 10 }, () => wait({ credentialId: `key ${key}` })),
    );
    expect(await wait({ credentialId: 'key 0' })).toEqual(pending());
    expect(await wait({ credentialId: 'another key' })).toEqual(pending());
    become(executed, true);
    expect(new Set(await Promise.all(all))).toEqual(new Set([executed]));
    become(pending(), false);
    const again = wait({ credentialId: 'key 0' });
    become(executed, true);
    expect(await again).toBe(executed);
    await waits.stop();
  });

  it('end with the current state when they are stopped, and none begins afterwards', async () => {
    const { wait, waits, timers } = opened();
    const ended = wait();
    await settled();
    await waits.stop();
    expect(timers.size).toBe(0);
    expect(await ended).toEqual(pending());
    expect(await wait()).toEqual(pending());
    expect(timers.size).toBe(0);
  });
});
