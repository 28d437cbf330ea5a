import { type Approval, type ApprovalError, START_WITHIN_MS } from './approval.ts';
import type { ErrorCode } from './errors.ts';
import type { Keyring } from './keyring.ts';
import { mailCall } from './mail-call.ts';
import { type ActionPlan, digestOf, planSchema } from './plan.ts';
import { named } from './ports/log.ts';
import { MailError } from './ports/mail.ts';
import type { Ports } from './ports/ports.ts';
import type { Settlement } from './ports/storage.ts';
import { normalAddress } from './schema.ts';
import { runPorts } from './tool-ports.ts';
import { toolNamed } from './tools/catalogue.ts';
import { isWrite, type RunContext, type WriteTool } from './tools/define-tool.ts';

/**
 * Runs what is approved, settles it, and recovers what a crash left behind.
 * A run is leased to this process; a run that was never started certainly did not happen.
 */
export interface Executor {
  /**
   * Runs an approval that this process has just been given the lease of, and settles it. Never rejects.
   * @returns the approval as it then stands
   */
  executeApproval(approval: Approval, sealedPlan: string | null): Promise<Approval>;
  /** Takes over what lapsed leases left behind; resolves when those runs have ended. */
  recover(): Promise<void>;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
}

/** RFC 5321 4.5.3.2.6 allows ten minutes for the answer to the final dot. */
const RUN_DEADLINE_MS = 11 * 60_000;
const RECLAIM_AT_ONCE = 20;

export function sealPlan(keyring: Keyring, ownerId: string, approvalId: string, text: string): string {
  return keyring.seal('plan', `${ownerId}\n${approvalId}`, text);
}

/**
 * The plan as it was filed.
 * @throws Error when it cannot be opened, is not the one with this digest, or has a shape of another version
 */
export function openPlan(keyring: Keyring, approval: Approval, sealedPlan: string): ActionPlan {
  const text = keyring.open('plan', `${approval.ownerId}\n${approval.id}`, sealedPlan);
  if (digestOf(text) !== approval.digest) throw new Error('the stored plan is not the one that was filed');
  return planSchema.parse(JSON.parse(text));
}

