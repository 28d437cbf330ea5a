import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { errorName, type Log } from '../../../core/ports/log.ts';

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
  // Taken before the files are read, so a change in between shows at the next check.
  let seen = '';
  function read(): KeyPair {
    seen = stateOf(certFile, keyFile);
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
      const timer = setInterval(() => {
        if (stateOf(certFile, keyFile) === seen) return;
        try {
          renewed(read());
          log.info('certificate renewed');
        } catch (error) {
          // One of the two files may be written after the other.
          log.error('the certificate files changed and cannot be used', errorName(error));
        }
      }, checkMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** Inode, size and time of change of each file, or why they are not known: different once a file was written anew. */
function stateOf(...files: string[]): string {
  const states = files.map((file) => {
    try {
      const { ino, size, mtimeMs, ctimeMs } = statSync(file);
      return [ino, size, mtimeMs, ctimeMs];
    } catch (error) {
      return errorName(error);
    }
  });
  return JSON.stringify(states);
}

function textOf(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${setting}: ${file} cannot be read. Make it readable for this user.`, { cause });
  }
}
