import type { ImapFlow, MailboxObject } from 'imapflow';
import { MailError, timedOut } from '../../core/ports/mail.ts';
import { raceLimit } from '../remote/time-limit.ts';
import type { AccountConnections, Lease } from './account-connections.ts';
import { imapFailure, isBad, isNotFound } from './failure.ts';
import { openMailbox } from './open-mailbox.ts';

/** How long an idle connection may take to prove that it is alive. */
const PROOF_MS = 8_000;
/**
 * A connection that has just answered need not prove it again, unless it shows a folder: that view may be
 * older.
 */
const FRESH_MS = 1_000;

/**
 * How long a folder stays selected. Dovecot (2.3) keeps showing a folder that was deleted and recreated to
 * sessions that have it selected. Selecting it again shows the new one.
 */
const SELECTED_MS = 30_000;
const selectedAt = new WeakMap<ImapFlow, number>();

/** Folders whose UIDNEXT the server did not report. imapflow then takes the UIDs that it sees for the highest. */
const withoutUidNext = new WeakSet<MailboxObject>();

/** UIDNEXT of the folder. Undefined if the server did not report it (RFC 3501, 6.3.1). */
export function reportedUidNext({ mailbox }: OpenFolder): number | undefined {
  return withoutUidNext.has(mailbox) ? undefined : mailbox.uidNext;
}

/** A folder to select, and which one of that name. */
export interface WantedFolder {
  readonly path: string;
  /** Decimal. A view of another folder, deleted since, is renewed. Undefined or null: any. */
  readonly uidValidity?: string | null | undefined;
}

/** A selected folder that shows every message that existed when the work started. */
export interface OpenFolder {
  readonly client: ImapFlow;
  readonly mailbox: MailboxObject;
  /** Decimal. */
  readonly uidValidity: string;
}

/**
 * Runs `work` on a leased connection. At the limit the connection is closed, which ends every command.
 * @throws MailError; `work` itself reports if a change may have been made
 */
export async function onConnection<T>(
  connections: AccountConnections,
  limit: AbortSignal,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  return runOn(await readyConnection(connections, undefined, limit), limit, work);
}

/**
 * Leases a connection for long, with the folder selected again, so that it shows what is in the folder now.
 * @throws MailError
 */
export async function leaseInFolder(
  connections: AccountConnections,
  path: string,
  limit: AbortSignal,
): Promise<Lease> {
  return readyConnection(connections, { path }, limit, true);
}

/**
 * The same, with a folder selected. It may still not be the wanted one: `work` compares.
 * @throws MailError `not_found` if there is no folder of that name
 */
export async function inFolder<T>(
  connections: AccountConnections,
  wanted: WantedFolder,
  limit: AbortSignal,
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const lease = await readyConnection(connections, wanted, limit);
  return runOn(lease, limit, (client) => work(openFolder(client)));
}

/** The same. @returns `otherwise` if there is no folder of that name */
export async function inFolderIfThere<T>(
  connections: AccountConnections,
  wanted: WantedFolder,
  limit: AbortSignal,
  otherwise: T,
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  try {
    return await inFolder(connections, wanted, limit, work);
  } catch (error) {
    if (isNotFound(error)) return otherwise;
    throw error;
  }
}

/**
 * The same for a change, with the folder selected again: an old view of a folder that was deleted and
 * recreated must not decide which message is changed.
 */
export async function inFolderToChange<T>(
  connections: AccountConnections,
  path: string,
  limit: AbortSignal,
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const lease = await readyConnection(connections, { path }, limit, true);
  return runOn(lease, limit, (client) => work(openFolder(client)));
}

/** Selects a folder, also if it is already selected. */
export async function select(client: ImapFlow, path: string): Promise<void> {
  const mailbox = await openMailbox(client, path);
  if (!Number.isInteger(mailbox.uidNext)) withoutUidNext.add(mailbox);
  selectedAt.set(client, performance.now());
}

