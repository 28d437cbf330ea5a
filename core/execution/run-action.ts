import { findAccount } from '../accounts/find-account.ts';
import { mailCall } from '../accounts/mail-call.ts';
import type { RunPorts } from '../accounts/tool-ports.ts';
import type { Action, RunContext } from '../actions/action.ts';
import type { StoredAction } from '../actions/stored-action.ts';
import { type Approved, type Executed, isInTime } from '../approvals/approval.ts';
import type { Settlement } from '../approvals/run-storage.ts';
import { REACHES_NOTHING } from '../keys/fences.ts';
import { errorName } from '../ports/log.ts';
import { MailError } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { endOf } from './run-end.ts';

/** The action of one approval. */

type ApprovedAction = Action<StoredAction, Settled>;
type Settled = Extract<Settlement['end'], { type: 'succeed' }>['result'];

export interface RunParts {
  readonly ports: Pick<Ports, 'storage' | 'clock' | 'log'>;
  /** The ports that the action receives. */
  readonly runPorts: RunPorts;
  readonly keyring: Keyring;
  /** After this time, an action that could not be done now is due again. */
  readonly retryMs: number;
  /** Links what an action has sent to trackers. Part of its follow-up. */
  readonly linkSent: LinkSent;
}

export type LinkSent = (run: RunContext, action: StoredAction) => Promise<void>;

/** RFC 5321 4.5.3.2.6 allows ten minutes for the answer to the final dot. */
const RUN_DEADLINE_MS = 11 * 60_000;

/**
 * Runs an action that has not started, or checks the result of one that a crash interrupted. Never rejects.
 * @param signal  ends its calls to servers
 */
export function runAction(
  parts: RunParts,
  approval: Approved,
  action: ApprovedAction,
  signal: AbortSignal,
): Promise<Settlement['end']> {
  return approval.startedAt === null
    ? attempt(parts, approval, action, signal)
    : endAfterCrash(parts, approval, action, signal);
}

async function attempt(
  parts: RunParts,
  approval: Approved,
  action: ApprovedAction,
  signal: AbortSignal,
): Promise<Settlement['end']> {
  const { clock, log } = parts.ports;
  const { run, progress } = openRun(parts, approval, action, signal);
  try {
    return { type: 'succeed', result: await action.perform(run) };
  } catch (error) {
    // A connection may have been lost while the store recorded the start.
    await progress.starting;
    const cause = progress.startError ?? error;
    const { started } = progress;
    log.warn('an approved action did not succeed', { approval: approval.id, started, ...errorName(cause) });
    return endOf(cause, started, approval, clock.now(), parts.retryMs);
  }
}

async function endAfterCrash(
  parts: RunParts,
  approval: Approved,
  action: ApprovedAction,
  signal: AbortSignal,
): Promise<Settlement['end']> {
  try {
    const checked = await action.check(openRun(parts, approval, CHANGES_NOTHING, signal).run);
    if (checked.kind === 'happened') return { type: 'succeed', result: checked.result };
    if (checked.kind === 'unknown') return { type: 'lose' };
  } catch (error) {
    const { log } = parts.ports;
    log.warn('the result of an interrupted action could not be checked', {
      approval: approval.id,
      ...errorName(error),
    });
    return { type: 'lose' };
  }
  return attempt(parts, approval, action, signal);
}

/**
 * Runs the follow-up of an executed action, and links what it has sent to trackers. The Date of a sent message is the
 * instant that the store recorded at its start.
 */
export async function followUp(
  parts: RunParts,
  approval: Executed,
  action: ApprovedAction,
  signal: AbortSignal,
): Promise<void> {
  const { run } = openRun(parts, approval, CHANGES_NOTHING, signal);
  const dated = { ...run, date: approval.startedAt };
  await action.followUp?.(dated);
  await parts.linkSent(dated, action.stored);
}

/** For a run that has started before. */
const CHANGES_NOTHING = { relocated: [], reach: REACHES_NOTHING };

interface StartProgress {
  started: boolean;
  startError: unknown;
  /** Never rejects. */
  starting: Promise<boolean> | undefined;
}

/** Returns the context of a run, and the progress of its start. */
function openRun(
  { ports, runPorts, keyring }: RunParts,
  approval: Approved | Executed,
  { relocated, reach }: Pick<ApprovedAction, 'relocated' | 'reach'>,
  signal: AbortSignal,
) {
  const { storage, clock } = ports;
  const { ownerId, id, fence, authorization } = approval;
  const date = clock.now();
  const started = approval.startedAt !== null;
  const progress: StartProgress = { started, startError: undefined, starting: undefined };
  async function recordStart(): Promise<boolean> {
    try {
      const request = { ownerId, approvalId: id, fence, reach, relocated, signer: keyring, now: date };
      progress.started = await storage.start(request);
    } catch (error) {
      progress.startError = error;
    }
    return progress.started;
  }
  const run: RunContext = {
    ports: runPorts,
    ownerId,
    requestId: id,
    date,
    isAutomatic: authorization.by === 'policy',
    async start() {
      if (progress.started) return true;
      // The store receives the Date of the message, which is earlier than now by the time of connecting.
      if (!isInTime(approval, clock.now())) return false;
      progress.starting = recordStart();
      return progress.starting;
    },
    async mailbox(accountId) {
      const account = await findAccount(storage, ownerId, accountId);
      if (account === undefined) throw new MailError('refused', 'the account is no longer connected');
      return { account, call: mailCall(ports, keyring, account, signal, RUN_DEADLINE_MS) };
    },
  };
  return { run, progress };
}
