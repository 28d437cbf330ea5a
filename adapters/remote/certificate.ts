import { isIP } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';

/** A TLS server, with its pinned certificate if there is one. */
export interface TlsServer {
  readonly host: string;
  readonly tlsFingerprint?: string | undefined;
  /** The only authorities to trust, in PEM; default: Node's. */
  readonly ca?: string | undefined;
}

/** TLS options for this server. With a pinned certificate, check `isTrusted` before sending anything. */
export function tlsOptions({ host, tlsFingerprint, ca }: TlsServer): ConnectionOptions {
  return {
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // A pinned certificate is compared as a whole; its issuer and name do not matter.
    rejectUnauthorized: tlsFingerprint === undefined,
    ...(ca === undefined ? {} : { ca }),
  };
}

/** Whether the server's certificate is the pinned one or, without a pin, verified. */
export function isTrusted(socket: TLSSocket, { tlsFingerprint }: TlsServer): boolean {
  if (tlsFingerprint === undefined) return socket.authorized;
  const { fingerprint256 } = socket.getPeerCertificate();
  return fingerprint256?.replaceAll(':', '').toLowerCase() === tlsFingerprint;
}

/** The server's certificate is not the pinned one. */
export class UntrustedCertificate extends Error {
  override readonly name = 'UntrustedCertificate';
}

/** Codes of Node and OpenSSL for a certificate that fails verification. */
const CERTIFICATE_CODES = /CERT|UNABLE_TO_|CHAIN|HOSTNAME_MISMATCH/;

const REASONS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'it has expired'],
  ['CERT_NOT_YET_VALID', 'it is not valid yet'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'it is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'it is signed by a private authority'],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'its issuer is unknown, or the server left out an intermediate certificate',
  ],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'its issuer is unknown'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another name'],
]);

/** Why a certificate fails verification, phrased to follow `because`. Undefined if the code means something else. */
export function certificateTrouble(code: string): string | undefined {
  if (!CERTIFICATE_CODES.test(code)) return undefined;
  return REASONS.get(code) ?? `of ${code}`;
}
