import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalState } from '../../../core/approvals/approval.ts';
import type { OpenApprovals } from '../../../core/approvals/approval-storage.ts';
import type { RequestsNow } from '../../../core/requests/request-watch.ts';
import { createRequestWatch } from '../../../core/requests/request-watch.ts';
import { silentLog } from '../../open-service.ts';
import { handClock, settled } from '../service/hand-clock.ts';

function opened() {
  const hand = handClock();
  const listeners = new Set<(id: string, ownerId: string) => void>();
  const stored = new Map<string, OpenApprovals>();
  const lookUps: (readonly string[])[] = [];
  let failsNext = false;
  const storage = {
    onApprovalChange(listener: (id: string, ownerId: string) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async openApprovals(owners: readonly string[]) {
      lookUps.push(owners);
      if (failsNext) {
        failsNext = false;
        throw new Error('the store is away');
      }
      const byOwner = new Map([...stored].filter(([ownerId]) => owners.includes(ownerId)));
      return { byOwner, storeNowMs: hand.clock.now().getTime() };
    },
  };
  // The rest of storage is not used.
  const ports = { clock: hand.clock, log: silentLog, storage };
  const requests = createRequestWatch(ports as unknown as Parameters<typeof createRequestWatch>[0]);
  return {
    ...hand,
    requests,
    listeners,
    lookUps,
    failNext() {
      failsNext = true;
    },
    become(ownerId: string, newestId: string, states: Readonly<Record<string, ApprovalState>>) {
      stored.set(ownerId, { newestId, states: new Map(Object.entries(states)) });
    },
    report(ownerId: string) {
      for (const listener of listeners) listener('apr_1', ownerId);
    },
    watching(ownerId: string) {
      const seen: (RequestsNow | 'ended')[] = [];
      const remove = requests.watch(ownerId, {
        changed: (now) => seen.push(now),
        ended: () => seen.push('ended'),
      });
      return { seen, remove, waiting: () => seen.map((one) => (one === 'ended' ? one : one.waiting)) };
    },
  };
}

describe('the watch over the requests of owners', () => {
  it('notifies of the current version, and of a change of another process within half a second', async () => {
    const { watching, become, moveTo } = opened();
    const { waiting } = watching('ada');
    await settled();
    expect(waiting()).toEqual([0]);
    become('ada', 'apr_1', { apr_1: 'pending' });
    await moveTo(499);
    expect(waiting()).toEqual([0]);
    await moveTo(500);
    expect(waiting()).toEqual([0, 1]);
    await moveTo(5000);
    expect(waiting()).toEqual([0, 1]);
  });

  it('notifies of a change of this process at once, and only if somebody watches that owner', async () => {
    const { watching, become, report, lookUps } = opened();
    const { waiting } = watching('ada');
    await settled();
    become('ada', 'apr_1', { apr_1: 'pending' });
    report('ada');
    await settled();
    expect(waiting()).toEqual([0, 1]);
    const before = lookUps.length;
    report('somebody else');
    await settled();
    expect(lookUps).toHaveLength(before);
  });

  it('looks up all owners at once, however many pages are open, and nobody if none is', async () => {
    const { watching, moveTo, lookUps } = opened();
    const open = ['ada', 'ada', 'ada', 'ben', 'ben'].map(watching);
    await settled();
    lookUps.length = 0;
    await moveTo(1000);
    expect(lookUps).toEqual([
      ['ada', 'ben'],
      ['ada', 'ben'],
    ]);
    for (const { remove } of open) remove();
    await moveTo(5000);
    expect(lookUps).toHaveLength(2);
  });

  it('misses no change if a look-up fails', async () => {
    const { watching, become, failNext, moveTo } = opened();
    const { waiting } = watching('ada');
    await settled();
    become('ada', 'apr_1', { apr_1: 'pending' });
    failNext();
    await moveTo(500);
    expect(waiting()).toEqual([0]);
    await moveTo(1000);
    expect(waiting()).toEqual([0, 1]);
  });

  it('ends with the service, and then accepts nobody', async () => {
    const { watching, requests, moveTo, timers, listeners } = opened();
    const open = watching('ada');
    await settled();
    await requests.stop();
    expect(open.waiting()).toEqual([0, 'ended']);
    expect(watching('ada').waiting()).toEqual(['ended']);
    await moveTo(5000);
    expect(open.waiting()).toEqual([0, 'ended']);
    expect([timers.size, listeners.size]).toEqual([0, 0]);
  });
});

describe('the version of requests', () => {
  const state = fc.constantFrom('pending', 'approved', 'absent');
  const content = fc.record({
    newestId: fc.constantFrom('apr_1', 'apr_2'),
    states: fc.dictionary(fc.constantFrom('apr_1', 'apr_2', 'apr_3'), state),
  });

  it('differs exactly if the newest request, or the state of an open one, differs', async () => {
    await fc.assert(
      fc.asyncProperty(content, content, async (one, other) => {
        const { become, requests } = opened();
        const open = ({ states }: typeof one) =>
          Object.fromEntries(Object.entries(states).filter(([, kind]) => kind !== 'absent')) as Record<
            string,
            ApprovalState
          >;
        become('ada', one.newestId, open(one));
        become('ben', other.newestId, open(other));
        const [ada, ben] = [await requests.now('ada'), await requests.now('ben')];
        const textOf = (given: typeof one) =>
          JSON.stringify([given.newestId, Object.entries(open(given)).toSorted()]);
        expect(ada.version === ben.version).toBe(textOf(one) === textOf(other));
        expect(ada.waiting).toBe(Object.values(open(one)).filter((kind) => kind === 'pending').length);
      }),
    );
  });
});
