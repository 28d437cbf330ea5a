import { runPorts } from '../accounts/tool-ports.ts';
import type { Action } from '../actions/action.ts';
import { SentCopyRefused } from '../actions/frozen-message.ts';
import type { StoredAction } from '../actions/stored-action.ts';
import { type Approval, type Approved, type Executed, transition } from '../approvals/approval.ts';
import type { Reclaimed, Settlement } from '../approvals/run-storage.ts';
import { ServiceStoppedError } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import { normalAddress } from '../contract/schema.ts';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { followUp, type RunParts, runAction } from './run-action.ts';
import { openAction } from './sealed-plan.ts';

/**
 * Runs approved actions, settles them, and recovers after a crash. A run is leased to this process. A run
 * that never started certainly changed nothing.
 */
export interface Executor {
  /**
   * Runs an approval that is leased to this process, and settles it. Never rejects.
   * @returns the approval afterwards; as it was, if the service has stopped: then recovery settles it
   */
  executeApproval(approval: Approved, sealedPlan: string | null): Promise<Approval>;
  /** Takes over runs whose lease has lapsed. @returns once they have started; `ended` resolves when they have ended */
  recover(): Promise<{ readonly ended: Promise<unknown> }>;
  /** Resolves when nothing is running. */
  idle(): Promise<void>;
  /** Aborts the calls to servers of everything that is running. Call it when storage is closed. */
  interrupt(): void;
}

/** What other subjects do once an action has succeeded. */
export interface AfterRun extends Pick<RunParts, 'linkSent'> {
  /** Keeps the ids of the messages that it has moved. Never rejects. */
  keepIds(ownerId: string, action: StoredAction, result: Result): Promise<void>;
}

const RECLAIM_AT_ONCE = 20;
/** Each try sends the whole message, and a person has to make room for it. */
const REFUSED_RETRY_MS = 15 * MINUTE_MS;