export function createExecutor(ports: Ports, keyring: Keyring, leaseMs: number): Executor {
  const { storage, clock, log } = ports;
  const portsOfRun = runPorts(ports);
  const running = new Map<string, Promise<unknown>>();
  /** What could not be done now is due again after this long. */
  const retryMs = Math.round((leaseMs * 2) / 3);

  function track<T>(key: string, work: Promise<T>): Promise<T> {
    running.set(key, work);
    void work.finally(() => running.delete(key));
    return work;
  }

  /** Keeps a lease alive for as long as the work takes. */
  async function leased<T>(held: Parameters<typeof storage.renew>[0], work: () => Promise<T>): Promise<T> {
    const stop = clock.every(leaseMs / 3, () => {
      storage
        .renew(held, leaseMs)
        .catch((error: unknown) => log.warn('a lease was not renewed', named(error)));
    });
    try {
      return await work();
    } finally {
      stop();
    }
  }

  /** What one run knows, and what it has come to so far. */
  function openRun(approval: Approval, relocated: readonly string[]) {
    const { ownerId, id, lease } = approval;
    const never = new AbortController().signal;
    const date = clock.now();
    const progress = { started: approval.startedAt !== null, startError: undefined as unknown };
    const run: RunContext = {
      ports: portsOfRun,
      ownerId,
      requestId: id,
      date,
      async start() {
        if (progress.started) return true;
        // The store is given the Date of the message, which is older than this instant by what connecting took.
        if (!isInTime(approval, clock.now())) return false;
        try {
          const request = { ownerId, approvalId: id, fence: lease.fence, relocated, now: date };
          progress.started = await storage.start(request);
        } catch (error) {
          progress.startError = error;
        }
        return progress.started;
      },
      async mailbox(accountId) {
        const account = (await storage.accounts(ownerId)).find((one) => one.accountId === accountId);
        if (account === undefined) throw new MailError('refused', 'the account is no longer connected');
        return { account, call: mailCall(keyring, account, never, RUN_DEADLINE_MS) };
      },
    };
    return { run, progress };
  }

  type End = Settlement['end'];

  async function attempt(tool: WriteTool, plan: ActionPlan, approval: Approval): Promise<End> {
    const relocated = tool.relocates === true ? plan.targets.map(({ mark }) => mark) : [];
    // It was filed by an older version, which did not note what its messages are to be remembered by.
    if (!relocated.every((mark) => mark !== undefined)) return { type: 'refuse', error: 'plan_unreadable' };
    const { run, progress } = openRun(approval, relocated);
    try {
      return { type: 'succeed', result: await tool.perform(plan, run) };
    } catch (error) {
      const cause = progress.startError ?? error;
      const { started } = progress;
      log.warn('an approved action did not succeed', { approval: approval.id, started, ...named(cause) });
      return endOf(cause, started, approval, clock.now(), retryMs);
    }
  }

  async function endAfterCrash(tool: WriteTool, plan: ActionPlan, approval: Approval): Promise<End> {
    try {
      const checked = await tool.check(plan, openRun(approval, []).run);
      if (checked.kind === 'happened') return { type: 'succeed', result: checked.result };
      if (checked.kind === 'unknown') return { type: 'lose' };
    } catch (error) {
      log.warn('what a crash left behind could not be checked', { approval: approval.id, ...named(error) });
      return { type: 'lose' };
    }
    return attempt(tool, plan, approval);
  }

  /** The effect is there, whatever becomes of its record: the record is tried until the store takes it. */
  async function settle(settlement: Settlement): Promise<Approval> {
    for (;;) {
      try {
        return await storage.settle({ ...settlement, now: clock.now() });
      } catch (error) {
        log.error('a settlement was not stored; it is tried again', {
          approval: settlement.approvalId,
          ...named(error),
        });
        await new Promise<void>((resolve) => clock.after(Math.min(1000, leaseMs / 3), resolve));
      }
    }
  }

  async function execute(approval: Approval, sealedPlan: string | null): Promise<Approval> {
    const { ownerId, id, lease } = approval;
    const started = approval.startedAt !== null;
    const base = { ownerId, approvalId: id, fence: lease.fence, recipients: [], followUp: false, leaseMs };
    const read = readPlan(keyring, approval, sealedPlan);
    if (read === undefined) {
      log.error('a plan could not be read', { approval: id });
      const end: End = started ? { type: 'lose' } : { type: 'refuse', error: 'plan_unreadable' };
      return settle({ ...base, end, now: clock.now() });
    }
    const { tool, plan } = read;
    const end = await (started ? endAfterCrash(tool, plan, approval) : attempt(tool, plan, approval));
    const settled = await settle({
      ...base,
      end,
      recipients: (tool.recipients?.(plan) ?? plan.envelope?.to ?? []).map(normalAddress),
      followUp: tool.followUp !== undefined,
      now: clock.now(),
    });
    if (settled.state === 'executed' && settled.lease.fence === lease.fence && tool.followUp !== undefined) {
      void track(`${id}/follow-up`, followUp(settled, tool, plan));
    }
    return settled;
  }

  async function followUp(approval: Approval, tool: WriteTool, plan: ActionPlan): Promise<void> {
    const { ownerId, id } = approval;
    try {
      const { run: now } = openRun(approval, []);
      // The instant that the run recorded when it started is the Date of what was sent.
      const run: RunContext = { ...now, date: approval.startedAt ?? now.date };
      await leased({ ownerId, followUp: id }, async () => tool.followUp?.(plan, run));
      await storage.followedUp({ ownerId, approvalId: id });
    } catch (error) {
      log.warn('the work after an action is due again', { approval: id, ...named(error) });
      await storage
        .followUpLater({ ownerId, approvalId: id, retryMs })
        .catch((later: unknown) =>
          log.warn('it is due when its lease is over', { approval: id, ...named(later) }),
        );
    }
  }

  async function executeApproval(approval: Approval, sealedPlan: string | null): Promise<Approval> {
    const held = { ownerId: approval.ownerId, approval: { id: approval.id, fence: approval.lease.fence } };
    return track(
      approval.id,
      leased(held, () => execute(approval, sealedPlan)),
    );
  }

  return {
    executeApproval,
    async recover() {
      const ids = new Set([...running.keys()].map((key) => key.replace('/follow-up', '')));
      const due = await storage.reclaim({ running: ids, leaseMs, limit: RECLAIM_AT_ONCE, now: clock.now() });
      const runs = due.runs.map(({ approval, sealedPlan }) => executeApproval(approval, sealedPlan));
      const followUps = due.followUps.map(({ approval, sealedPlan }) => {
        const read = readPlan(keyring, approval, sealedPlan);
        if (read !== undefined)
          return track(`${approval.id}/follow-up`, followUp(approval, read.tool, read.plan));
        log.error('a plan could not be read; the work after its action is given up', {
          approval: approval.id,
        });
        return storage.followedUp({ ownerId: approval.ownerId, approvalId: approval.id });
      });
      await Promise.all([...runs, ...followUps]);
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
  };
}

function readPlan(
  keyring: Keyring,
  approval: Approval,
  sealedPlan: string | null,
): { tool: WriteTool; plan: ActionPlan } | undefined {
  const tool = toolNamed(approval.tool);
  if (sealedPlan === null || tool === undefined || !isWrite(tool)) return undefined;
  try {
    return { tool, plan: openPlan(keyring, approval, sealedPlan) };
  } catch {
    // The caller says so in the log and ends the approval: whatever is wrong with the plan, it cannot be run.
    return undefined;
  }
}

/** What a failure means for the machine: whether the irreversible byte may have gone out decides. */
function endOf(
  error: unknown,
  started: boolean,
  approval: Approval,
  now: Date,
  retryMs: number,
): Settlement['end'] {
  if (!(error instanceof MailError)) {
    return started ? { type: 'lose' } : { type: 'refuse', error: 'internal_error' };
  }
  switch (error.code) {
    case 'not_started': {
      const error = isInTime(approval, now) ? 'credential_off' : 'not_started_in_time';
      return { type: 'refuse', error };
    }
    case 'outcome_unknown':
      return { type: 'lose' };
    case 'unavailable':
      // Nothing was done. What has started is not tried again all the same: the owner approved one attempt.
      if (started) return { type: 'refuse', error: 'upstream_mail_error' };
      return { type: 'not_now', error: 'upstream_mail_error', retryMs };
    case 'not_found':
      return { type: 'refuse', error: 'not_found' };
    case 'conflict':
      return { type: 'refuse', error: 'target_changed' };
    case 'refused':
    case 'auth':
      return { type: 'refuse', error: 'upstream_mail_error' };
  }
}

function isInTime(approval: Approval, now: Date): boolean {
  return now.getTime() < (approval.approvedAt?.getTime() ?? 0) + START_WITHIN_MS;
}

/** The code that a failed direct write answers with. */
export function failureCode(error: ApprovalError | null): ErrorCode {
  switch (error) {
    case null:
    case 'plan_unreadable':
      return 'internal_error';
    case 'credential_off':
      return 'invalid_token';
    case 'cancelled_by_agent':
    case 'permission_off':
    case 'account_removed':
    case 'interrupted':
    case 'not_started_in_time':
    case 'target_changed':
      return 'upstream_mail_error';
    default:
      return error;
  }
}
