import { isIP } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';

/** Who is spoken to, and the certificate that is pinned, if one is. */
export interface TlsServer {
  readonly host: string;
  readonly tlsFingerprint?: string | undefined;
}

/** How TLS with this server is begun. With a pinned certificate `isTrusted` is to be asked before anything is said. */
export function tlsOptions({ host, tlsFingerprint }: TlsServer): ConnectionOptions {
  return {
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // A pinned certificate is compared as a whole: who signed it, and for which name, does not matter then.
    rejectUnauthorized: tlsFingerprint === undefined,
  };
}

/** Whether the certificate that the server showed is the pinned one, or verified where none is pinned. */
export function isTrusted(socket: TLSSocket, { tlsFingerprint }: TlsServer): boolean {
  if (tlsFingerprint === undefined) return socket.authorized;
  const { fingerprint256 } = socket.getPeerCertificate();
  return fingerprint256?.replaceAll(':', '').toLowerCase() === tlsFingerprint;
}

/** The server showed another certificate than the pinned one. */
export class UntrustedCertificate extends Error {
  override readonly name = 'UntrustedCertificate';
}

/** Node's and OpenSSL's codes for a certificate that does not verify. */
const CERTIFICATE_CODES = /CERT|UNABLE_TO_|CHAIN|HOSTNAME_MISMATCH/;

const REASONS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'it has expired'],
  ['CERT_NOT_YET_VALID', 'it is not valid yet'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'it is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'it is signed by an authority of its own'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'who signed it is not known, or left out by the server'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'who signed it is not known'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another name'],
]);

/** Why a certificate does not verify, in words that follow `because`; undefined when the code is of something else. */
export function certificateTrouble(code: string): string | undefined {
  if (!CERTIFICATE_CODES.test(code)) return undefined;
  return REASONS.get(code) ?? `of ${code}`;
}