export function createExecutor(
  ports: Ports,
  keyring: Keyring,
  leaseMs: number,
  { linkSent, keepIds }: AfterRun,
): Executor {
  const { storage, clock, log } = ports;
  const retryMs = Math.round((leaseMs * 2) / 3);
  const parts = { ports, runPorts: runPorts(ports), keyring, retryMs, linkSent };
  const running = new Map<string, { readonly work: Promise<unknown>; readonly abort: AbortController }>();

  /** @param run  never rejects */
  function track<T>(key: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const work = run(abort.signal);
    running.set(key, { work, abort });
    void work.finally(() => running.delete(key));
    return work;
  }

  /** Renews a lease while the work runs. */
  async function leased<T>(held: Parameters<typeof storage.renew>[0], work: () => Promise<T>): Promise<T> {
    const stop = clock.every(leaseMs / 3, () => {
      storage
        .renew(held, leaseMs)
        .catch((error: unknown) => log.warn('a lease was not renewed', errorName(error)));
    });
    try {
      return await work();
    } finally {
      stop();
    }
  }

  function executeApproval(approval: Approved, sealedPlan: string | null): Promise<Approval> {
    const { ownerId, id, fence } = approval;
    const held = { ownerId, approval: { id, fence } };
    return track(id, (signal) =>
      leased(held, () => execute(approval, sealedPlan, signal)).catch((error: unknown) => {
        log.warn('a run is left to recovery', { approval: id, ...errorName(error) });
        return approval;
      }),
    );
  }

  /** @throws ServiceStoppedError */
  async function execute(
    approval: Approved,
    sealedPlan: string | null,
    signal: AbortSignal,
  ): Promise<Approval> {
    const { ownerId, id, fence, startedAt } = approval;
    const base = { ownerId, approvalId: id, fence, leaseMs };
    const action = readable(approval, sealedPlan);
    if (action === undefined) {
      const end = startedAt === null ? ({ type: 'refuse', error: 'plan_unreadable' } as const) : LOST;
      return settle(approval, { ...base, end, recipients: [], followUp: false });
    }
    const end = await runAction(parts, approval, action, signal);
    if (end.type === 'succeed') await keepIds(ownerId, action.stored, end.result);
    const recipients = action.recipients.map(normalAddress);
    const hasMore = action.followUp !== undefined;
    const settled = await settle(approval, { ...base, end, recipients, followUp: hasMore });
    if (settled.state === 'executed' && settled.fence === fence && hasMore) {
      void finish(settled, action);
    }
    return settled;
  }

  /**
   * The effect is done, whether or not it is recorded. Retries until the store accepts the record.
   * @throws ServiceStoppedError
   */
  async function settle(approval: Approved, settlement: Omit<Settlement, 'now'>): Promise<Approval> {
    for (;;) {
      try {
        const now = clock.now();
        const settled = await storage.settle({ ...settlement, now });
        if (settled !== undefined) return settled;
        // An owner is not removed while an action is under way, so this one never started.
        const { fence } = approval;
        return transition(approval, { type: 'refuse', fence, error: 'credential_off' }, now) ?? approval;
      } catch (error) {
        if (error instanceof ServiceStoppedError) throw error;
        log.error('a settlement was not stored; retrying', {
          approval: settlement.approvalId,
          ...errorName(error),
        });
        await new Promise<void>((resolve) => clock.after(Math.min(1000, leaseMs / 3), resolve));
      }
    }
  }

  /** Runs the follow-up of an executed action. */
  function finish(approval: Executed, action: Action<StoredAction, Result>): Promise<void> {
    const { ownerId, id } = approval;
    async function work(signal: AbortSignal): Promise<void> {
      try {
        await leased({ ownerId, followUp: id }, () => followUp(parts, approval, action, signal));
        await storage.followedUp({ ownerId, approvalId: id });
      } catch (error) {
        log.warn('a follow-up is due again', { approval: id, ...errorName(error) });
        const later =
          error instanceof SentCopyRefused
            ? ({ error: 'sent_copy_refused', retryMs: REFUSED_RETRY_MS } as const)
            : { error: null, retryMs: parts.retryMs };
        await storage
          .followUpLater({ ownerId, approvalId: id, ...later })
          .catch((failure: unknown) =>
            log.warn('a follow-up is due when its lease expires', { approval: id, ...errorName(failure) }),
          );
      }
    }
    return track(`${id}${FOLLOW_UP}`, work);
  }

  /** @returns undefined if the plan cannot be read, for any reason: then it cannot run. The log says so. */
  function readable(approval: Approval, sealedPlan: string | null): Action<StoredAction, Result> | undefined {
    try {
      return openAction(keyring, approval, sealedPlan);
    } catch (error) {
      log.error('a plan could not be read', { approval: approval.id, ...errorName(error) });
      return undefined;
    }
  }

  function finishReclaimed({ approval, sealedPlan }: Reclaimed<Executed>): Promise<void> {
    const action = readable(approval, sealedPlan);
    if (action !== undefined) return finish(approval, action);
    log.error('a follow-up is given up', { approval: approval.id });
    return storage.followedUp({ ownerId: approval.ownerId, approvalId: approval.id });
  }

  return {
    executeApproval,
    async recover() {
      const ids = new Set([...running.keys()].map((key) => key.replace(FOLLOW_UP, '')));
      const due = await storage.reclaim({
        running: ids,
        leaseMs,
        limit: RECLAIM_AT_ONCE,
        signer: keyring,
        now: clock.now(),
      });
      return {
        ended: Promise.all([
          ...due.runs.map(({ approval, sealedPlan }) => executeApproval(approval, sealedPlan)),
          ...due.followUps.map(finishReclaimed),
        ]),
      };
    },
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ work }) => work));
    },
    interrupt() {
      for (const { abort } of running.values()) abort.abort();
    },
  };
}

const LOST = { type: 'lose' } as const;
/** The end of the key of a follow-up, among the running work. */
const FOLLOW_UP = '/follow-up';
