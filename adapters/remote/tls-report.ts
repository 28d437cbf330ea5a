import { TLSSocket } from 'node:tls';
import { DAY_MS } from '../../core/time/durations.ts';
import { type Finding, good, lacking } from './finding.ts';
import type { MailServer } from './mail-server.ts';

/** Certificates that renew automatically are renewed by then. */
const SOON_DAYS = 14;

/** @param socket  of an established, and therefore trusted, connection */
export function tlsReport(
  socket: unknown,
  { security, tlsFingerprint }: Pick<MailServer, 'security' | 'tlsFingerprint'>,
): readonly Finding[] {
  if (!(socket instanceof TLSSocket)) {
    return [good('tls', 'Not encrypted: the connection does not leave this machine.')];
  }
  const how = security === 'starttls' ? ', after STARTTLS' : '';
  const encrypted = good('tls', `Encrypted with ${socket.getProtocol() ?? 'TLS'}${how}.`);
  const ends = new Date(socket.getPeerCertificate().valid_to);
  const daysLeft = Math.floor((ends.getTime() - Date.now()) / DAY_MS);
  const day = ends.toISOString().slice(0, 10);
  if (tlsFingerprint !== undefined) {
    // A pinned certificate may be expired, but the server will replace it one day.
    return [encrypted, good('certificate', `The certificate is the pinned one, valid until ${day}.`)];
  }
  const certificate =
    daysLeft < SOON_DAYS
      ? lacking(
          'certificate',
          `The certificate expires in ${daysLeft} days, on ${day}. After that, connections fail until the server has a new one.`,
        )
      : good('certificate', `The certificate is verified and valid until ${day}.`);
  return [encrypted, certificate];
}