/** Returns the selected folder. @throws MailError `unavailable` if there is none, or the server did not describe it */
export function openFolder(client: ImapFlow): OpenFolder {
  const { mailbox } = client;
  if (mailbox === false) throw new MailError('unavailable', 'the IMAP server closed the folder');
  // Without them, no message can be counted or named.
  if (!Number.isInteger(mailbox.exists) || typeof mailbox.uidValidity !== 'bigint') {
    // The next call selects it again.
    selectedAt.delete(client);
    throw new MailError('unavailable', 'the IMAP server did not describe the folder');
  }
  return { client, mailbox, uidValidity: String(mailbox.uidValidity) };
}

/**
 * Checks an idle connection first (NOOP, or SELECT of another folder, or of this one for a change). This
 * shows whether it is alive, and what is new in the folder, because a server need not report new mail by
 * itself.
 */
async function readyConnection(
  connections: AccountConnections,
  wanted: WantedFolder | undefined,
  limit: AbortSignal,
  anew = false,
): Promise<Lease> {
  for (;;) {
    const lease = await connections.lease(wanted?.path, limit);
    const stop = () => lease.client.close();
    const proof = lease.idleMs !== undefined ? setTimeout(stop, PROOF_MS) : undefined;
    try {
      await raceLimit(limit, makeReady(lease, wanted, anew), stop);
      return lease;
    } catch (error) {
      const wasAlive = lease.client.usable;
      if (isBad(error)) stop();
      lease.giveBack();
      // A connection that died while idle is not a failure: there are others.
      if (wasAlive || lease.idleMs === undefined || limit.aborted) throw imapFailure(error);
    } finally {
      clearTimeout(proof);
    }
  }
}

async function makeReady(
  { client, idleMs }: Lease,
  wanted: WantedFolder | undefined,
  anew: boolean,
): Promise<void> {
  if (wanted !== undefined && (anew || !isSelected(client, wanted))) {
    await select(client, wanted.path);
  } else if (idleMs !== undefined && (client.mailbox !== false || idleMs > FRESH_MS)) {
    await client.noop();
    if (!client.usable) throw new Error('The connection ended while it was idle');
  }
}

function isSelected(client: ImapFlow, { path, uidValidity }: WantedFolder): boolean {
  const { mailbox } = client;
  if (mailbox === false || mailbox.path !== path) return false;
  if (uidValidity != null && String(mailbox.uidValidity) !== uidValidity) return false;
  return performance.now() - (selectedAt.get(client) ?? Number.NEGATIVE_INFINITY) < SELECTED_MS;
}

async function runOn<T>(
  lease: Lease,
  limit: AbortSignal,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const { client } = lease;
  const stop = () => client.close();
  limit.addEventListener('abort', stop, { once: true });
  try {
    if (limit.aborted) throw timedOut();
    return await work(client);
  } catch (error) {
    if (isBad(error)) client.close();
    if (error instanceof MailError) throw error;
    if (limit.aborted) throw timedOut();
    const failure = imapFailure(error);
    // After any failure except a plain refusal, the conversation may be broken off in the middle.
    if (failure.code === 'unavailable') client.close();
    throw failure;
  } finally {
    limit.removeEventListener('abort', stop);
    lease.giveBack();
  }
}

/**
 * Runs a command that changes something. imapflow returns `false` for a refusal and, with some commands, for
 * a lost connection.
 * @returns the command's result, or undefined if the server refused it
 * @throws MailError `outcome_unknown` if the connection was lost during the command
 */
export async function change<T>(client: ImapFlow, command: () => Promise<T | false>): Promise<T | undefined> {
  const unknown = (cause?: unknown) =>
    new MailError('outcome_unknown', 'the connection to the IMAP server was lost during a change', { cause });
  try {
    const answer = await command();
    if (!client.usable) throw unknown();
    return answer === false ? undefined : answer;
  } catch (error) {
    if (error instanceof MailError) throw error;
    if (!client.usable) throw unknown(error);
    throw error;
  }
}
