import { needsOwner, type ServerRole } from '../ports/account-health.ts';
import { errorName } from '../ports/log.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { HOUR_MS } from '../time/durations.ts';
import { findAccount } from './find-account.ts';
import { mailCall } from './mail-call.ts';

/** Signs in to the servers of accounts that nobody uses, so that their owners hear of a changed password. */
export interface AccountChecks {
  /** Checks a few accounts that are due. Records the result like that of any other use. */
  round(): Promise<void>;
  /** Ends the sign-ins that are under way. */
  stop(): void;
}

/** A server that was used within this time is left alone. */
const IDLE_MS = 6 * HOUR_MS;
/** Spreads the accounts, so that one provider is not asked for all of them at once. */
const JITTER_MS = HOUR_MS;
const AT_ONCE = 5;
/** For one server. */
const CHECK_MS = 30_000;

/** @param ports  those that record the health of accounts */
export function createAccountChecks(ports: Ports, keyring: Keyring): AccountChecks {
  const { storage, mail, calendar, clock, log, random } = ports;
  const stopping = new AbortController();

  async function check(ownerId: string, accountId: number): Promise<void> {
    const jitterMs = Math.floor((JITTER_MS * (random(1)[0] ?? 0)) / 256);
    const servers = await storage.takeCheck({
      ownerId,
      accountId,
      jitterMs,
      idleMs: IDLE_MS,
      now: clock.now(),
    });
    if (servers === undefined || servers.length === 0) return;
    const account = await findAccount(storage, ownerId, accountId);
    if (account === undefined) return;
    const call = mailCall(ports, keyring, account, stopping.signal, CHECK_MS);
    for (const server of servers) {
      if (stopping.signal.aborted || (await signIn(call, server)) === 'for_owner') return;
    }
  }

  /** @returns `for_owner`: the other servers would refuse the same password, and count the try */
  async function signIn(call: MailCall, server: ServerRole): Promise<'done' | 'for_owner'> {
    try {
      await (server === 'calendar' ? calendar?.target(call) : mail.verify(call, server));
      return 'done';
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      return error.trouble !== undefined && needsOwner(error.trouble) ? 'for_owner' : 'done';
    }
  }

  return {
    async round() {
      const due = await storage.accountsToCheck({ now: clock.now(), limit: AT_ONCE });
      await Promise.all(
        due.map(({ ownerId, accountId }) =>
          check(ownerId, accountId).catch((error: unknown) => {
            log.error('an account was not checked', { account: accountId, ...errorName(error) });
          }),
        ),
      );
    },
    stop: () => stopping.abort(),
  };
}
