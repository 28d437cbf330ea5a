import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Start } from '../../core/ports/mail.ts';
import type { Outgoing } from '../../core/ports/mail-sending.ts';
import type { Reach } from '../remote/connect.ts';
import type { MailServer } from '../remote/mail-server.ts';
import type { SignInServer } from '../remote/sign-in.ts';
import { withTimeLimit } from '../remote/time-limit.ts';
import { connectSmtp, isAlive } from './connection.ts';
import { transmitOver } from './transmit.ts';

/** How long an idle connection is kept for the next message; servers cut idle ones after 1 to 5 minutes. */
const IDLE_MS = 45_000;
/** How long an idle connection may take to prove that it is alive. */
const PROOF_MS = 5_000;

/** How long a server may take to answer QUIT. */
const GOODBYE_MS = 2_000;

/** Sends messages, and keeps the last connection of each account for a while. Throws the errors of the Mail port. */
export interface SmtpSender {
  /** @param server called only when a new connection is needed */
  transmit(
    account: string,
    server: () => Promise<MailServer & SignInServer>,
    message: Outgoing,
    start: Start,
    limit: AbortSignal,
  ): Promise<void>;
  /** Connects and signs in. */
  verify(server: MailServer & SignInServer, limit: AbortSignal): Promise<void>;
  /** Closes the idle connection of an account. A connection that is sending closes when it is done. */
  forget(account: string): void;
  close(): void;
}

export function smtpSender(reach: Reach): SmtpSender {
  const idle = new Map<string, { connection: SMTPConnection; timer: NodeJS.Timeout }>();
  /** Counts calls of `forget` and `close`. A connection is not kept if this changed while it was in use. */
  let forgetCount = 0;

  function take(account: string): SMTPConnection | undefined {
    const kept = idle.get(account);
    if (kept === undefined) return undefined;
    idle.delete(account);
    clearTimeout(kept.timer);
    return kept.connection;
  }

  function keep(account: string, connection: SMTPConnection): void {
    endIdle(account);
    const timer = setTimeout(() => endIdle(account), IDLE_MS);
    timer.unref();
    idle.set(account, { connection, timer });
  }

  function endIdle(account: string): void {
    const connection = take(account);
    if (connection !== undefined) end(connection);
  }

  return {
    async transmit(account, server, message, start, limit) {
      const countBefore = forgetCount;
      const kept = take(account);
      const connection = (await ifAlive(kept, limit)) ?? (await connectSmtp(await server(), reach, limit));
      await transmitOver(connection, message, start, limit);
      if (forgetCount > countBefore) end(connection);
      else keep(account, connection);
    },
    async verify(server, limit) {
      const connection = await connectSmtp(server, reach, limit);
      end(connection);
    },
    forget(account) {
      forgetCount += 1;
      take(account)?.close();
    },
    close() {
      forgetCount += 1;
      for (const account of [...idle.keys()]) take(account)?.close();
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
