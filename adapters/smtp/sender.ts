import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { accountCache, accountKey, type KnownAccount } from '../../core/accounts/account-cache.ts';
import { MailError, type Start } from '../../core/ports/mail.ts';
import type { Outgoing } from '../../core/ports/mail-sending.ts';
import type { Reach } from '../remote/connect.ts';
import type { SignInServer } from '../remote/sign-in.ts';
import { withTimeLimit } from '../remote/time-limit.ts';
import { connectSmtp, isAlive, type SendingServer } from './connection.ts';
import { transmitOver } from './transmit.ts';

/** How long an idle connection is kept for the next message; servers cut idle ones after 1 to 5 minutes. */
const IDLE_MS = 45_000;
/** How long an idle connection may take to prove that it is alive. */
const PROOF_MS = 5_000;

/**
 * How long a server that refused the password is left alone, because some lock accounts: first and at most. Twice as long
 * after each refusal.
 */
const REFUSED_MS = { first: 60_000, most: 5 * 60_000 } as const;

/** For some 10,000 accounts. */
const REFUSALS_BYTES = 4 * 1024 * 1024;
/** Of a refusal, besides its message. */
const REFUSAL_BYTES = 200;

/** How long a server may take to answer QUIT. */
const GOODBYE_MS = 2_000;

/** Sends messages, and keeps the last connection of each account for a while. Throws the errors of the Mail port. */
export interface SmtpSender {
  /**
   * After a refused password, sends within a growing pause get the same failure, unless the settings have changed.
   * @param server called only when a new connection is needed
   */
  transmit(
    account: KnownAccount,
    server: () => Promise<SendingServer & SignInServer>,
    message: Outgoing,
    start: Start,
    limit: AbortSignal,
  ): Promise<void>;
  /** Connects and signs in. */
  verify(server: SendingServer & SignInServer, limit: AbortSignal): Promise<void>;
  /** Closes the idle connection of an account. A connection that is sending closes when it is done. */
  forget(ownerId: string, accountId: number): void;
  close(): void;
}

/** A refusal of the password, without the text that the server sent. */
interface KeptRefusal {
  readonly message: string;
  readonly trouble: MailError['trouble'];
  readonly count: number;
  readonly untilMs: number;
}

export function smtpSender(reach: Reach): SmtpSender {
  const idle = new Map<string, { connection: SMTPConnection; timer: NodeJS.Timeout; revision: number }>();
  const refused = accountCache<KeptRefusal | undefined>(
    REFUSALS_BYTES,
    (refusal) => REFUSAL_BYTES + 2 * (refusal?.message.length ?? 0),
  );
  /** Counts calls of `forget` and `close`. A connection is not kept if this changed while it was in use. */
  let forgetCount = 0;

  function take(key: string): { connection: SMTPConnection; revision: number } | undefined {
    const kept = idle.get(key);
    if (kept === undefined) return undefined;
    idle.delete(key);
    clearTimeout(kept.timer);
    return kept;
  }

  function keep(key: string, connection: SMTPConnection, revision: number): void {
    endIdle(key);
    const timer = setTimeout(() => endIdle(key), IDLE_MS);
    timer.unref();
    idle.set(key, { connection, timer, revision });
  }

  function endIdle(key: string): void {
    const kept = take(key);
    if (kept !== undefined) end(kept.connection);
  }

  /** A connection of older settings is not used any more. */
  async function idleConnection(
    key: string,
    revision: number,
    limit: AbortSignal,
  ): Promise<SMTPConnection | undefined> {
    const kept = take(key);
    if (kept === undefined || kept.revision === revision) return ifAlive(kept?.connection, limit);
    end(kept.connection);
    return undefined;
  }

  async function connect(
    account: KnownAccount,
    server: () => Promise<SendingServer & SignInServer>,
    limit: AbortSignal,
  ): Promise<SMTPConnection> {
    const last = refused.get(account, '');
    if (last !== undefined && performance.now() < last.untilMs) {
      throw new MailError('auth', last.message, { trouble: last.trouble });
    }
    try {
      const connection = await connectSmtp(await server(), reach, limit);
      if (last !== undefined) refused.set(account, '', undefined);
      return connection;
    } catch (error) {
      if (error instanceof MailError && error.code === 'auth') {
        const count = last === undefined ? 0 : last.count + 1;
        const untilMs = performance.now() + Math.min(REFUSED_MS.most, REFUSED_MS.first * 2 ** count);
        const { message, trouble } = error;
        refused.set(account, '', { message, trouble, count, untilMs });
      }
      throw error;
    }
  }

  return {
    async transmit(account, server, message, start, limit) {
      const countBefore = forgetCount;
      const { revision = 0 } = account;
      const key = accountKey(account);
      const connection =
        (await idleConnection(key, revision, limit)) ?? (await connect(account, server, limit));
      await transmitOver(connection, message, start, limit);
      if (forgetCount > countBefore) end(connection);
      else keep(key, connection, revision);
    },
    async verify(server, limit) {
      const connection = await connectSmtp(server, reach, limit);
      end(connection);
    },
    forget(ownerId, accountId) {
      forgetCount += 1;
      const key = accountKey({ ownerId, accountId });
      take(key)?.connection.close();
      refused.forget({ ownerId, accountId });
    },
    close() {
      forgetCount += 1;
      for (const key of [...idle.keys()]) take(key)?.connection.close();
    },
  };
}

/** The kept connection, if it still answers. */
async function ifAlive(
  kept: SMTPConnection | undefined,
  signal: AbortSignal,
): Promise<SMTPConnection | undefined> {
  if (kept === undefined) return undefined;
  const alive = await withTimeLimit({ signal, ms: PROOF_MS }, (limit) => isAlive(kept, limit));
  return alive ? kept : undefined;
}

function end(connection: SMTPConnection): void {
  const cut = setTimeout(() => connection.close(), GOODBYE_MS).unref();
  connection.once('end', () => clearTimeout(cut));
  connection.quit();
}
