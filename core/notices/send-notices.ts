import { errorName } from '../ports/log.ts';
import type { Notice, NoticeEnd, NoticeSender } from '../ports/notice-sender.ts';
import { isSameMailbox, type NoticeTarget } from '../ports/notice-target.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { createAttempts } from '../work/attempts.ts';
import { isAccessNoticeDue, isNoticeDue, isQuiet, isRetryDue } from './notice-rule.ts';
import type { NoticeChannel } from './notice-state.ts';
import type { ClaimedNotice, NoticeAttemptEnd, OwnerToNotify } from './notice-storage.ts';
import { openTarget } from './sealed-target.ts';

/** Sends owners a notice that something waits. */
export interface NoticeDelivery {
  /** Starts every notice that is due. Does not wait for the attempts to end. */
  round(): Promise<void>;
  /** Starts no more. Interrupts attempts that still run after `graceMs`. Resolves when all ends are recorded. */
  stop(graceMs: number): Promise<void>;
}

/** For one attempt. Mail takes longer than a request. */
const ATTEMPT_MS = 15_000;
const IN_FLIGHT_MAX = 64;
const OWNERS_AT_ONCE = 200;

export function createNoticeDelivery(
  ports: Ports,
  sender: NoticeSender,
  keyring: Keyring,
  dashboardUrl: string,
): NoticeDelivery {
  const { storage, clock, log } = ports;
  const attempts = createAttempts(clock);
  const underWay = new Set<Promise<void>>();
  let isStopped = false;

  async function notify(ownerId: string): Promise<void> {
    const now = clock.now();
    const claimed = await storage.claimNotice({ ownerId, now });
    if (claimed === undefined) return;
    const { channels, ...facts } = claimed;
    const page = pageOf(dashboardUrl, facts);
    for (const channel of channels) begin(channel, { kind: 'waiting', at: now, ...facts, page });
  }

  function begin(channel: NoticeChannel, notice: Notice): void {
    const { ownerId, channelId, kind } = channel;
    const work = attempt(channel, notice)
      .then(async (end) => {
        if (end.kind === 'gone') log.info('a channel of notices is gone and was removed', { kind });
        await storage.endNotice({ ownerId, channelId, end, now: clock.now() });
      })
      .catch((error: unknown) => {
        log.error('the end of a notice was not stored', { kind, ...errorName(error) });
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
  }

  async function attempt(channel: NoticeChannel, notice: Notice): Promise<NoticeAttemptEnd> {
    const end = await attempts.run((signal) => sendTo(ports, sender, keyring, channel, notice, signal));
    return attempts.isInterrupted() && end.kind === 'failed' ? { kind: 'interrupted' } : end;
  }

  async function rounds(): Promise<void> {
    let after = '';
    while (!isStopped) {
      const now = clock.now();
      const owners = await storage.ownersToNotify({ after, limit: OWNERS_AT_ONCE, now });
      for (const owner of owners) {
        after = owner.ownerId;
        if (!mayBeDue(owner, now)) continue;
        while (underWay.size >= IN_FLIGHT_MAX) await Promise.race(underWay);
        if (isStopped) return;
        await notify(owner.ownerId);
      }
      if (owners.length < OWNERS_AT_ONCE) return;
    }
  }

  /** Resolves when the last round has ended, also if it failed. Its caller hears of the failure. */
  let roundEnded: Promise<void> = Promise.resolve();

  return {
    round() {
      const work = rounds();
      roundEnded = work.catch(() => undefined);
      return work;
    },
    async stop(graceMs) {
      isStopped = true;
      const callOff = attempts.interruptAfter(graceMs);
      // A round may still start the notice that it has claimed.
      await roundEnded;
      await Promise.all(underWay);
      callOff();
    },
  };
}

/** Saves a unit of storage for each owner whose notice is not due. */
function mayBeDue(owner: OwnerToNotify, now: Date): boolean {
  const { retryAt, settings, timezone } = owner;
  if (isNoticeDue(owner, now) || isAccessNoticeDue(owner, now)) return true;
  return retryAt !== null && isRetryDue(retryAt, now) && !isQuiet(settings.quiet, timezone, now);
}

function pageOf(
  dashboardUrl: string,
  { waiting, approvalId, hasAccessChanged }: Omit<ClaimedNotice, 'channels'>,
): string {
  if (hasAccessChanged) return `${dashboardUrl}/settings`;
  return waiting === 0 ? `${dashboardUrl}/accounts` : approvalsPage(dashboardUrl, approvalId);
}

/** The page that a notice of requests opens: the request if it is alone, else the list. */
export function approvalsPage(dashboardUrl: string, approvalId: string | null): string {
  return `${dashboardUrl}/approvals${approvalId === null ? '' : `/${approvalId}`}`;
}

/** Makes one attempt. Never rejects. */
export async function sendTo(
  { storage, log }: Pick<Ports, 'storage' | 'log'>,
  sender: NoticeSender,
  keyring: Keyring,
  channel: NoticeChannel,
  notice: Notice,
  signal: AbortSignal,
): Promise<NoticeEnd> {
  try {
    const target = openTarget(keyring, channel);
    if (!sender.kinds.includes(target.kind))
      return failed('The service no longer sends this kind of notice.');
    if (await isConnectedAccount(storage, channel.ownerId, target)) return failed(CONNECTED_ACCOUNT);
    return await sender.send(target, notice, { timeLimitMs: ATTEMPT_MS, signal });
  } catch (error) {
    log.error('a notice could not be sent', { kind: channel.kind, ...errorName(error) });
    return failed('The notice could not be sent. The log of the server says why.');
  }
}

/** Programs with a key can read the mail of a connected account. */
const CONNECTED_ACCOUNT = 'The address belongs to a connected account.';

export async function isConnectedAccount(
  storage: Pick<Ports['storage'], 'accounts'>,
  ownerId: string,
  target: Pick<NoticeTarget, 'kind'>,
): Promise<boolean> {
  if (!isMail(target)) return false;
  const accounts = await storage.accounts(ownerId);
  return accounts.some(({ email }) => isSameMailbox(email, target.address));
}

function isMail(target: Pick<NoticeTarget, 'kind'>): target is Extract<NoticeTarget, { kind: 'mail' }> {
  return target.kind === 'mail';
}

function failed(reason: string): NoticeEnd {
  return { kind: 'failed', reason, retryAfterMs: null };
}
