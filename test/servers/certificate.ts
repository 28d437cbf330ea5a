import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { run } from './process-group.ts';

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** SHA-256 of the certificate: 64 lower-case hex digits. */
  readonly fingerprint: string;
}

/**
 * Creates a self-signed certificate in `folder`.
 * @param names  Default: localhost and 127.0.0.1.
 * @param days  How long it is valid, from now. -1: it expired yesterday.
 */
export async function makeCertificate(
  folder: string,
  { names = 'DNS:localhost,IP:127.0.0.1', days = 30 } = {},
): Promise<Certificate> {
  const certFile = `${folder}/tls.crt`;
  const keyFile = `${folder}/tls.key`;
  const requestFile = `${folder}/tls.csr`;
  await run('openssl', [
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`],
    ...['-addext', 'basicConstraints=critical,CA:TRUE', '-keyout', keyFile, '-out', requestFile],
  ]);
  await run('openssl', [
    ...['x509', '-req', '-in', requestFile, '-signkey', keyFile, '-out', certFile],
    ...['-days', String(days), '-copy_extensions', 'copyall'],
  ]);
  const { fingerprint256 } = new X509Certificate(readFileSync(certFile));
  return { certFile, keyFile, fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() };
}
