import type { Socket } from 'node:net';
import tls from 'node:tls';
import { MailError } from '../../core/ports/mail.ts';
import { certificateTrouble, isTrusted, tlsOptions } from './certificate.ts';
import { connectTo, type Reach } from './connect.ts';
import { connectionFailure, NO_STARTTLS, wantsTls } from './connection-failure.ts';
import { ehloName } from './ehlo-name.ts';
import { isLoopback } from './mail-server.ts';
import { raceLimit, withTimeLimit } from './time-limit.ts';

/** A server that an account would use. */
export interface ProbedServer {
  readonly protocol: 'IMAP' | 'SMTP' | 'CalDAV';
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  /** SHA-256 of the certificate that the owner trusts already. */
  readonly tlsFingerprint?: string | undefined;
  /** Who would sign in. An SMTP server learns the domain. */
  readonly user?: string;
}

export type Probe =
  /** It answers, and its certificate is verified or the pinned one. */
  | { readonly kind: 'good' }
  /** It answers with a certificate that is not trusted. `because` follows the word. */
  | { readonly kind: 'untrusted'; readonly fingerprint: string; readonly because: string }
  | { readonly kind: 'problem'; readonly error: MailError };

const PROBE_MS = 20_000;
/** A server that has said nothing for so long may wait for TLS. */
const SILENT_MS = 3000;
/** More than any greeting. */
const ANSWER_BYTES = 64 * 1024;

/** Looks at a server without telling it who wants to sign in: whether it answers, and with which certificate. */
export function probeServer(server: ProbedServer, reach: Reach, signal: AbortSignal): Promise<Probe> {
  return withTimeLimit({ signal, ms: PROBE_MS }, async (limit) => {
    try {
      const probed = probe(server, reach, limit);
      return await (server.security === 'tls'
        ? probed
        : Promise.race([probed, tlsInstead(server, reach, limit, probed)]));
    } catch (error) {
      return { kind: 'problem', error: failureOf(server, error, limit) };
    }
  });
}

async function probe(server: ProbedServer, reach: Reach, limit: AbortSignal): Promise<Probe> {
  const socket = await connectTo(server, reach, limit);
  try {
    if (server.security === 'none') {
      await answer(socket, limit, GREETING);
      return { kind: 'good' };
    }
    if (server.security === 'starttls' && !(await startTls(server, reach, socket, limit)))
      return { kind: 'good' };
    return await certificateOf(server, socket, limit);
  } finally {
    socket.destroy();
  }
}

const GREETING = /^(?:\* (?:OK|PREAUTH|BYE)\b|\d{3}[ -])/m;

/** @returns false if the server does not offer it, and plain text stays within this machine */
async function startTls(
  { protocol, host, user }: ProbedServer,
  reach: Reach,
  socket: Socket,
  limit: AbortSignal,
): Promise<boolean> {
  await answer(socket, limit, protocol === 'IMAP' ? GREETING : /^\d{3} /m);
  if (protocol === 'SMTP') {
    socket.write(`EHLO ${ehloName(reach.ehloName, user)}\r\n`);
    await answer(socket, limit, /^\d{3} /m);
  }
  socket.write(protocol === 'IMAP' ? 'a1 STARTTLS\r\n' : 'STARTTLS\r\n');
  const reply = await answer(socket, limit, protocol === 'IMAP' ? /^a1 \w+/m : /^\d{3} /m);
  if (/^a1 OK|^220 /m.test(reply)) return true;
  if (isLoopback(host)) return false;
  throw new MailError('unavailable', `the ${protocol} server ${NO_STARTTLS}`, { trouble: 'other' });
}

async function certificateOf(server: ProbedServer, plain: Socket, limit: AbortSignal): Promise<Probe> {
  const socket = tls.connect({ socket: plain, ...tlsOptions(server), rejectUnauthorized: false });
  const secured = new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('The connection ended')));
  });
  try {
    await raceLimit(limit, secured, () => socket.destroy());
    if (isTrusted(socket, server)) return { kind: 'good' };
    const fingerprint = socket.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase();
    const because =
      server.tlsFingerprint === undefined
        ? (certificateTrouble(String(socket.authorizationError)) ?? 'it cannot be verified')
        : 'it is not the one that you trusted';
    return { kind: 'untrusted', fingerprint, because };
  } finally {
    socket.destroy();
  }
}

/** Rejects if the port speaks TLS from the first byte. Otherwise ends as `probed` does. */
async function tlsInstead(
  server: ProbedServer,
  reach: Reach,
  limit: AbortSignal,
  probed: Promise<Probe>,
): Promise<Probe> {
  const isSilent = await Promise.race([
    probed.then(
      () => false,
      () => false,
    ),
    new Promise<true>((resolve) => setTimeout(resolve, SILENT_MS, true).unref()),
  ]);
  if (!isSilent) return probed;
  const socket = await connectTo(server, reach, limit);
  const speaksTls = await certificateOf(server, socket, limit).then(
    () => true,
    () => false,
  );
  if (speaksTls) throw wantsTls(server.protocol);
  return probed;
}

/** Reads until the answer matches. */
function answer(socket: Socket, limit: AbortSignal, until: RegExp): Promise<string> {
  let text = '';
  let onData = (_chunk: Buffer): void => {};
  let onEnd = (): void => {};
  const read = new Promise<string>((resolve, reject) => {
    onData = (chunk) => {
      text += chunk.toString('latin1');
      if (until.test(text)) resolve(text);
      else if (text.length > ANSWER_BYTES) reject(new Error('The answer is too long'));
    };
    onEnd = () => reject(new Error('The connection ended'));
    socket.on('data', onData);
    socket.once('close', onEnd);
    socket.once('error', reject);
    socket.resume();
  });
  return raceLimit(limit, read, () => socket.destroy()).finally(() => {
    socket.off('data', onData);
    socket.off('close', onEnd);
    socket.pause();
  });
}

/** A server that stays silent until the limit does not answer. */
function failureOf({ protocol }: ProbedServer, error: unknown, limit: AbortSignal): MailError {
  if (error instanceof MailError && !limit.aborted) return error;
  return connectionFailure(
    protocol,
    limit.aborted ? Object.assign(new Error('silent'), { code: 'ETIMEDOUT' }) : error,
  );
}
