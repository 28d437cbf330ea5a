import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { errorName, type Log } from '../../core/ports/log.ts';

/** A certificate with its chain, and its private key, in PEM. */
interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  /** Reads the files. @throws Error with a message for the user */
  read(): KeyPair;
  /** Calls `renewed` when the files have changed and belong together. @returns ends that */
  watch(renewed: (pair: KeyPair) => void): () => void;
}

/** Certificates are renewed days before they expire. */
const CHECK_MS = 60_000;

/** The certificate in two files. A renewed one is used without a restart. */
export function certificateIn(
  certFile: string,
  keyFile: string,
  log: Log,
  checkMs: number = CHECK_MS,
): Certificate {
  function read(): KeyPair {
    const pair = {
      cert: textOf(certFile, 'COUNTERSIGN_TLS_CERT'),
      key: textOf(keyFile, 'COUNTERSIGN_TLS_KEY'),
    };
    try {
      createSecureContext(pair);
    } catch (cause) {
      throw new Error(
        'COUNTERSIGN_TLS_CERT and COUNTERSIGN_TLS_KEY: must be a certificate with its chain and its private key without a password, both in PEM.',
        { cause },
      );
    }
    return pair;
  }
  return {
    read,
    watch(renewed) {
      const changed = () => {
        try {
          renewed(read());
          log.info('certificate renewed');
        } catch (error) {
          // One of the two files may be written after the other.
          log.error('the certificate files changed and cannot be used', errorName(error));
        }
      };
      const files = [certFile, keyFile];
      for (const file of files) watchFile(file, { interval: checkMs, persistent: false }, changed);
      return () => {
        for (const file of files) unwatchFile(file, changed);
      };
    },
  };
}

function textOf(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${setting}: ${file} cannot be read. Make it readable for this user.`, { cause });
  }
}
