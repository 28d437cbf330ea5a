import type { Socket } from 'node:net';
import tls from 'node:tls';
import type { ImapFlow, ImapTransport, Logger } from 'imapflow';
import { MailError } from '../../core/ports/mail.ts';
import { isTrusted, tlsOptions, UntrustedCertificate } from '../remote/certificate.ts';
import { connectTls, connectTo, type Reach } from '../remote/connect.ts';
import { isLoopback, type MailServer } from '../remote/mail-server.ts';
import { paceReads } from '../remote/paced-reads.ts';
import { type Proof, type SignInServer, signedIn } from '../remote/sign-in.ts';
import { raceLimit } from '../remote/time-limit.ts';
import { imapFailure, mayMeanMechanism, tokenFailure } from './failure.ts';

/** Until the server's greeting has arrived and TLS is established. */
const CONNECT_MS = 20_000;
/** Only a last resort: every command runs under the limit of its call. */
const SILENCE_MS = 11 * 60_000;
/** More than the largest message, or part of one, that is fetched at once. */
const LITERAL_BYTES = 40 * 1024 * 1024;
/** A SEARCH answers with one line: room for a million UIDs. */
const LINE_BYTES = 12 * 1024 * 1024;
const LF = 0x0a;

/** What imapflow last warned of on each connection. */
const warnings = new WeakMap<ImapFlow, unknown>();

/** Why a search has just failed. imapflow returns `false` if the server refused it, and warns of the reason. */
export function searchFailure(client: ImapFlow): MailError {
  if (client.mailbox === false) return new MailError('unavailable', 'the IMAP server closed the folder');
  const why = warnings.get(client);
  return why === undefined ? new MailError('refused', 'the IMAP server refused a search') : imapFailure(why);
}

/** What each connection reads from. */
const sockets = new WeakMap<ImapFlow, Socket>();

interface LineLimit {
  isReached(): boolean;
  /** Lets the server answer with any number of lines again. */
  end(): void;
}

/**
 * Closes a connection whose server answers with more lines than that: imapflow keeps what it reads until a command
 * completes.
 */
export function limitLines(client: ImapFlow, most: number): LineLimit {
  const socket = sockets.get(client);
  let lines = 0;
  const count = (chunk: Buffer) => {
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) lines += 1;
    if (lines > most) client.close();
  };
  socket?.on('data', count);
  return {
    isReached: () => lines > most,
    end: () => socket?.off('data', count),
  };
}

/** What a server was seen to do, for the next connections to it. */
export interface Traits {
  /** It offers AUTHENTICATE for passwords, and accepts only LOGIN. */
  loginOnly: boolean;
}

export function newTraits(): Traits {
  return { loginOnly: false };
}

/**
 * Connects and signs in.
 * @param traits  of the server, as known so far; completed here
 * @param onSecure  receives the socket once TLS is established and the certificate is trusted
 * @throws MailError `unavailable`, `refused` or `auth`
 */
export function connectImap(
  server: MailServer & SignInServer,
  reach: Reach,
  limit: AbortSignal,
  traits: Traits = newTraits(),
  onSecure: (socket: tls.TLSSocket) => void = () => undefined,
): Promise<ImapFlow> {
  return signedIn(server, limit, (proof) => connectWith(proof, server, reach, limit, traits, onSecure));
}

async function connectWith(
  proof: Proof,
  server: MailServer,
  reach: Reach,
  limit: AbortSignal,
  traits: Traits,
  onSecure: (socket: tls.TLSSocket) => void,
): Promise<ImapFlow> {
  const { host, port, security, user } = server;
  let socket: Socket;
  try {
    if (security === 'tls') {
      const secured = await connectTls(server, reach, limit);
      onSecure(secured);
      socket = secured;
    } else socket = await connectTo(server, reach, limit);
  } catch (error) {
    throw imapFailure(error);
  }
  // A fifth of the time that the server takes to start. It is not needed until a mailbox is.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host,
    port,
    secure: security === 'tls',
    // Plain text is used only to this machine, and only if TLS is not offered or not wanted.
    ...(security === 'none' ? { doSTARTTLS: false } : {}),
    ...(security === 'starttls' && !isLoopback(host) ? { doSTARTTLS: true } : {}),
    auth: {
      user,
      ...('token' in proof ? { accessToken: proof.token } : { pass: proof.pass }),
      ...(traits.loginOnly && { loginMethod: 'LOGIN' }),
    },
    transport: transportOn(socket, server, (secured) => {
      sockets.set(client, secured);
      onSecure(secured);
    }),
    clientInfo: { name: 'countersign', version: false, vendor: false, 'support-url': false },
    logger: warningsOnly((why) => warnings.set(client, why)),
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: LITERAL_BYTES,
    maxLineLength: LINE_BYTES,
    maxResponseSize: LITERAL_BYTES + LINE_BYTES,
  });
  sockets.set(client, socket);
  // Without a listener the process would exit. The running command reports the failure.
  client.on('error', () => undefined);
  try {
    await raceLimit(limit, client.connect(), () => client.close());
    return client;
  } catch (error) {
    client.close();
    if ('token' in proof) throw tokenFailure(error, client.capabilities);
    if (traits.loginOnly || !mayMeanMechanism(error, client.capabilities)) throw imapFailure(error);
  }
  const other = await connectWith(proof, server, reach, limit, { loginOnly: true }, onSecure);
  traits.loginOnly = true;
  return other;
}

/** Without a level that is enabled, imapflow does not build its log text, which is a quarter of its work. */
function warningsOnly(keep: (why: unknown) => void): Logger {
  const ignore = () => undefined;
  const logger = {
    isLevelEnabled: () => false,
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: ({ err }: { readonly err?: unknown }) => keep(err),
    error: ignore,
    fatal: ignore,
  };
  return logger;
}

/** Gives imapflow an open connection, and compares a pinned certificate before anything is sent over TLS. */
function transportOn(
  connected: Socket,
  server: MailServer,
  onSecure: (socket: tls.TLSSocket) => void,
): ImapTransport {
  return {
    connect(_options, onConnect) {
      process.nextTick(onConnect);
      return connected;
    },
    upgrade(plain, _options, onUpgraded) {
      const socket = tls.connect({ socket: plain, ...tlsOptions(server) });
      return socket.once('secureConnect', () => {
        if (!isTrusted(socket, server)) {
          socket.destroy(new UntrustedCertificate());
          return;
        }
        paceReads(socket);
        onSecure(socket);
        onUpgraded();
      });
    },
  };
}
