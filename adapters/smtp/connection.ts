import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import SMTPConnection, {
  type AuthenticationCredentials,
  type CustomAuthenticationContext,
} from 'nodemailer/lib/smtp-connection';
import { MailError } from '../../core/ports/mail.ts';
import { isTrusted, tlsOptions, UntrustedCertificate } from '../remote/certificate.ts';
import { connectTls, connectTo, type Reach } from '../remote/connect.ts';
import { ehloName } from '../remote/ehlo-name.ts';
import { isLoopback, type MailServer } from '../remote/mail-server.ts';
import { paceReads } from '../remote/paced-reads.ts';
import { type Proof, type SignInServer, signedIn } from '../remote/sign-in.ts';
import { raceLimit, withTimeLimit } from '../remote/time-limit.ts';
import { mayMeanMechanism, smtpFailure } from './failure.ts';

/** For the server's greeting and TLS. */
const CONNECT_MS = 20_000;
/** Before a message is handed over: how long the server may take to reply or to accept more bytes. */
export const PATIENCE_MS = 60_000;
/** Longer than any other wait, all of which have their own limits (RFC 5321 allows 10 min after the final dot). */
const SILENCE_MS = 11 * 60_000;

/** Of all replies in one step. The longest, to EHLO, has some kilobytes. */
const REPLIES_BYTES = 64 * 1024;
/** How much of them each connection has received in its step. */
const received = new WeakMap<SMTPConnection, number>();

/**
 * Connects and signs in.
 * @throws MailError `unavailable`, `refused` or `auth`
 */
export function connectSmtp(
  server: SendingServer & SignInServer,
  reach: Reach,
  limit: AbortSignal,
): Promise<SMTPConnection> {
  return signedIn(server, limit, async (proof) => {
    const connection = await openSmtp(server, reach, limit);
    await signIn(connection, server, proof, limit);
    return connection;
  });
}

/** An SMTP server, and the address that it sends for. */
export interface SendingServer extends Pick<MailServer, 'host' | 'port' | 'security' | 'tlsFingerprint'> {
  readonly address?: string | undefined;
}

/** Connects, and switches to TLS if required. Says the domain of the address, but not yet who the user is. @throws MailError */
export async function openSmtp(
  server: SendingServer,
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
    name: ehloName(reach.ehloName, server.address),
    connection: socket,
    secure: security === 'tls',
    // The socket already speaks TLS.
    secured: security === 'tls',
    // Plain text only on loopback, and only if TLS is not offered or not wanted.
    requireTLS: security === 'starttls' && !isLoopback(host),
    ignoreTLS: security === 'none',
    tls: tlsOptions(server),
    customAuth: TOKEN_METHODS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Cut an abandoned connection at once, so that nothing still buffered is sent.
    socketCloseTimeout: 0,
  });
  limitReplies(connection);
  // Nobody waits for an error on an idle connection. It closes the connection, which `isAlive` notices.
  connection.on('error', () => undefined);
  try {
    await patientStep(connection, limit, (done) => connection.connect(done));
    const used = socketOf(connection);
    if (used instanceof TLSSocket && !isTrusted(used, server)) {
      throw new UntrustedCertificate();
    }
    if (used !== undefined && used !== socket) paceReads(used);
    return connection;
  } catch (error) {
    connection.close();
    throw smtpFailure(error);
  }
}

/**
 * Ends the connection to a server that sends too much. nodemailer limits one reply, but keeps any number of replies and
 * empty lines, and takes longer the more there are. It reads through this member, which its types do not declare.
 */
function limitReplies(connection: SMTPConnection): void {
  const read: unknown = Reflect.get(connection, '_onData');
  if (typeof read !== 'function')
    throw new Error('This version of nodemailer reads replies in a different way.');
  Reflect.set(connection, '_onData', (bytes: Buffer) => {
    const all = (received.get(connection) ?? 0) + bytes.length;
    received.set(connection, all);
    if (all <= REPLIES_BYTES) Reflect.apply(read, connection, [bytes]);
    else socketOf(connection)?.destroy(new Error('The server sent too much'));
  });
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
  { user }: Pick<MailServer, 'user'>,
  proof: Proof,
  limit: AbortSignal,
): Promise<void> {
  try {
    if (!connection.allowsAuth)
      throw new MailError('auth', 'the SMTP server does not offer a way to sign in', { trouble: 'other' });
    const offered = mechanismsIn(connection.lastServerResponse || '');
    const logIn = (auth: AuthenticationCredentials) =>
      patientStep(connection, limit, (done) => connection.login(auth, done));
    if ('token' in proof) {
      await logIn({ user, pass: proof.token, method: `TOKEN-${tokenMechanism(offered)}` });
      return;
    }
    try {
      await logIn({ user, pass: proof.pass });
    } catch (error) {
      if (!(offered.includes('PLAIN') && offered.includes('LOGIN') && mayMeanMechanism(error))) throw error;
      await logIn({ user, pass: proof.pass, method: 'LOGIN' });
    }
  } catch (error) {
    connection.close();
    throw smtpFailure(error, 'token' in proof ? 'token' : 'pass');
  }
}

type Mechanism = 'OAUTHBEARER' | 'XOAUTH2';

/** The names are not those of the protocol: with `XOAUTH2`, nodemailer would sign in with the token as a password. */
const TOKEN_METHODS = {
  'TOKEN-XOAUTH2': (context: CustomAuthenticationContext) => sendToken('XOAUTH2', context),
  'TOKEN-OAUTHBEARER': (context: CustomAuthenticationContext) => sendToken('OAUTHBEARER', context),
};

/** @param greeting the response to EHLO */
function mechanismsIn(greeting: string): readonly string[] {
  const [, offered = ''] = /^250[ -]AUTH[ =](.*)$/im.exec(greeting) ?? [];
  return offered.toUpperCase().split(/\s+/);
}

/** @throws MailError `refused` if the server takes no tokens */
function tokenMechanism(mechanisms: readonly string[]): Mechanism {
  if (mechanisms.includes('XOAUTH2')) return 'XOAUTH2';
  if (mechanisms.includes('OAUTHBEARER')) return 'OAUTHBEARER';
  throw new MailError('refused', 'the SMTP server does not offer a sign-in at a provider');
}

/** Sends an access token (RFC 7628; XOAUTH2 is its forerunner). The server explains a refusal before it refuses. */
async function sendToken(
  mechanism: Mechanism,
  { auth, sendCommand }: CustomAuthenticationContext,
): Promise<void> {
  const { user, pass: token } = auth.credentials;
  // A control character would end a field of the message early.
  if (/\p{Cc}/u.test(user + token)) throw new MailError('refused', 'the user name or the token is not valid');
  const isBearer = mechanism === 'OAUTHBEARER';
  const name = isBearer ? `n,a=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},` : `user=${user}`;
  const message = Buffer.from(`${name}\u0001auth=Bearer ${token}\u0001\u0001`).toString('base64');
  const reply = await sendCommand(`AUTH ${mechanism} ${message}`);
  const final = reply.status === 334 ? await sendCommand(isBearer ? 'AQ==' : '') : reply;
  if (final.status < 200 || final.status > 299) throw new Error('The server does not accept the token');
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

/** Takes one step, for which the server has a minute. */
function patientStep(
  connection: SMTPConnection,
  signal: AbortSignal,
  take: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return withTimeLimit({ signal, ms: PATIENCE_MS }, async (limit) => {
    await smtpStep(connection, limit, take);
  });
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
    received.set(connection, 0);
    take(settle);
  });
  return raceLimit(limit, step, () => connection.close());
}
