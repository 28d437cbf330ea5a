import { createHash } from 'node:crypto';
import type { OpenApprovals } from '../approvals/approval-storage.ts';
import type { Ports } from '../ports/ports.ts';
import { backgroundJob } from '../work/background-job.ts';

/** The owner's requests at one moment, without content. */
export interface RequestsNow {
  /** How many wait for the owner's decision. */
  readonly waiting: number;
  /** Opaque. It differs once a request is added or changes its state. */
  readonly version: string;
  /** When that was, by the store's clock. */
  readonly storeNowMs: number;
}

/** Its functions must not throw. */
export interface RequestWatcher {
  changed(now: RequestsNow): void;
  /** The service stops: nothing follows. */
  ended(): void;
}

/** Watches the requests of owners whose pages are open. */
export interface RequestWatch {
  now(ownerId: string): Promise<RequestsNow>;
  watch(ownerId: string, watcher: RequestWatcher): () => void;
  /** Ends all watchers and accepts no more. Resolves when the current look-up has ended. */
  stop(): Promise<void>;
}

/** How late a change of another process is noticed, at most. A page needs the rest of a second to show it. */
const POLL_MS = 500;

interface Watching {
  readonly ownerId: string;
  readonly watcher: RequestWatcher;
  /** The last version that it was notified of. */
  version: string | undefined;
}

export function createRequestWatch(
  ports: Pick<Ports, 'clock' | 'log' | 'storage' | 'workObserver'>,
): RequestWatch {
  const { storage } = ports;
  const watchings = new Set<Watching>();
  let isStopped = false;

  /** One look-up for all owners. */
  async function round(): Promise<void> {
    const owners = new Set([...watchings].map(({ ownerId }) => ownerId));
    if (owners.size === 0) return;
    const { byOwner, storeNowMs } = await storage.openApprovals([...owners]);
    for (const watching of watchings) {
      // Added while the look-up ran: the next round is for it.
      if (!owners.has(watching.ownerId)) continue;
      const now = requestsNow(byOwner.get(watching.ownerId), storeNowMs);
      if (now.version === watching.version) continue;
      watching.version = now.version;
      watching.watcher.changed(now);
    }
  }

  const job = backgroundJob('open pages', round, POLL_MS, ports);
  const unobserve = storage.onApprovalChange((_, ownerId) => {
    if ([...watchings].some((one) => one.ownerId === ownerId)) job.wake();
  });

  return {
    async now(ownerId) {
      const { byOwner, storeNowMs } = await storage.openApprovals([ownerId]);
      return requestsNow(byOwner.get(ownerId), storeNowMs);
    },
    watch(ownerId, watcher) {
      if (isStopped) {
        watcher.ended();
        return () => undefined;
      }
      const watching: Watching = { ownerId, watcher, version: undefined };
      watchings.add(watching);
      job.start();
      job.wake();
      return () => watchings.delete(watching);
    },
    async stop() {
      isStopped = true;
      unobserve();
      for (const { watcher } of watchings) watcher.ended();
      watchings.clear();
      await job.stop();
    },
  };
}

function requestsNow(found: OpenApprovals | undefined, storeNowMs: number): RequestsNow {
  const states = [...(found?.states ?? [])].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([found?.newestId ?? null, ...states]);
  return {
    waiting: states.filter(([, state]) => state === 'pending').length,
    version: createHash('sha256').update(text).digest('base64url').slice(0, 16),
    storeNowMs,
  };
}
