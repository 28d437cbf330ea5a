import type { ImapFlow } from 'imapflow';
import { announcedVisits, type Watch } from '../../core/ports/announced-visits.ts';
import { type MailCall, MailError, timedOut } from '../../core/ports/mail.ts';
import type { InboxVisit, OpenInbox, WatchEnd } from '../../core/ports/mail-watching.ts';
import { raceLimit, withinCall } from '../remote/time-limit.ts';
import type { AccountConnections, Lease } from './account-connections.ts';
import { arrivalsIn, uidNextOf } from './arrivals.ts';
import { imapFailure, TooManyConnections } from './failure.ts';
import { leaseInFolder, openFolder, select } from './session.ts';

/**
 * How often IDLE is renewed. RFC 2177 allows 29 minutes, but routers forget quiet connections sooner. imapflow's TCP
 * keep-alive notices within seconds that the machine is gone; the renewal also notices that the server hangs.
 */
const RENEWAL_MS = 5 * 60_000;
/** A server that ends IDLE by itself sooner than this does not announce. */
const SHORTEST_IDLE_MS = 1_000;

/**
 * Watches the inbox by IDLE (RFC 2177) on a connection that it keeps. After a reconnect, UIDVALIDITY, UIDNEXT and one
 * SEARCH above the last known UID show all new mail. CONDSTORE and QRESYNC (RFC 7162) would save no command: they report
 * changed flags and removed messages, which a watch does not need.
 */
export async function watchInbox(
  connections: AccountConnections,
  call: MailCall,
  visit: InboxVisit,
): Promise<WatchEnd> {
  if (call.signal.aborted) return 'aborted';
  let lease: Lease;
  try {
    lease = await withinCall(call, (limit) => leaseInFolder(connections, 'INBOX', limit));
  } catch (error) {
    if (call.signal.aborted) return 'aborted';
    if (error instanceof TooManyConnections) return 'no_connection_to_spare';
    throw error;
  }
  if (!canIdle(lease.client)) {
    lease.giveBack();
    return 'cannot_announce';
  }
  return watchOn(lease, call, visit);
}

/** @param lease  with the inbox selected; given back when the watch ends, or when calls need it */
function watchOn(lease: Lease, call: MailCall, visit: InboxVisit): Promise<WatchEnd> {
  const { client } = lease;
  /** Above the UIDs of all messages that were seen. */
  let uidNext: number | undefined;
  let uidValidity = openFolder(client).uidValidity;
  let hasNews = true;
  let isRenewalDue = false;
  let isWorking = false;
  let isIdling = false;
  let isOver = false;
  let isGivenBack = false;
  let commands = 0;
  let renewal: NodeJS.Timeout | undefined;
  let watch: Watch;

  /** Gives the connection back, after the command in progress. */
  function giveBack(): void {
    isOver = true;
    if (isGivenBack || commands > 0) return;
    isGivenBack = true;
    clearTimeout(renewal);
    client.off('exists', onExists);
    client.off('close', onClose);
    lease.giveBack();
  }

  function onNeeded(): void {
    watch.end('no_connection_to_spare');
    giveBack();
  }

  function onExists(): void {
    hasNews = true;
    watch.announce();
  }

  function onClose(): void {
    watch.end(new MailError('unavailable', 'the connection to the IMAP server was lost'));
  }

  function lose(why: MailError): void {
    watch.end(why);
    client.close();
  }

  function renew(): void {
    isRenewalDue = true;
    watch.announce();
  }

  /** Runs commands under the limit of the call. At the limit, or after a failure, the connection is closed. */
  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (isOver) throw new MailError('unavailable', 'the watch has ended');
    commands += 1;
    try {
      return await withinCall(call, (limit) => raceLimit(limit, work(), () => lose(timedOut())));
    } catch (error) {
      const failure = imapFailure(error);
      if (failure.code === 'unavailable') lose(failure);
      throw failure;
    } finally {
      commands -= 1;
      if (isOver) giveBack();
    }
  }

  /**
   * Selects the inbox again. This shows whether it was replaced, and mail that the server did not announce: then it cannot
   * announce.
   */
  async function reopen(): Promise<void> {
    const before = { uidValidity, uidNext, hasNews };
    await run(() => select(client, 'INBOX'));
    const folder = openFolder(client);
    uidValidity = folder.uidValidity;
    uidNext = await run(() => uidNextOf(folder));
    const isReplaced = uidValidity !== before.uidValidity;
    const hasMore = uidNext > (before.uidNext ?? 0);
    if (isReplaced || hasMore) hasNews = true;
    if (!isReplaced && hasMore && before.uidNext !== undefined && !before.hasNews)
      watch.end('cannot_announce');
  }

  async function openInbox(): Promise<OpenInbox> {
    const folder = openFolder(client);
    uidNext ??= await run(() => uidNextOf(folder));
    return {
      uidValidity,
      uidNext,
      arrivals: async (uid, limit) => {
        const rows = await run(() => arrivalsIn(folder, uid, limit));
        uidNext = Math.max(uidNext ?? 0, (rows.at(-1)?.place.uid ?? 0) + 1);
        return rows;
      },
    };
  }

  async function work(): Promise<void> {
    isWorking = true;
    if (isRenewalDue) {
      isRenewalDue = false;
      await reopen();
    }
    if (hasNews) {
      hasNews = false;
      await visit(await openInbox());
    }
    isWorking = false;
    if (!isIdling && !isOver) void idle();
  }

  /** Idles until a command ends it. What arrived before it is announced when it starts. */
  async function idle(): Promise<void> {
    isIdling = true;
    const startedMs = performance.now();
    renewal = setTimeout(renew, RENEWAL_MS);
    // False: the server refused it, or the connection was lost.
    const wasAccepted = await client.idle().then(
      (result) => result !== false,
      () => false,
    );
    clearTimeout(renewal);
    isIdling = false;
    if (isOver) return;
    if (!client.usable) onClose();
    else if (!wasAccepted) {
      watch.end('cannot_announce');
      // imapflow polls on this connection from now on instead of idling.
      client.close();
    } else if (!isWorking) {
      if (performance.now() - startedMs < SHORTEST_IDLE_MS) watch.end('cannot_announce');
      renew();
    }
  }

  return announcedVisits(call.signal, work, (own) => {
    watch = own;
    client.on('exists', onExists);
    client.on('close', onClose);
    if (!lease.keep(onNeeded)) watch.end('no_connection_to_spare');
    return giveBack;
  });
}

/** IMAP4rev2 contains IDLE (RFC 9051, appendix E). imapflow enables it beside IMAP4rev1. */
function canIdle({ capabilities, enabled }: ImapFlow): boolean {
  if (capabilities.has('IDLE') || enabled.has('IMAP4REV2')) return true;
  return capabilities.has('IMAP4rev2') && !capabilities.has('IMAP4rev1');
}
