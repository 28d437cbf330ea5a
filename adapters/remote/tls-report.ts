import { TLSSocket } from 'node:tls';
import { DAY_MS } from '../../core/limits.ts';
import { type Finding, good, lacking } from './finding.ts';
import type { MailServer } from './mail-server.ts';

/** Certificates that renew themselves have done so by then. */
const SOON_DAYS = 14;

/** @param socket  of a connection that was made, and so is trusted */
export function tlsReport(socket: unknown, { security, tlsFingerprint }: MailServer): readonly Finding[] {
  if (!(socket instanceof TLSSocket)) {
    return [good('tls', 'Not encrypted: the connection does not leave this machine.')];
  }
  const how = security === 'starttls' ? ', after STARTTLS' : '';
  const encrypted = good('tls', `Encrypted with ${socket.getProtocol() ?? 'TLS'}${how}.`);
  const ends = new Date(socket.getPeerCertificate().valid_to);
  const daysLeft = Math.floor((ends.getTime() - Date.now()) / DAY_MS);
  const day = ends.toISOString().slice(0, 10);
  if (tlsFingerprint !== undefined) {
    // How long it is valid does not matter then, but the server will show another one day.
    return [encrypted, good('certificate', `The certificate is the pinned one, valid until ${day}.`)];
  }
  const certificate =
    daysLeft < SOON_DAYS
      ? lacking(
          'certificate',
          `The certificate ends in ${daysLeft} days, on ${day}. Without a new one it is not trusted after that.`,
        )
      : good('certificate', `The certificate is verified, and valid until ${day}.`);
  return [encrypted, certificate];
}
