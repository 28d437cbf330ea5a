import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { MailError } from '../../core/ports/mail.ts';
import { isTrusted, tlsOptions, UntrustedCertificate } from '../remote/certificate.ts';
import { connectTls, connectTo, type Reach } from '../remote/connect.ts';
import { isLoopback, type MailServer } from '../remote/mail-server.ts';
import { withinLimit } from '../remote/time-limit.ts';
import { smtpFailure } from './failure.ts';

/** Until the server has greeted us and TLS is there. */
const CONNECT_MS = 20_000;
/** Longer than any wait of ours, all of which have limits of their own (RFC 5321 gives 10 min after the dot). */
const SILENCE_MS = 11 * 60_000;

/**
 * Connects and signs in.
 * @throws MailError `unavailable`, `refused` or `auth`
 */
export async function connectSmtp(
  server: MailServer,
  reach: Reach,
  limit: AbortSignal,
): Promise<SMTPConnection> {
  const connection = await openSmtp(server, reach, limit);
  await signIn(connection, server, limit);
  return connection;
}

/** Connects, and changes to TLS where it is demanded; nothing was said of the user yet. @throws MailError */
export async function openSmtp(
  server: MailServer,
  reach: Reach,
  limit: AbortSignal,
): Promise<SMTPConnection> {
  const { host, port, security } = server;
  let socket: Socket;
  try {
    socket = await (security === 'tls' ? connectTls : connectTo)(server, reach, limit);
  } catch (error) {
    throw smtpFailure(error);
  }
  const connection = new SMTPConnection({
    host,
    port,
    connection: socket,
    secure: security === 'tls',
    // TLS is there already.
    secured: security === 'tls',
    // In plain text only to this machine itself, and there too only when TLS is not offered or not wanted.
    requireTLS: security === 'starttls' && !isLoopback(host),
    ignoreTLS: security === 'none',
    tls: tlsOptions(server),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A connection that is given up is cut at once: nothing that still waits to be written may leave.
    socketCloseTimeout: 0,
  });
  // An error of an idle connection has nobody waiting for it; it ends the connection, which is what is looked at.
  connection.on('error', () => undefined);
  try {
    await smtpStep(connection, limit, (done) => connection.connect(done));
    if (connection._socket instanceof TLSSocket && !isTrusted(connection._socket, server)) {
      throw new UntrustedCertificate();
    }
    return connection;
  } catch (error) {
    connection.close();
    throw smtpFailure(error);
  }
}

/** A connection that could not sign in is closed. @throws MailError */
export async function signIn(
  connection: SMTPConnection,
  { user, pass }: MailServer,
  limit: AbortSignal,
): Promise<void> {
  try {
    if (!connection.allowsAuth) throw new MailError('auth', 'the SMTP server does not offer to sign in');
    await smtpStep(connection, limit, (done) => connection.login({ user, pass }, done));
  } catch (error) {
    connection.close();
    throw smtpFailure(error);
  }
}

/** Asks whether the server still listens, and brings it back to where a message can begin. */
export async function isAlive(connection: SMTPConnection, limit: AbortSignal): Promise<boolean> {
  try {
    await smtpStep(connection, limit, (done) => connection.reset(done));
    return true;
  } catch {
    // Whatever it was, another connection is made instead, and tells what is wrong.
    connection.close();
    return false;
  }
}

/**
 * Takes one step on a connection. nodemailer tells of a lost connection by an event, and then not always by the callback.
 * @throws what the step failed with; MailError `unavailable` at the limit, when the connection is cut
 */
export function smtpStep<T>(
  connection: SMTPConnection,
  limit: AbortSignal,
  take: (done: (error?: Error | null, result?: T) => void) => void,
): Promise<T | undefined> {
  const step = new Promise<T | undefined>((resolve, reject) => {
    const settle = (error?: Error | null, result?: T) => {
      connection.off('error', settle);
      connection.off('end', ended);
      if (error) reject(error);
      else resolve(result);
    };
    const ended = () => settle(new Error('The connection ended'));
    connection.on('error', settle);
    connection.on('end', ended);
    take(settle);
  });
  return withinLimit(limit, step, () => connection.close());
}
