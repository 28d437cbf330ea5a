import { createAccountChecks } from '../accounts/check-accounts.ts';
import { ACTIVITY_KEPT_MS } from '../activity/check-activity.ts';
import { coverActivity } from '../activity/cover-activity.ts';
import { CLAIM_LIFETIME_MS } from '../approvals/idempotency.ts';
import type { MessageHandles } from '../call/message-handles.ts';
import { createEventDelivery } from '../events/deliver-events.ts';
import { createWebhookDelivery } from '../events/deliver-webhooks.ts';
import { NEW_MAIL } from '../events/webhook-event.ts';
import type { Executor } from '../execution/execute-approval.ts';
import type { MailIndexing } from '../mail-index/kept-index.ts';
import { sweepIndexes } from '../mail-index/sweep-indexes.ts';
import { createNoticeDelivery } from '../notices/send-notices.ts';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { DAY_MS } from '../time/durations.ts';
import { createSummaryRefresh } from '../trackers/refresh-summaries.ts';
import { createInboxWatch } from '../watching/watch-inboxes.ts';
import { type BackgroundJob, backgroundJob } from '../work/background-job.ts';
import type { Service } from './service.ts';

/** What calls showed. */
const READS_KEPT_MS = DAY_MS;
export const EVENTS_KEPT_MS = 30 * DAY_MS;
/** A day more than promised: when a message was seen is written once a day. */
const HANDLES_KEPT_MS = 91 * DAY_MS;

/** Everything that a service does without being called. */
export interface BackgroundWork extends Pick<Service, 'recover' | 'watch' | 'start'> {
  readonly on: ReturnType<typeof createEventDelivery>['on'];
  /**
   * Starts no more work. @returns resolves when all work has ended
   * @param graceMs  how long requests to webhooks and channels of notices may still run
   */
  stop(graceMs: number): Promise<void>;
}

export interface BackgroundWorkOptions {
  readonly ports: Ports;
  readonly keyring: Keyring;
  readonly handles: MessageHandles;
  readonly executor: Executor;
  readonly leaseMs: number;
  readonly dashboardUrl: string;
  /** Undefined: there is no index. */
  readonly indexing: MailIndexing | undefined;
}

export function createBackgroundWork(options: BackgroundWorkOptions): BackgroundWork {
  const { ports, keyring, handles, executor, leaseMs, dashboardUrl, indexing } = options;
  const { storage, clock, log, webhookSender, noticeSender } = ports;
  const summaries = createSummaryRefresh(ports);
  const accountChecks = createAccountChecks(ports, keyring);
  const listeners = createEventDelivery(ports);
  const isEveryInboxWanted = () => listeners.hasListener(NEW_MAIL);
  const inboxes = createInboxWatch({ ports, keyring, handles, leaseMs, isEveryInboxWanted });

  async function expire(): Promise<void> {
    await storage.expire(clock.now());
  }

  async function takeOver(): Promise<void> {
    const { ended } = await executor.recover();
    ended.catch((error: unknown) => log.error('a recovered run failed', errorName(error)));
  }

  /** Activity is covered before it is erased, so the checkpoints have no gaps. */
  async function coverAndErase(): Promise<void> {
    await coverActivity(ports, keyring);
    const now = clock.now();
    const before = (ms: number) => new Date(now.getTime() - ms);
    const old = {
      plansKeptUntil: now,
      eventsBefore: before(EVENTS_KEPT_MS),
      activityBefore: before(ACTIVITY_KEPT_MS),
      claimsBefore: before(CLAIM_LIFETIME_MS),
      messageHandlesBefore: before(HANDLES_KEPT_MS),
      readsBefore: before(READS_KEPT_MS),
      passwordTriesBefore: now,
    };
    while ((await storage.erase(old)) && !isStopping);
  }

  const job = (name: string, everyMs: number, round: () => Promise<void>) =>
    backgroundJob(name, round, everyMs, ports);

  /** Pending requests that have expired. */
  const expiry = job('expiry', 5000, expire);
  /** Runs and follow-ups of processes that died, 20 per round. */
  const recovery = job('recovery', 5000, takeOver);
  /** Checkpoints of the activity, and the erasing of what was kept long enough. */
  const cleaning = job('cleaning', 5000, coverAndErase);
  /** Leases of inboxes, each with a watch of its own. */
  const watching = job('inbox watch', 5000, inboxes.round);
  /** Summaries of trackers, one at a time. */
  const summarising = job('tracker summaries', 5000, summaries.round);
  /** Sign-ins to the servers of accounts that nobody uses. */
  const checking = job('account checks', 5000, accountChecks.round);
  /** Listeners of stored events, each one event at a time. An event of this process wakes it. */
  const listening = job('listeners', 1000, listeners.round);
  /** Webhook attempts, 64 at once. An event of this process wakes it, and an attempt that ends. */
  const webhooks =
    webhookSender && createWebhookDelivery(ports, webhookSender, keyring, () => posting?.wake());
  const posting = webhooks && job('webhooks', 1000, webhooks.round);

  /** Notices to owners that something waits. */
  const notices = noticeSender && createNoticeDelivery(ports, noticeSender, keyring, dashboardUrl);
  const noticing = notices && job('notices', 5000, notices.round);

  /** What is left in the index of accounts that are gone. */
  const sweeping =
    indexing && job('index sweep', DAY_MS, () => sweepIndexes(storage, indexing, () => isStopping));

  const always: readonly BackgroundJob[] = [
    expiry,
    recovery,
    cleaning,
    watching,
    summarising,
    checking,
    listening,
  ];
  const jobs = [...always, posting, noticing, sweeping].filter((one) => one !== undefined);
  let removeWakeUp: (() => void) | undefined;
  let isStopping = false;

  return {
    on: listeners.on,
    async recover() {
      await expire();
      await (await executor.recover()).ended;
      await coverAndErase();
    },
    async watch() {
      await inboxes.check();
      await summaries.round();
    },
    start() {
      removeWakeUp ??= storage.onEvent(() => {
        listening.wake();
        posting?.wake();
      });
      for (const one of jobs) one.start();
    },
    async stop(graceMs) {
      isStopping = true;
      removeWakeUp?.();
      summaries.stop();
      accountChecks.stop();
      await Promise.all([
        inboxes.stop(),
        ...jobs.map((one) => one.stop()),
        listeners.stop(),
        webhooks?.stop(graceMs),
        notices?.stop(graceMs),
      ]);
    },
  };
}
