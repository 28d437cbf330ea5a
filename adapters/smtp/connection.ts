import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { MailError } from '../../core/ports/mail.ts';
import { isTrusted, tlsOptions, UntrustedCertificate } from '../remote/certificate.ts';
import { connectTls, connectTo, type Reach } from '../remote/connect.ts';
import { isLoopback, type MailServer } from '../remote/mail-server.ts';
import { raceLimit } from '../remote/time-limit.ts';
import { smtpFailure } from './failure.ts';

/** For the server's greeting and TLS. */
const CONNECT_MS = 20_000;
/** Longer than any other wait, all of which have their own limits (RFC 5321 allows 10 min after the final dot). */
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

/** Connects, and switches to TLS if required. Sends nothing about the user yet. @throws MailError */
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
    // The socket already speaks TLS.
    secured: security === 'tls',
    // Plain text only on loopback, and only if TLS is not offered or not wanted.
    requireTLS: security === 'starttls' && !isLoopback(host),
    ignoreTLS: security === 'none',
    tls: tlsOptions(server),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Cut an abandoned connection at once, so that nothing still buffered is sent.
    socketCloseTimeout: 0,
  });
  // Nobody waits for an error on an idle connection. It closes the connection, which `isAlive` notices.
  connection.on('error', () => undefined);
  try {
    await smtpStep(connection, limit, (done) => connection.connect(done));
    const used = socketOf(connection);
    if (used instanceof TLSSocket && !isTrusted(used, server)) {
      throw new UntrustedCertificate();
    }
    return connection;
  } catch (error) {
    connection.close();
    throw smtpFailure(error);
  }
}

/**
 * The socket that a connection uses now: STARTTLS replaces the one it was created with. nodemailer's types declare the
 * member public in spite of its name.
 */
export function socketOf(connection: SMTPConnection): Socket | undefined {
  return connection._socket || undefined;
}

/** Closes the connection if the sign-in fails. @throws MailError */
export async function signIn(
  connection: SMTPConnection,
  { user, pass }: MailServer,
  limit: AbortSignal,
): Promise<void> {
  try {
    if (!connection.allowsAuth)
      throw new MailError('auth', 'the SMTP server does not offer a way to sign in');
    await smtpStep(connection, limit, (done) => connection.login({ user, pass }, done));
  } catch (error) {
    connection.close();
    throw smtpFailure(error);
  }
}

/** Checks that the server still answers, and resets it so that a new message can begin. */
export async function isAlive(connection: SMTPConnection, limit: AbortSignal): Promise<boolean> {
  try {
    await smtpStep(connection, limit, (done) => connection.reset(done));
    return true;
  } catch {
    // The cause does not matter: the caller opens a new connection, which reports any real problem.
    connection.close();
    return false;
  }
}

/**
 * Takes one step on a connection. nodemailer reports a lost connection by an event, and not always by the callback.
 * @throws the error of the step; MailError `unavailable` at the limit, which also cuts the connection
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
  return raceLimit(limit, step, () => connection.close());
}
