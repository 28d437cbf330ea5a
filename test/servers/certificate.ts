import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { run } from './process-group.ts';

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** SHA-256 of the certificate: 64 lower-case hex digits. */
  readonly fingerprint: string;
}

/** Creates a self-signed certificate for localhost and 127.0.0.1 in `folder`. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const certFile = `${folder}/tls.crt`;
  const keyFile = `${folder}/tls.key`;
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', keyFile, '-out', certFile],
  ]);
  const { fingerprint256 } = new X509Certificate(readFileSync(certFile));
  return { certFile, keyFile, fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() };
}
